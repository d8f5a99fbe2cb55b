/**
 * A process that was started over the wire, and what the notifications on its connection report about it.
 *
 * Events are kept in the order of arrival; text and bytes are joined in the order of seq, as a client must do.
 */
import { randomUUID } from "node:crypto"
import { events } from "../../core/features/Wires.ts"
import * as Check from "./Check.ts"
import { isObject, type Json, type JsonObject } from "./Json.ts"
import type { Wire } from "./wire/Wire.ts"

/** A notification about a process. */
export interface Event {
  /** The kind of the notification. */
  readonly kind: "output" | "exited" | "closed" | keyof typeof events
  /** Its seq. */
  readonly seq: number
  /** Its params as on the wire. */
  readonly params: JsonObject
  /** Position among the messages of the connection. */
  readonly index: number
  /** When it arrived, as `performance.now()` in milliseconds. */
  readonly at: number
}

/** A process that is closed. */
export interface End {
  /** The exit code that `process/exited` names. */
  readonly exitCode: number
  /** In order of arrival. */
  readonly events: ReadonlyArray<Event>
  /** The seq of `process/exited`. */
  readonly exitedSeq: number
  /** The seq of `process/closed`. */
  readonly closedSeq: number
}

/** A process that was started over the wire. */
export interface Child {
  /** Its process id on the wire. */
  readonly id: string
  /** The connection that it is followed on. */
  readonly wire: Wire
  /** Its events so far, in the order of arrival. */
  readonly events: () => ReadonlyArray<Event>
  /** Its output so far in the order of seq, of one stream or of all. */
  readonly bytes: (stream?: string) => Buffer
  /** The same as UTF-8 text. */
  readonly text: (stream?: string) => string
  /** Waits until the output contains `part`. */
  readonly says: (part: string) => Promise<void>
  /** Waits until so many bytes of output have arrived. */
  readonly has: (bytes: number) => Promise<void>
  /** Waits for `process/exited`, and returns the exit code. */
  readonly exited: () => Promise<number>
  /** Waits for closed and for every seq below it. */
  readonly ended: () => Promise<End>
  /** The result of `process/read`, with these params besides the process id. */
  readonly read: (params?: JsonObject) => Promise<JsonObject>
  /** Writes to stdin, and returns the status that the server answers with. Default `writeId`: a random one. */
  readonly write: (text: string | Buffer, writeId?: string) => Promise<string>
  /** Sends `process/terminate`; true if the process was still running. */
  readonly terminate: () => Promise<boolean>
}

/** The start of a process. */
export interface StartOptions {
  /** Replaced by the fields of `params` that are given. */
  readonly script?: string
  /** The program and its arguments. Default: a shell that runs `script`. */
  readonly argv?: ReadonlyArray<string>
  /** The environment. Default: that of {@link Wire.Wire.childEnv}. */
  readonly env?: { readonly [name: string]: string }
  /** True to run it in a PTY. Default: false. */
  readonly tty?: boolean
  /** True for a pipe as stdin. Not sent if absent. */
  readonly pipeStdin?: boolean
  /** The process id. Default: a random one. */
  readonly id?: string
  /** Further members of the params, or other values for the usual ones. */
  readonly params?: JsonObject
}

/** The kinds of the spine, and of the features. A gap has no seq: it tells which are missed. */
const kinds: { readonly [method: string]: Event["kind"] } = {
  ...Object.fromEntries(
    Object.entries(events).flatMap(([kind, { method }]) => (kind === "gap" ? [] : [[method, kind]])),
  ),
  "process/output": "output",
  "process/exited": "exited",
  "process/closed": "closed",
}

/** The params of `process/start`: a shell script in `/tmp` with a plain environment, unless `options` says otherwise. */
export const params = (wire: Wire, options: StartOptions): JsonObject => ({
  processId: options.id ?? `proc-${randomUUID().slice(0, 8)}`,
  argv: options.argv ?? ["/bin/sh", "-c", options.script ?? ":"],
  cwd: "file:///tmp",
  env: options.env ?? wire.childEnv,
  tty: options.tty ?? false,
  ...(options.pipeStdin === undefined ? {} : { pipeStdin: options.pipeStdin }),
  ...options.params,
})

/** The params of the notifications of one method about a process so far, behind a position. */
export const notified = (wire: Wire, method: string, id: string, from = 0): ReadonlyArray<JsonObject> =>
  wire.inbox.messages.slice(from).flatMap(({ json }) => {
    const params = isObject(json) && json["method"] === method ? json["params"] : undefined
    return isObject(params) && params["processId"] === id ? [params] : []
  })

interface Output {
  readonly seq: number
  readonly stream: Json | undefined
  readonly bytes: Buffer
}

/** The bytes of output in the order of seq. */
const joined = (outputs: ReadonlyArray<Output>): Buffer =>
  Buffer.concat([...outputs].sort((a, b) => a.seq - b.seq).map(({ bytes }) => bytes))

/**
 * Says whether output contains a text. It is asked with more output each time, and searches what is new, with the end
 * of what it has searched; all of it again where seqs have not come in their order.
 */
const searching = (part: string): ((outputs: ReadonlyArray<Output>) => boolean) => {
  const kept = Math.max(0, Buffer.byteLength(part) - 1)
  let searched = 0
  let highest = 0
  let end: Buffer = Buffer.alloc(0)
  return (outputs) => {
    const fresh = outputs.slice(searched)
    const inOrder = fresh.every(({ seq }, at) => seq > (fresh[at - 1]?.seq ?? highest))
    searched = outputs.length
    highest = fresh.reduce((most, { seq }) => Math.max(most, seq), highest)
    const bytes = inOrder ? Buffer.concat([end, joined(fresh)]) : joined(outputs)
    end = kept === 0 ? Buffer.alloc(0) : bytes.subarray(-kept)
    return bytes.includes(part)
  }
}

/** A process by its id, whichever connection has started it. */
export const attach = (wire: Wire, id: string): Child => {
  const found: Array<Event> = []
  /** The output among them, decoded once: a flood is looked at with every message of it. */
  const outputs: Array<Output> = []
  let looked = 0
  const events = (): ReadonlyArray<Event> => {
    for (; looked < wire.inbox.messages.length; looked++) {
      const message = wire.inbox.messages[looked]
      const json = message?.json
      if (message === undefined || !isObject(json) || typeof json["method"] !== "string") continue
      const kind = kinds[json["method"]]
      const params = json["params"]
      if (kind === undefined || !isObject(params) || params["processId"] !== id) continue
      const seq = Check.integer(params["seq"], `the seq of ${json["method"]}`)
      found.push({ kind, seq, params, index: message.index, at: message.at })
      if (kind !== "output") continue
      const bytes = Buffer.from(Check.text(params["chunk"], "a chunk"), "base64")
      outputs.push({ seq, stream: params["stream"], bytes })
    }
    return found
  }
  const output = (): ReadonlyArray<Output> => {
    events()
    return outputs
  }
  const bytes = (stream?: string): Buffer =>
    joined(output().filter((one) => stream === undefined || one.stream === stream))
  const text = (stream?: string): string => bytes(stream).toString("utf8")
  const wait = <A>(what: string, pick: () => A | undefined): Promise<A> =>
    wire.inbox.wait(`${what} of process ${id}`, wire.timeoutMs, pick)
  const find = (kind: Event["kind"]): Event | undefined => events().find((event) => event.kind === kind)
  const exitCode = (event: Event): number =>
    Check.integer(event.params["exitCode"], "the exitCode of process/exited")
  return {
    id,
    wire,
    events,
    bytes,
    text,
    says: async (part) => {
      const search = searching(part)
      await wait(`the output ${JSON.stringify(part)}`, () => (search(output()) ? true : undefined))
    },
    has: async (wanted) => {
      const size = () => output().reduce((sum, { bytes }) => sum + bytes.length, 0)
      await wait(`${wanted} bytes`, () => (size() >= wanted ? true : undefined))
    },
    exited: async () => exitCode(await wait("process/exited", () => find("exited"))),
    ended: async () => {
      const closed = await wait("process/closed", () => find("closed"))
      const exited = await wait("process/exited", () => find("exited"))
      await wait(`all of seq 1 to ${closed.seq}`, () => {
        const seqs = events().map(({ seq }) => seq)
        const twice = seqs.find((seq, index) => seqs.indexOf(seq) !== index)
        if (twice !== undefined) Check.fail(`seq ${twice} of process ${id} came twice`)
        return seqs.length >= closed.seq ? true : undefined
      })
      return { exitCode: exitCode(exited), events: events(), exitedSeq: exited.seq, closedSeq: closed.seq }
    },
    read: (options = {}) => wire.ok("process/read", { processId: id, ...options }),
    write: async (data, writeId = randomUUID()) => {
      const chunk = Buffer.from(data).toString("base64")
      const result = await wire.ok("process/write", { processId: id, chunk, writeId })
      return Check.text(result["status"], "the status of process/write")
    },
    terminate: async () => {
      const result = await wire.ok("process/terminate", { processId: id })
      return Check.flag(result["running"], "running in the result of process/terminate")
    },
  }
}

/** Starts a process and waits for the answer. */
export const start = async (wire: Wire, options: StartOptions = {}): Promise<Child> => {
  const given = params(wire, options)
  const id = Check.text(given["processId"], "processId")
  const result = await wire.ok("process/start", given)
  Check.equal(result["processId"], id, "processId in the result of process/start")
  return attach(wire, id)
}

/** Starts a process, and waits until it is closed and everything of it has come. */
export const run = async (wire: Wire, options: StartOptions = {}): Promise<Child> => {
  const child = await start(wire, options)
  await child.ended()
  return child
}

/** The chunks in the result of `process/read`. */
export const chunks = (
  result: JsonObject,
): ReadonlyArray<{ seq: number; stream: Json | undefined; bytes: Buffer }> =>
  Check.list(result["chunks"], "chunks in the result of process/read").map((item) => {
    const chunk = Check.object(item, "a chunk")
    return {
      seq: Check.integer(chunk["seq"], "the seq of a chunk"),
      stream: chunk["stream"],
      bytes: Buffer.from(Check.text(chunk["chunk"], "the bytes of a chunk"), "base64"),
    }
  })
