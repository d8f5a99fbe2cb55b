// @ts-check
// Faults of the server: sessions, requests, notifications, and the directory of a fleet.
import { byCases, bySeed, byTests, inFile } from "./fault.mjs"

const hostBook = inFile("core/directory/HostBook.ts")
const sessionBook = inFile("core/directory/SessionBook.ts")

export const coreServer = [
  inFile("core/directory/Book.ts")(
    "time counts while the directory is away",
    "Math.min(stepMillis, Math.max(0, now - book.looked))",
    "Math.max(0, Math.max(0, now - book.looked))",
    bySeed(7, "fleet"),
  ),
  hostBook(
    "a restart leaves old sessions alive",
    'close(book, session, "host restarted", settings)',
    "void session",
    bySeed(4, "fleet"),
  ),
  hostBook(
    "a late announcement ends what was confirmed since",
    'row.state === "running" && row.version <= upTo && !told.has(row.sessionId)',
    'row.state === "running" && !told.has(row.sessionId)',
    bySeed(5, "fleet"),
  ),
  hostBook(
    "a claim that nobody confirms stays",
    'row.state === "running" || book.time < row.until',
    'row.state !== "ended" || book.time < row.until',
    bySeed(4, "fleet"),
  ),
  inFile("core/directory/Placement.ts")(
    "a host that failed gets many claims",
    "pending.has(row.hostId)",
    "false",
    byTests("adapters/shared/directory/MemoryDirectory.test.ts", "core/directory/Book.test.ts"),
  ),
  sessionBook(
    "a quota is exceeded by one",
    "countOf(book, tenant) >= quota",
    "countOf(book, tenant) > quota",
    bySeed(1, "fleet"),
  ),
  sessionBook(
    "late words about a session are heard",
    "key.fence !== row.fence",
    "key.fence < 0",
    bySeed(1, "fleet"),
  ),
  inFile("core/rpc/Dispatch.ts")(
    "an answer to no request is tolerated",
    'undefined : "an answer to no request"',
    "undefined : undefined",
    byCases("handshake/violation/unasked-response"),
  ),
  inFile("core/rpc/Intake.ts")(
    "a closed intake never opens",
    "if (this.isOpen) this.latch.unsafeOpen()",
    "if (this.isOpen) void 0",
    bySeed(7),
  ),
  inFile("core/rpc/PendingCalls.ts")(
    "an answered call stays known",
    "this.callers.delete(id); resume(answer)",
    "resume(answer)",
    bySeed(79, "drills"),
  ),
  inFile("core/rpc/RequestSlots.ts")("a slot is not given back", "this.taken -= 1", "", bySeed(6)),
  inFile("core/rpc/Requests.ts")(
    "what follows an answer does not happen",
    "hook?.(Exit.isSuccess(exit))",
    "",
    bySeed(1),
  ),
  inFile("core/rpc/Router.ts")(
    "wrong params have the wrong code",
    "code: ErrorCode.invalidParams, message",
    "code: ErrorCode.invalidRequest, message",
  ),
  inFile("core/rpc/Running.ts")(
    "a streamed body goes on that is cancelled behind its answer",
    "if (is(request)) stop()",
    "void stop",
    byCases("request/cancel/ends-a-streamed-body"),
  ),
  inFile("core/server/Attachments.ts")(
    "an attachment that ends keeps the role",
    "attachment.writers.leave(attachment)",
    "",
    bySeed(11, "sessions,writers"),
  ),
  inFile("core/server/ExecServer.ts")(
    "a watch tells of hidden files",
    "{ ...allFiles, watches: false }",
    "allFiles",
    byTests("adapters/shared/integration/Escapes.test.ts"),
  ),
  inFile("core/server/FairSender.ts")(
    "a source has one turn",
    "if (source()) sources.add(source)",
    "source()",
    bySeed(1),
  ),
  inFile("core/server/Handshake.ts")(
    "request/cancel stands for initialized",
    'taken === "initialized"',
    'typeof taken === "string"',
  ),
  inFile("core/server/Notices.ts")(
    "roles are told to a client that does not keep up",
    "waiting.set(processId, make); sender.enqueue(next)",
    "waiting.set(processId, make); now(processId)",
    bySeed(9, "sessions,writers"),
  ),
  inFile("core/server/Notifier.ts")(
    "a cursor advances twice",
    "attachment.advance(event.seq)",
    "attachment.advance(event.seq + 1)",
    bySeed(1),
  ),
  inFile("core/server/SandboxedFiles.ts")(
    "files without a sandbox are free",
    "yield* under(undefined)",
    "unconfined",
    byTests("core/server/ExecServer.Floor.test.ts"),
  ),
  inFile("core/server/ServerConnection.ts")(
    "a full connection is never continued",
    "connection.onDrain(sender.drain)",
    "",
    bySeed(1),
  ),
  inFile("core/server/Sideline.ts")(
    "viewers wait for seconds where the server was held up once",
    "worked < mostNanos ? worked : mostNanos",
    "worked",
  ),
  inFile("core/server/Sought.ts")(
    "a name that an ended process has, too, is ambiguous",
    "running.length > 0 ? running : all",
    "all",
    byTests("core/server/ExecServer.Attach.test.ts"),
  ),
  inFile("core/server/SpawnSpecs.ts")(
    "a start that asks for a sandbox leaves the floor",
    "Floor.under(floor, asked.right)",
    "asked.right ?? floor",
    byTests("core/server/ExecServer.Floor.test.ts"),
  ),
  inFile("core/server/Turns.ts")(
    "who looks on has one turn",
    "due = false; if (source()) queue(); else listen()",
    "if (source()) queue(); else listen()",
    bySeed(2, "sessions,viewers"),
  ),
  inFile("core/server/WireError.ts")(
    "an attached session has the code of an unknown one",
    "ErrorCode.sessionAttached, `session ${error.sessionId} is already attached to another connection`",
    "ErrorCode.invalidRequest, `session ${error.sessionId} is already attached to another connection`",
    byCases("session/attached-session-refused"),
  ),
  inFile("core/server/handlers/attach.ts")(
    "nobody can take the role",
    'role !== "writer" || take === true',
    'role !== "writer"',
    bySeed(1, "sessions,writers"),
  ),
  inFile("core/server/handlers/fs.ts")(
    "a walk spells its root anew",
    "root === plain",
    "root !== undefined",
    byCases("fs/walk/root-keeps-its-spelling"),
  ),
  inFile("core/server/handlers/http.ts")(
    "the id of a body that is streamed can be used again",
    "streams.has(id)",
    "false",
    byTests("core/server/ExecServer.Http.test.ts"),
  ),
  inFile("core/server/handlers/list.ts")(
    "a client sees the sessions of others",
    'asked === "all" ? sessions.after : Listing.only(sessions.after, number)',
    "sessions.after",
    byCases("process/list/own-session-only"),
  ),
  inFile("core/server/handlers/process.ts")(
    "a read without maxBytes has one of 64 KiB",
    "maxBytes ?? Infinity",
    "maxBytes ?? 65536",
    byCases("process/read/result-has-every-field"),
  ),
  inFile("core/server/handlers/session.ts")(
    "a resumed process has no credit",
    "fresh ? 0 : replayFrom(process, replayAfter), named(credit, process.id)",
    "fresh ? 0 : replayFrom(process, replayAfter), undefined",
    bySeed(1, "drills"),
  ),
  inFile("core/server/handlers/start.ts")(
    "a start holds its output for ever",
    "process.release()",
    "",
    bySeed(4),
  ),
  inFile("core/session/Expiry.ts")(
    "a session expires although it was resumed",
    "if (entry.detachment !== detachment) return",
    "",
    bySeed(1),
  ),
  inFile("core/session/Listing.ts")(
    "a page skips a process",
    "rows, next: last",
    "rows, next: place",
    bySeed(3, "records"),
  ),
  inFile("core/session/SessionRegistry.ts")(
    "a connection that has lost its session detaches it from the next",
    "if (entry.holder !== holder) return Effect.void",
    "",
    bySeed(1),
  ),
  inFile("core/transport/Framing.ts")(
    "the CR of CR LF stays",
    'line.endsWith("\\r") ? line.slice(0, -1) : line',
    "line",
  ),
]
