// @ts-check
/**
 * The decisions of the control server, each a small function by itself, so that a broken server replaces exactly one.
 */
import { createHash } from "node:crypto"
import { constants } from "node:os"
import * as History from "./History.mjs"
import * as Evidence from "./Evidence.mjs"
import { requestCancelled, sessionTaken } from "./Refused.mjs"
import * as Wait from "./Wait.mjs"

/**
 * A message on its way out. The id of an answer is its JSON text, because a number may have more digits than
 * JavaScript holds. Broken servers put anything into the other members.
 * @typedef {{ id?: any, method?: string, params?: any, result?: any, error?: any }} Message
 */

/** @typedef {{ seq: number, stream: string, bytes: Buffer, chunk: string }} Chunk */

/**
 * A child that runs. Its stdin is null unless it has `pipeStdin`, and is used only then.
 * @typedef {import("node:child_process").ChildProcessWithoutNullStreams & { readonly pid: number }} Child
 */

/**
 * A process of a session. `ends` are its exited and closed notifications, `waiting` the reads that wait for news,
 * `next` the seq of the next event, `size` the bytes in `chunks`, `credit` the bytes of output that may leave yet, and
 * `held` what waits for more.
 * @typedef {object} Entry
 * @property {string} id
 * @property {Child} child
 * @property {boolean} pipeStdin
 * @property {Array<Chunk>} chunks
 * @property {Array<Message>} ends
 * @property {number} size
 * @property {number} next
 * @property {number | null} exitCode
 * @property {number} exitedSeq
 * @property {boolean} closed
 * @property {boolean} terminated
 * @property {Set<() => void>} waiting
 * @property {Set<string>} writeIds
 * @property {number} credit
 * @property {Array<Held>} held
 * @property {Account | undefined} account
 * @property {any} receipt
 * @property {{ signal: NodeJS.Signals, millis: number }} grace
 * @property {string | undefined} asked
 * @property {boolean} told
 * @property {any} [ending]
 * @property {import("./History.mjs").History | undefined} history
 * @property {Names} names
 * @property {{ held: Buffer, cwd: string | null } | undefined} scan
 * @property {Array<any>} marks
 * @property {Array<string>} argv
 * @property {string} cwd
 * @property {number} startedAtMs
 * @property {number} written
 * @property {Set<Attachment>} attachments
 * @property {Array<Attachment>} writers
 * @property {boolean} moved who writes has changed
 * @property {boolean} removing
 */

/**
 * A client at a process beside its owner: it has everything up to `last`, and the process waits for it if it `holds`.
 * @typedef {{
 *   id: string, entry: Entry, session: Session, connection: Connection, last: number, credit: number, holds: boolean
 * }} Attachment
 */

/**
 * Output, and the mark that it ends with.
 * @typedef {{ bytes: Buffer, mark?: { kind: string, exitCode: number | null, cwd: string | null } | undefined }} Piece
 */

/** @typedef {{ name?: string, labels: Record<string, string> }} Names */

/**
 * What a receipt is made of; `told` is the greatest seq that a client was sent.
 * @typedef {{ startedAtMs: number, told: number, streams: Record<string, Stream> }} Account
 */

/**
 * @typedef {{
 *   bytes: number, hash: import("node:crypto").Hash, chunks: number, firstSeq?: number, lastSeq?: number,
 *   unreadBytes: number
 * }} Stream
 */

/** @typedef {{ message: Message, size: number }} Held */

/** @typedef {{ session: Session, entry: Entry }} Found */

/** @typedef {Map<string, Entry>} Entries */

/**
 * @typedef {{
 *   parts: Parts, id: string, processes: Entries, connection: Connection | undefined, number: number,
 *   openedAtMs: number, all: Sessions
 * }} Session
 */

/** @typedef {Map<string, Session>} Sessions */

/**
 * `step` is `new` before initialize, `named` after it, and `ready` after initialized. `waiting` has the methods of the
 * requests without an answer, by id; `leave` sends the last messages and ends the connection.
 * @typedef {object} Connection
 * @property {"new" | "named" | "ready"} step
 * @property {Session | undefined} session
 * @property {(message: Message) => void} send
 * @property {(bytes: Buffer) => unknown} receive
 * @property {Map<string, string>} waiting
 * @property {Map<string, Attachment>} attachments
 * @property {(answers: Array<Message>) => void} leave
 * @property {() => void} lost
 */

/**
 * The decisions of the server; `parts` below says what each one decides.
 * @typedef {object} Parts
 * @property {(message: Message, connection: Connection) => Array<Message>} send
 * @property {(bytes: Buffer) => string} text
 * @property {(answer: Message) => Message} malformed
 * @property {(answer: Message) => Message | undefined} unknownMethod
 * @property {(notification: Message) => boolean} knows
 * @property {(step: Connection["step"], method: string) => Connection["step"]} notified
 * @property {(method: string) => boolean} cancellable
 * @property {(connection: Connection, id: string) => Array<Message>} cancelled
 * @property {(connection: Connection) => boolean} admits
 * @property {(connection: Connection, run: () => unknown, message: Message) => unknown} schedule
 * @property {(params: any) => any} received
 * @property {(name: string) => boolean} tolerates
 * @property {(entry: Entry, method: string) => number} seq
 * @property {(bytes: Buffer, stream: string) => string} encode
 * @property {(code: number | null, signal: NodeJS.Signals | null) => number} exitCode
 * @property {(env: NodeJS.ProcessEnv) => NodeJS.ProcessEnv} environment
 * @property {"ignore" | "pipe"} noInput
 * @property {number} exitPatience
 * @property {(entry: Entry | undefined) => boolean} taken
 * @property {(session: Session, id: string) => unknown} forget
 * @property {(entry: Entry, signal: NodeJS.Signals) => unknown} kill
 * @property {(entry: Entry, seq: number) => Array<Chunk>} after
 * @property {(chunks: Array<Chunk>, maxBytes: number) => Array<Chunk>} page
 * @property {(entry: Entry, seq: number) => boolean} wakes
 * @property {(entry: Entry, writeId: string) => boolean} repeated
 * @property {(entry: Entry, bytes: Buffer, done: () => void) => unknown} input
 * @property {(bytes: number) => number} counts
 * @property {(entry: Entry, size: number, session: Session) => boolean} fits
 * @property {(message: Message) => boolean} queues
 * @property {(left: number, bytes: number) => number} granted
 * @property {(given: number, entry: Entry) => number} anew
 * @property {(scope: string) => boolean} mayView
 * @property {(scope: string) => boolean} mayControl
 * @property {(isWriter: boolean, attachment: Attachment | undefined) => boolean} mayWrite
 * @property {(writer: boolean) => boolean} tellsRole
 * @property {() => boolean} tellsRoleAgain
 * @property {(entry: Entry, attachment: Attachment) => void} givesBack
 * @property {() => boolean} tellsGap
 * @property {(asked: boolean) => boolean} holds
 * @property {(seq: number) => number} beginsAfter
 * @property {(found: Array<Found>) => Array<Found>} chosenOfName
 * @property {(attachment: Attachment) => void} left
 * @property {(asked: boolean) => boolean} removes
 * @property {(asked: boolean) => boolean} accounts
 * @property {(account: Account, stream: string, seq: number, bytes: Buffer) => unknown} written
 * @property {(account: Account, stream: string, seq: number, bytes: Buffer) => unknown} evicted
 * @property {(terminated: boolean, signal: NodeJS.Signals | null) => string} endedBy
 * @property {(receipt: any) => any} receipt
 * @property {boolean} linear
 * @property {(after: number, entry: Entry) => number} waitsAfter
 * @property {(session: Session, entry: Entry, condition: any, begun: any) => any} evidence
 * @property {(entry: Entry, stream: string, condition: any, after: number) => any} find
 * @property {(entry: Entry, begun: { begunAt: number, lastAt: number }) => number} quietSince
 * @property {(entry: Entry, port: number) => any} listener
 * @property {(entry: Entry) => any} asker
 * @property {() => boolean} endsWait
 * @property {(held: Array<any>) => any} chosen
 * @property {(entry: Entry, after: number, most: number) => any} printed
 * @property {(gap: { from: number, to: number } | undefined) => any} gap
 * @property {(session: Session) => boolean} fires
 * @property {() => boolean} outputCounts
 * @property {() => boolean} killsAfterGrace
 * @property {(asked: boolean) => boolean} asksFirst
 * @property {(asked: boolean) => boolean} tellsEnding
 * @property {(asked: { maxBytes: number } | undefined) => import("./History.mjs").History | undefined} remembered
 * @property {(history: import("./History.mjs").History) => void} drops
 * @property {(entry: Entry, history: import("./History.mjs").History) => Array<import("./History.mjs").Kept>} remembers
 * @property {number} firstLine
 * @property {(text: string) => Array<number>} lineStarts
 * @property {(chunks: Array<{ seq: number, stream: string, chunk: string }>) => Array<any>} numbered
 * @property {(pattern: RegExp, lines: Array<string>, at: number) => boolean} lineMatches
 * @property {(match: any) => any} matched
 * @property {(complete: boolean) => boolean} isComplete
 * @property {(asked: boolean) => boolean} marked
 * @property {(pieces: Array<Piece>) => Array<Piece>} pieces
 * @property {(scan: { held: Buffer, cwd: string | null }) => unknown} scanned
 * @property {(marks: Array<any>) => Array<any>} marksRead
 * @property {(all: boolean, allowed: boolean) => boolean} listable
 * @property {(session: Session, all: boolean) => Array<Session>} seen
 * @property {(entries: Array<Entry>) => Array<Entry>} listed
 * @property {(query: any) => any} wanted
 * @property {(names: Names) => any} labelled
 * @property {(session: Session) => any} sessionNumber
 * @property {(session: Session, other: Session) => boolean} owns
 * @property {(session: Session) => boolean} free
 * @property {(connection: Connection) => boolean} yields
 * @property {(session: Session, holder: Connection) => unknown} handOver
 * @property {(session: Session, holder: Connection) => Array<Message>} farewell
 * @property {(events: Array<Message>, after: number) => Array<Message>} replayed
 * @property {(session: Session) => unknown} resumed
 * @property {(session: Session, end: (session: Session) => void) => unknown} detached
 * @property {(sessions: Sessions) => Entries} processes
 * @property {(entries: Array<Entry>, kill: (entry: Entry, signal: NodeJS.Signals) => void) => unknown} sweep
 */

const privateNames = new Set([
  "CODEX_EXEC_SERVER_EXIT_ON_STDIN_CLOSE",
  "CODEX_EXEC_SERVER_NOISE_AUTH_TOKEN",
  "NODE_REPL_AUTH_TOKEN",
  "OPENAI_FEDERATION_RULE_ID",
  "OPENAI_IDENTITY_TOKEN_FILE",
  "OPENAI_WORKLOAD_IDENTITY_CONTEXT",
])

const takenError = { code: sessionTaken, message: "session has been resumed by another connection" }

export const cancelledError = { code: requestCancelled, message: "request was cancelled" }

/** @type {Parts} */
export const parts = {
  /** What leaves instead of one message. The id of an answer is its JSON text, a number keeps all its digits. */
  send: (message) => [message],
  /** The bytes of a line or frame as text; throws if they are none. */
  text: (bytes) => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
  /** What becomes of a text that is no message: the answer to it. */
  malformed: (answer) => answer,
  /** What becomes of an unknown method: the answer to it, or nothing. */
  unknownMethod: (answer) => answer,
  /** Whether a notification from the client is one that exists. */
  knows: ({ method }) => method === "initialized" || method === "request/cancel",
  /** The step of the handshake behind a notification. */
  notified: (step, method) => (method === "initialized" ? "ready" : step),
  /** Whether a request of a method can be cancelled. */
  cancellable: (method) => method === "process/read",
  /** What becomes of a request that is cancelled, and can be: the answers to it. */
  cancelled: ({ waiting }, id) => (waiting.delete(id) ? [{ id, error: cancelledError }] : []),
  /** Whether a request of this connection is allowed yet. */
  admits: (connection) => connection.step === "ready",
  /** Runs a handler: at once, not after the one before. */
  schedule: (_connection, run) => run(),
  /** The params that are checked. */
  received: (params) => params,
  /** Whether params may have this field. */
  tolerates: () => true,

  /** The number of the next event of a process. */
  seq: (entry) => entry.next++,
  /** The bytes of a chunk on the wire. */
  encode: (bytes) => bytes.toString("base64"),
  exitCode: (code, signal) => code ?? 128 + constants.signals[signal ?? "SIGKILL"],
  /** What a process sees as its environment. */
  environment: (env) => Object.fromEntries(Object.entries(env).filter(([name]) => !privateNames.has(name))),
  /** What a process without pipeStdin has as its input. */
  noInput: "ignore",
  /** How long an exit waits for output that is still on its way, unless every stream has ended. */
  exitPatience: 50,
  /** Whether the id of this process may not be used again. */
  taken: (entry) => entry !== undefined,
  /** What is done with the id of a process that could not be started. */
  forget: (session, id) => session.processes.delete(id),
  /** Sends a signal to the group of a process. */
  kill: (entry, signal) => process.kill(-entry.child.pid, signal),

  /** The chunks above a seq. */
  after: (entry, seq) => (entry.history?.chunks ?? entry.chunks).filter((chunk) => chunk.seq > seq),
  /** The first chunks that fit in so many bytes, at least one, each whole. */
  page: (chunks, maxBytes) => {
    let room = maxBytes
    return chunks.filter(({ bytes }, index) => (room -= bytes.length) >= 0 || index === 0)
  },
  /** Whether a read from this seq on has something to tell. */
  wakes: (entry, seq) =>
    entry.closed || entry.exitedSeq > seq || entry.chunks.some((chunk) => chunk.seq > seq),
  /** Whether this write was done before; remembers it. */
  repeated: (entry, writeId) => entry.writeIds.has(writeId) || !entry.writeIds.add(writeId),
  /** Gives bytes to a process; calls back when they are gone. */
  input: (entry, bytes, done) => entry.child.stdin.write(bytes, done),

  /** What a chunk of so many bytes counts of the credit. */
  counts: (bytes) => Math.max(bytes, 64),
  /** Whether a message with so many bytes of output may leave now. */
  fits: (entry, size) => size <= entry.credit,
  /** Whether an event waits behind output that may not leave yet. */
  queues: () => true,
  /** The credit after a grant of so many bytes. */
  granted: (left, bytes) => (left === Infinity ? bytes : left + bytes),
  /** The credit of a process on a connection that resumes its session and gives it so much. */
  anew: (given) => given,

  /** Whether a process has a receipt, by what its start asked for. */
  accounts: (asked) => asked,
  /** Takes down a chunk that a child has written. */
  written: ({ streams }, name, seq, bytes) => {
    const stream = (streams[name] ??= { bytes: 0, hash: createHash("sha256"), chunks: 0, unreadBytes: 0 })
    stream.bytes += bytes.length
    stream.hash.update(bytes)
    stream.chunks += 1
    stream.firstSeq ??= seq
    stream.lastSeq = seq
  },
  /** Takes down a chunk that is dropped. */
  evicted: ({ streams, told }, name, seq, bytes) => {
    const stream = streams[name]
    if (stream !== undefined && seq > told) stream.unreadBytes += bytes.length
  },
  /** What has ended a process, which was perhaps terminated before it ended. */
  endedBy: (terminated, signal) => (signal === null ? "exit" : terminated ? "terminate" : "signal"),
  /** The receipt as it is sent. */
  receipt: (receipt) => receipt,

  /** Whether no pattern backtracks without end. */
  linear: true,
  /** The seq behind which the output of a wait counts. */
  waitsAfter: (after) => after,
  /** What shows that a condition of a wait holds. */
  evidence: Wait.evidence,
  /** The first match of a pattern in one stream. */
  find: Wait.find,
  /** Since when a process is quiet, for one who waits. */
  quietSince: (_entry, { lastAt }) => lastAt,
  /** Who listens on a port, for a process. */
  listener: (entry, port) => Evidence.listener(Evidence.members(entry.child.pid), port),
  /** Who waits for the input of a process. */
  asker: Evidence.asker,
  /** Whether the end of a process ends the waits for it. */
  endsWait: () => true,
  /** Which one of the conditions that hold is told. */
  chosen: ([first]) => first,
  /** The output of an answer to a wait. */
  printed: Wait.output,
  /** How a gap is told. */
  gap: (gap) => (gap === undefined ? {} : { gap }),
  /** Whether a deadline that has passed ends its process. */
  fires: () => true,
  /** Whether output begins the time of silence anew. */
  outputCounts: () => true,
  /** Whether what is left after a grace is killed. */
  killsAfterGrace: () => true,
  /** Whether a terminate asks the process to end first, by whether its params say so. */
  asksFirst: (asked) => asked,
  /** Whether the exit of a process tells what has ended it, by what its start asks for. */
  tellsEnding: (asked) => asked,

  /** The history of a process that starts now, by what its start asks for. */
  remembered: (asked) => (asked === undefined ? undefined : History.make(asked.maxBytes)),
  /** Drops what a history has too much. */
  drops: History.drop,
  /** What a history has. */
  remembers: (_entry, history) => history.chunks,
  /** The number of the first line. */
  firstLine: 1,
  /** Where the lines of a text begin. */
  lineStarts: History.lineStarts,
  /** The chunks of a part with their numbers. */
  numbered: (chunks) => chunks,
  /** Whether a line matches. */
  lineMatches: History.matches,
  /** A match as it is sent. */
  matched: (match) => match,
  /** Whether a page is told to be the last, by whether it is. */
  isComplete: (complete) => complete,
  /** Whether the marks of a process are told, by what its start asks for. */
  marked: (asked) => asked,
  /** The pieces of a chunk with its marks. */
  pieces: (pieces) => pieces,
  /** What becomes of the rest of a chunk that may be the begin of a mark. */
  scanned: () => undefined,
  /** The marks in the answer to a read. */
  marksRead: (marks) => marks,

  /** Whether a list may be made: of all sessions or the own one, by whether the server allows all. */
  listable: (all, allowed) => !all || allowed,
  /** The sessions that a list shows. */
  seen: (session, all) => (all ? [...session.all.values()] : [session]),
  /** The processes of a session in the order of a list. */
  listed: (entries) => entries,
  /** What a list is filtered by. */
  wanted: (query) => query,
  /** The name and the labels of a process in a list. */
  labelled: (names) => names,
  /** How a list names a session. */
  sessionNumber: ({ number }) => number,
  /** Whether a session in a list of another one is the own one. */
  owns: (session, other) => session === other,

  /** Whether a client of this scope sees the processes of others. */
  mayView: (scope) => scope === "observe" || scope === "control",
  /** Whether it may do what their owners may. */
  mayControl: (scope) => scope === "control",
  /** Whether a client may write to a process, by whether it is the writer. */
  mayWrite: (isWriter) => isWriter,
  /** Whether a client is told that it has become the writer, or is it no longer. */
  tellsRole: () => true,
  /** Whether a connection that has resumed its session is told so. */
  tellsRoleAgain: () => true,
  /** Takes the role from a client that leaves. */
  givesBack: (entry, one) => {
    entry.writers = entry.writers.filter((other) => other !== one)
  },
  /** Whether missing output is told. */
  tellsGap: () => true,
  /** Whether a process waits for a client, by whether that has asked for it. */
  holds: (asked) => asked,
  /** The seq behind which an attachment begins. */
  beginsAfter: (seq) => seq,
  /** Those that a name means. */
  chosenOfName: (found) => found,
  /** What a detach does beyond ending the attachment. */
  left: () => undefined,
  /** Whether a terminate forgets its process, by whether it asks for that. */
  removes: (asked) => asked,

  /** Whether a session can be resumed. */
  free: (session) => session.connection === undefined,
  /** Whether a session can be taken from this connection. */
  yields: () => true,
  /** What becomes of the connection whose session is taken. */
  handOver: (session, holder) => {
    session.connection = undefined
    holder.leave(session.parts.farewell(session, holder))
  },
  /** The last messages on a connection whose session is taken. */
  farewell: (session, holder) => [
    ...[...holder.waiting.keys()].map((id) => ({ id, error: takenError })),
    { method: "session/taken", params: { sessionId: session.id } },
  ],
  /** The events of a process that a resume pushes to a client that has those up to a seq. */
  replayed: (events, after) => events.filter(({ params }) => params.seq > after),
  /** What a resume does to the processes of its session. */
  resumed: () => undefined,
  /** What the loss of a connection does to its session. */
  detached: (session) => {
    session.connection = undefined
  },
  /** The processes that a new session begins with. */
  processes: () => new Map(),
  /** Ends what still runs when the server ends. */
  sweep: (entries, kill) => entries.forEach((entry) => kill(entry, "SIGKILL")),
}
