/** One process started with `command/exec`, and what the notifications on its connection say about it. */
import { randomUUID } from "node:crypto"
import * as Vocabulary from "../../Vocabulary.ts"
import { Check, Child, type Case, type Json, type JsonObject, type Wire } from "../../Vocabulary.ts"

/** A table of cases that speak v0, below `v0/`. */
export const table = (name: string, specs: Vocabulary.Specs): ReadonlyArray<Case> =>
  Vocabulary.table(`v0/${name}`, { dialect: "v0" }, specs)

export interface Exec {
  readonly id: string
  readonly wire: Wire
  /** The result of `command/exec`. */
  readonly result: JsonObject
  readonly bytes: (stream?: string) => Buffer
  readonly text: (stream?: string) => string
  /** The streams of its output, in order. */
  readonly streams: () => ReadonlyArray<Json | undefined>
  /** Waits until the output contains `part`. */
  readonly says: (part: string) => Promise<void>
  readonly exited: () => Promise<number>
  /** Waits until this many bytes of output have arrived. */
  readonly has: (bytes: number) => Promise<void>
  readonly terminate: () => Promise<boolean>
}

export interface StartOptions {
  readonly id?: string
  readonly script?: string
  readonly tty?: boolean
  /** Further members of the params, or other values for the usual ones. */
  readonly params?: JsonObject
}

/** The params of `command/exec`: a shell script in `/tmp` with a plain environment, unless `options` says otherwise. */
export const params = (wire: Wire, options: StartOptions = {}): JsonObject => ({
  processId: options.id ?? `exec-${randomUUID().slice(0, 8)}`,
  argv: ["/bin/sh", "-c", options.script ?? ":"],
  cwd: "/tmp",
  env: wire.childEnv,
  tty: options.tty ?? false,
  ...options.params,
})

export const start = async (wire: Wire, options: StartOptions = {}): Promise<Exec> => {
  const given = params(wire, options)
  const id = Check.text(given["processId"], "processId")
  const from = wire.inbox.messages.length
  const result = await wire.ok("command/exec", given)
  const chunks = () => Child.notified(wire, "command/exec/outputDelta", id, from)
  const bytes = (stream?: string): Buffer =>
    Buffer.concat(
      chunks()
        .filter((chunk) => stream === undefined || chunk["stream"] === stream)
        .map((chunk) => Buffer.from(Check.text(chunk["chunk"], "a chunk"), "base64")),
    )
  const wait = <A>(what: string, pick: () => A | undefined): Promise<A> =>
    wire.inbox.wait(`${what} of process ${id}`, wire.timeoutMs, pick)
  const text = (stream?: string): string => bytes(stream).toString("utf8")
  return {
    id,
    wire,
    result,
    bytes,
    text,
    streams: () => chunks().map((chunk) => chunk["stream"]),
    says: async (part) => {
      await wait(`the output ${JSON.stringify(part)}`, () => (text().includes(part) ? true : undefined))
    },
    has: async (wanted) => {
      await wait(`${wanted} bytes`, () => (bytes().length >= wanted ? true : undefined))
    },
    exited: async () => {
      const event = await wait(
        "command/exec/exited",
        () => Child.notified(wire, "command/exec/exited", id, from)[0],
      )
      return Check.integer(event["exitCode"], "the exitCode of command/exec/exited")
    },
    terminate: () => terminate(wire, id),
  }
}

/** `command/exec/terminate`; returns `running`. */
export const terminate = async (wire: Wire, processId: string): Promise<boolean> => {
  const result = await wire.ok("command/exec/terminate", { processId })
  return Check.flag(result["running"], "running in the result of command/exec/terminate")
}

export const write = async (wire: Wire, processId: string, text: string): Promise<void> => {
  const chunk = Buffer.from(text).toString("base64")
  const result = await wire.ok("command/exec/write", { processId, chunk })
  Check.equal(result, { accepted: true }, "the result of command/exec/write")
}
