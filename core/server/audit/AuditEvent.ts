/**
 * The events of an audit log, as shapes: one event is one line of JSON.
 *
 * Events name who asked, what for, and how it ended. They never hold what a process reads or prints, the content of
 * files, headers or bodies, or the environment; URLs come without credentials, query and fragment.
 */
import * as Shape from "../../protocol/shape/index.ts"
import { wrongType } from "../../protocol/shape/Shape.ts"

const scope = Shape.optional(Shape.words("own", "observe", "control"))
const int = Shape.int("Int")

/** The maker of a connection, as far as its transport knows. */
export const Peer = Shape.struct("Peer", {
  /** `stdio`, `unix`, `tcp`, `tls`, `ws`, `wss`; `other` in a program. */
  transport: Shape.string,
  /** IP and port. */
  address: Shape.optional(Shape.string),
  /** The user id, on a unix socket. */
  uid: Shape.optional(int),
  /** The process id, on a unix socket. */
  pid: Shape.optional(int),
  /** The credential that it was admitted by. */
  credential: Shape.optional(
    Shape.struct("Credential", {
      kind: Shape.words("token", "jwt", "certificate", "link"),
      name: Shape.optional(Shape.string),
      issuer: Shape.optional(Shape.string),
      scope,
    }),
  ),
  /** Its rights on the sessions of others. */
  scope,
})

/** On every line about a request. */
const origin = {
  /** The time of the line: RFC 3339, in UTC, with milliseconds. */
  time: Shape.string,
  /** Counts the connections of a server. */
  connection: int,
  peer: Peer,
  /** Absent before the handshake. */
  session: Shape.optional(Shape.string),
}

/** An event: its name, and what it says. */
const event = <const N extends string, F extends Shape.Fields>(name: N, says: string, fields: F) => ({
  ...Shape.struct(name, { event: Shape.words(name), ...fields }),
  says,
})

const request = <const N extends string, F extends Shape.Fields>(name: N, says: string, fields: F) =>
  event(name, says, { ...origin, ...fields })

/** The reason of a failure: a closed word such as `NotFound`, never a text. */
const reason = Shape.optional(Shape.string)

/** The phase of an operation: its lines share `operation`. Lines with `begun` are written before it begins. */
const operation = {
  operation: int,
  outcome: Shape.words("begun", "done", "failed"),
}

/** A signal that a client can ask for, by its POSIX name. One without a name is `SIG` and its number. */
export const Signal = Shape.leaf<`SIG${string}`>({ type: "string", pattern: "^SIG" }, (json, reading) => {
  if (typeof json === "string" && json.startsWith("SIG")) return json
  throw wrongType(json, "a signal", reading)
})

/** Its name, as a type. */
export type Signal = typeof Signal.Type

/** Every event, with a description each. */
export const events = [
  event(
    "server.start",
    "a server has opened the log; its predecessor, if killed, has left processes without `process.exit`",
    { time: Shape.string, version: Shape.string, pid: int },
  ),
  request("process.start", "a process is about to be started; it is only if this line could be written", {
    processId: Shape.string,
    argv: Shape.list(Shape.string),
    arg0: Shape.optional(Shape.string),
    cwd: Shape.string,
    tty: Shape.boolean,
    confined: Shape.boolean,
  }),
  request("process.started", "it runs", { processId: Shape.string, pid: Shape.optional(int) }),
  request("process.failed", "it could not be started", { processId: Shape.string, reason }),
  request("process.signal", "a client, the one of this line, asks to interrupt or to kill it", {
    processId: Shape.string,
    signal: Signal,
  }),
  request(
    "process.exit",
    "it has ended, and its output with it; without `exitCode` the server ended it and did not learn how",
    {
      processId: Shape.string,
      pid: Shape.optional(int),
      start: Shape.string,
      end: Shape.string,
      durationMs: Shape.number,
      bytes: Shape.number,
      exitCode: Shape.optional(int),
      signal: Shape.optional(int),
    },
  ),
  request("file", "a file method; `bytes` of the content that was read or written, `target` of a link", {
    ...operation,
    method: Shape.string,
    path: Shape.string,
    destination: Shape.optional(Shape.string),
    mode: Shape.optional(int),
    target: Shape.optional(Shape.string),
    bytes: Shape.optional(Shape.number),
    reason,
  }),
  request("http", "one HTTP exchange, each redirect being one of its own; `bytes` of the response's body", {
    ...operation,
    method: Shape.string,
    url: Shape.string,
    status: Shape.optional(int),
    bytes: Shape.optional(Shape.number),
    reason,
  }),
  request("egress", "a process asked for a connection under egress rules; `rule` allowed or denied it", {
    processId: Shape.string,
    protocol: Shape.string,
    host: Shape.string,
    port: int,
    allowed: Shape.boolean,
    rule: Shape.optional(Shape.string),
    reason,
  }),
  event("audit.lost", "so many lines before this one could not be written", {
    time: Shape.string,
    lines: int,
  }),
] as const

/** One line of the log. */
export const Event = Shape.anyOf(...events)

/** One line of the log. */
export type Event = typeof Event.Type
