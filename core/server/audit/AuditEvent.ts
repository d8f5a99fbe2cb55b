/**
 * What an audit log says, as schemas: one event is one line of JSON.
 *
 * Events name who asked, what for, and how it ended. They never hold what a process reads or prints, the content of
 * files, headers or bodies, or the environment; URLs come without credentials, query and fragment.
 */
import * as Schema from "effect/Schema"

/** Who made a connection, as far as its transport knows. */
export const Peer = Schema.Struct({
  transport: Schema.String.annotations({ description: "stdio, unix, tcp, tls, ws, wss; other in a program" }),
  address: Schema.optional(Schema.String).annotations({ description: "IP and port" }),
  uid: Schema.optional(Schema.Int).annotations({ description: "user id, on a unix socket" }),
  pid: Schema.optional(Schema.Int).annotations({ description: "process id, on a unix socket" }),
  credential: Schema.optional(
    Schema.Struct({
      kind: Schema.Literal("token", "jwt", "certificate", "link"),
      name: Schema.optional(Schema.String),
      issuer: Schema.optional(Schema.String),
      scope: Schema.optional(Schema.Literal("own", "observe", "control")),
    }),
  ).annotations({ description: "what it was admitted by" }),
  scope: Schema.optional(Schema.Literal("own", "observe", "control")).annotations({
    description: "what it may do with the sessions of others",
  }),
})

/** On every line about a request. */
const origin = {
  /** When the line was made: RFC 3339, in UTC, with milliseconds. */
  time: Schema.String,
  /** Counts the connections of a server. */
  connection: Schema.Int,
  peer: Peer,
  /** Absent before the handshake. */
  session: Schema.optional(Schema.String),
}

const request = <N extends string, F extends Schema.Struct.Fields>(name: N, description: string, fields: F) =>
  Schema.Struct({ event: Schema.Literal(name), ...origin, ...fields }).annotations({ description })

/** Why something failed: a closed word such as `NotFound`, never a text. */
const reason = Schema.optional(Schema.String)

/** How far an operation is: its lines share `operation`. Lines with `begun` are written before it begins. */
const operation = {
  operation: Schema.Int,
  outcome: Schema.Literal("begun", "done", "failed"),
}

/** A signal that a client can ask for, by its POSIX name. One without a name is `SIG` and its number. */
export const Signal = Schema.TemplateLiteral("SIG", Schema.String)

/** Its name, as a type. */
export type Signal = typeof Signal.Type

/** Every event, with a description each. */
export const events = [
  Schema.Struct({
    event: Schema.Literal("server.start"),
    time: Schema.String,
    version: Schema.String,
    pid: Schema.Int,
  }).annotations({
    description:
      "a server has opened the log; its predecessor, if killed, has left processes without `process.exit`",
  }),
  request("process.start", "a process is about to be started; it is only if this line could be written", {
    processId: Schema.String,
    argv: Schema.Array(Schema.String),
    arg0: Schema.optional(Schema.String),
    cwd: Schema.String,
    tty: Schema.Boolean,
    confined: Schema.Boolean,
  }),
  request("process.started", "it runs", { processId: Schema.String, pid: Schema.optional(Schema.Int) }),
  request("process.failed", "it could not be started", { processId: Schema.String, reason }),
  request("process.signal", "a client, the one of this line, asks to interrupt or to kill it", {
    processId: Schema.String,
    signal: Signal,
  }),
  request(
    "process.exit",
    "it has ended, and its output with it; without `exitCode` the server ended it and did not learn how",
    {
      processId: Schema.String,
      pid: Schema.optional(Schema.Int),
      start: Schema.String,
      end: Schema.String,
      durationMs: Schema.Number,
      bytes: Schema.Number,
      exitCode: Schema.optional(Schema.Int),
      signal: Schema.optional(Schema.Int),
    },
  ),
  request("file", "a file method; `bytes` of the content that was read or written, `target` of a link", {
    ...operation,
    method: Schema.String,
    path: Schema.String,
    destination: Schema.optional(Schema.String),
    mode: Schema.optional(Schema.Int),
    target: Schema.optional(Schema.String),
    bytes: Schema.optional(Schema.Number),
    reason,
  }),
  request("http", "one HTTP exchange, each redirect being one of its own; `bytes` of the response's body", {
    ...operation,
    method: Schema.String,
    url: Schema.String,
    status: Schema.optional(Schema.Int),
    bytes: Schema.optional(Schema.Number),
    reason,
  }),
  Schema.Struct({
    event: Schema.Literal("audit.lost"),
    time: Schema.String,
    lines: Schema.Int,
  }).annotations({ description: "so many lines before this one could not be written" }),
] as const

/** One line of the log. */
export const Event = Schema.Union(...events)

/** One line of the log. */
export type Event = typeof Event.Type
