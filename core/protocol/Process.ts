/**
 * The process methods: start, read, write, signal, terminate, and the notifications that follow.
 *
 * `seq` counts from 1 for each process, over output, exited and closed together; closed has the highest.
 */
import * as Schema from "effect/Schema"
import { Base64 } from "./Bytes.ts"
import { I32, U16, U64 } from "./Integers.ts"
import { Sandbox } from "./Sandbox.ts"

/** Chosen by the client, unique in its session. Any string, also an empty one. */
const ProcessId = Schema.String
const Strings = Schema.Record({ key: Schema.String, value: Schema.String })
const Anything = Schema.Record({ key: Schema.String, value: Schema.Unknown })
const nothing = (identifier: string) =>
  Schema.Struct({}).annotations({ identifier, jsonSchema: { type: "object" } })
const flag = Schema.optionalWith(Schema.Boolean, { default: () => false })
const nullable = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(Schema.NullOr(schema))

/** Which of the server's variables a child inherits. Patterns are case-insensitive, with `*` and `?`. */
export const EnvPolicy = Schema.Struct({
  inherit: Schema.Literal("core", "all", "none"),
  ignoreDefaultExcludes: Schema.Boolean,
  exclude: Schema.Array(Schema.String),
  set: Strings,
  includeOnly: Schema.Array(Schema.String),
}).annotations({ identifier: "ExecEnvPolicy" })
export type EnvPolicy = typeof EnvPolicy.Type

/** A PTY's size in character cells. */
export const TerminalSize = Schema.Struct({ rows: U16, columns: U16 }).annotations({
  identifier: "TerminalSize",
})
export type TerminalSize = typeof TerminalSize.Type

/**
 * `cwd` is a `file:` URI (or, from earlier clients, an absolute native path). `env` overlays what the
 * policy gives, and is the whole environment without one. `arg0` replaces the `argv[0]` the child sees.
 */
export const StartParams = Schema.Struct({
  processId: ProcessId,
  metadata: nullable(Schema.Struct({ threadId: nullable(Schema.UUID), toolCallId: nullable(Schema.String) })),
  argv: Schema.Array(Schema.String),
  cwd: Schema.String,
  envPolicy: nullable(EnvPolicy),
  env: Strings,
  tty: Schema.Boolean,
  pipeStdin: flag,
  arg0: nullable(Schema.String),
  sandbox: nullable(Sandbox),
  enforceManagedNetwork: flag,
  managedNetwork: nullable(Anything),
  networkProxy: nullable(Anything),
  shellSnapshot: nullable(Anything),
  /** With the capability `processResize`: the size of a `tty`, else 24 rows of 80 columns. */
  terminalSize: nullable(TerminalSize),
}).annotations({ identifier: "ExecParams" })
export type StartParams = typeof StartParams.Type

export const StartResult = Schema.Struct({
  processId: ProcessId,
  sandboxType: Schema.Literal("none", "linuxSeccomp", "macosSeatbelt", "windowsRestrictedToken"),
}).annotations({ identifier: "ExecResponse" })

/** Chunks with a seq above `afterSeq`, at most `maxBytes` decoded bytes, waiting up to `waitMs`. */
export const ReadParams = Schema.Struct({
  processId: ProcessId,
  afterSeq: nullable(U64),
  maxBytes: nullable(U64),
  waitMs: nullable(U64),
}).annotations({ identifier: "ReadParams" })
export type ReadParams = typeof ReadParams.Type

export const OutputStream = Schema.Literal("stdout", "stderr", "pty")
export type OutputStream = typeof OutputStream.Type

/** One piece of output, at most 64 KiB of whatever the child wrote; UTF-8 may be split. */
export const Chunk = Schema.Struct({ seq: U64, stream: OutputStream, chunk: Base64 }).annotations({
  identifier: "ProcessOutputChunk",
})

/** `nextSeq - 1` is the `afterSeq` to go on with. `failure` is null on the wire. */
export const ReadResult = Schema.Struct({
  chunks: Schema.Array(Chunk),
  nextSeq: U64,
  exited: Schema.Boolean,
  exitCode: Schema.NullOr(I32),
  closed: Schema.Boolean,
  failure: Schema.NullOr(Schema.String),
  sandboxDenied: Schema.optionalWith(Schema.Boolean, { default: () => false }),
}).annotations({ identifier: "ReadResponse" })
export type ReadResult = typeof ReadResult.Type

/** A `writeId` that was accepted before is accepted again and written once. */
export const WriteParams = Schema.Struct({
  processId: ProcessId,
  chunk: Base64,
  writeId: Schema.optional(Schema.String),
}).annotations({ identifier: "WriteParams" })
export type WriteParams = typeof WriteParams.Type

export const WriteResult = Schema.Struct({
  status: Schema.Literal("accepted", "unknownProcess", "stdinClosed", "starting"),
}).annotations({ identifier: "WriteResponse" })

export const SignalParams = Schema.Struct({
  processId: ProcessId,
  signal: Schema.Literal("interrupt"),
}).annotations({ identifier: "SignalParams" })

export const SignalResult = nothing("SignalResponse")

export const TerminateParams = Schema.Struct({ processId: ProcessId }).annotations({
  identifier: "TerminateParams",
})

/** `running` is true if the call found the process alive. */
export const TerminateResult = Schema.Struct({ running: Schema.Boolean }).annotations({
  identifier: "TerminateResponse",
})

/** With the capability `processResize`: the program in the PTY sees SIGWINCH. */
export const ResizeParams = Schema.Struct({ processId: ProcessId, ...TerminalSize.fields }).annotations({
  identifier: "ResizeParams",
})

export const ResizeResult = nothing("ResizeResponse")

/** With the capability `processCloseStdin`: a piped stdin ends behind what was written before. */
export const CloseStdinParams = Schema.Struct({ processId: ProcessId }).annotations({
  identifier: "CloseStdinParams",
})

export const CloseStdinResult = nothing("CloseStdinResponse")

export const OutputParams = Schema.Struct({
  processId: ProcessId,
  seq: U64,
  stream: OutputStream,
  chunk: Base64,
}).annotations({ identifier: "ExecOutputDeltaNotification" })

/** Death by signal n is `exitCode` 128 + n. */
export const ExitedParams = Schema.Struct({
  processId: ProcessId,
  seq: U64,
  exitCode: I32,
  sandboxDenied: Schema.optionalWith(Schema.Boolean, { default: () => false }),
}).annotations({ identifier: "ExecExitedNotification" })

/** The process has exited and no output follows. */
export const ClosedParams = Schema.Struct({ processId: ProcessId, seq: U64 }).annotations({
  identifier: "ExecClosedNotification",
})
