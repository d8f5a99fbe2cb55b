/**
 * Params and results of the process methods, and the notifications about processes.
 *
 * `seq` counts from 1 for each process, over output, exited and closed together; closed has the highest.
 */
import * as Shape from "./shape/index.ts"
import * as Features from "../features/FieldWires.ts"
import { I32, U16, U53, U64, Usize } from "./Integers.ts"
import * as PathUri from "./PathUri.ts"
import { EndedBy, ResourceLimit } from "./Ending.ts"
import { Sandbox } from "./Sandbox.ts"
import { Signal } from "./Signal.ts"
import { Uuid } from "./Uuid.ts"

/** The most characters of a name or of the key of a label, and of the value of a label, and the most labels. */
export const mostNaming = { name: 256, value: 1024, labels: 64 } as const

/** The labels of a process. */
export const Labels = Shape.map(Shape.string)

/**
 * Fields of a start. A name need not be unique. Names and keys have 1 to 256 characters, values at most 1,024; a
 * process has at most 64 labels.
 */
export const Naming = {
  /** A name for lists, of 1 to 256 characters; need not be unique. */
  name: Shape.beyond(Shape.string, "processList"),
  labels: Shape.beyond(Labels, "processList"),
}

/** Chosen by the client, unique in its session. Any string, even an empty one. */
const ProcessId = Shape.string
const Strings = Shape.map(Shape.string)

/** The environment variables of the server that a child inherits. Patterns are case-insensitive, with `*` and `?`. */
export const EnvPolicy = Shape.struct("ExecEnvPolicy", {
  inherit: Shape.words("core", "all", "none"),
  ignoreDefaultExcludes: Shape.boolean,
  /** Patterns of names that are not inherited. */
  exclude: Shape.list(Shape.string),
  /** Variables to set, which no `exclude` drops. */
  set: Strings,
  /** Patterns of the only names that are kept; empty keeps all. */
  includeOnly: Shape.list(Shape.string),
})
/** The environment variables that a child inherits. */
export type EnvPolicy = typeof EnvPolicy.Type

/** The size of a PTY in character cells. */
export const TerminalSize = Shape.struct("TerminalSize", { rows: U16, columns: U16 })
/** The size of a PTY in character cells. */
export type TerminalSize = typeof TerminalSize.Type

/** The thread and the call that a start belongs to, for logs. */
const Metadata = Shape.struct("ExecMetadata", {
  /** The thread of the client that starts the process, as a UUID. */
  threadId: Shape.omittable(Uuid),
  /** The call of a tool that starts the process. */
  toolCallId: Shape.omittable(Shape.string),
})

/** The managed network of a confined process. */
const ManagedNetwork = Shape.struct("ManagedNetworkSandboxContext", {
  /** True if all TCP goes through the network proxy; refused without one. */
  transparentTcp: Shape.flag,
  /** The ports of the host itself that may be reached. */
  loopbackPorts: Shape.optional(Shape.list(U16)),
  /** True if the process may listen. */
  allowLocalBinding: Shape.optional(Shape.boolean),
})

/** The configuration of a proxy for one process. */
export interface NetworkProxyConfig {
  /** True asks for connections that programs open without knowing of the proxy, which is refused. Default: false. */
  readonly transparentTcp?: boolean
  readonly [option: string]: unknown
}

/** The settings of a network proxy. A server with the capability `networkProxyLaunch` reads others, too. */
const NetworkProxyConfig = Shape.struct("RemoteNetworkProxyConfig", {
  /** True if all TCP of a sandbox goes through it. */
  transparentTcp: Shape.flag,
}) as unknown as Shape.Shape<NetworkProxyConfig>

/** A network proxy for the process. */
const NetworkProxyFields = Shape.struct("RemoteNetworkProxyLaunchConfig", { proxy: NetworkProxyConfig })

/** The same, with all that was sent: the feature that carries it out judges it. */
const NetworkProxy: typeof NetworkProxyFields = {
  ...NetworkProxyFields,
  read: (json, reading) => Object.assign(NetworkProxyFields.read(json, reading) as object, { sent: json }),
}

/** The shell of a snapshot. */
const ShellInfo = Shape.struct("ShellInfo", {
  /** Its base name. */
  name: Shape.string,
  /** Its native path. */
  path: Shape.string,
})

/** A snapshot of the user's shell in which a command is to run. */
const ShellSnapshot = Shape.struct("ShellSnapshotRequest", {
  /** The owner of the snapshot. */
  scopeId: Shape.string,
  shell: ShellInfo,
})

/**
 * `cwd` is a `file:` URI (or, from earlier clients, an absolute native path). `env` is added to what the policy gives;
 * without a policy it is the whole environment. `arg0` replaces the `argv[0]` that the child sees.
 */
export const StartParams = Shape.struct("WireExecParams", {
  processId: ProcessId,
  /** The thread and the call that the start belongs to, for logs. */
  metadata: Shape.nullable(Metadata),
  /** The program and its arguments, at least one; looked for in `PATH` without a slash. */
  argv: Shape.list(Shape.string),
  /** The working directory, as a `file:` URI; earlier clients send a native path. */
  cwd: PathUri.UriOrPath,
  /** The variables of the server that are inherited; absent is none. */
  envPolicy: Shape.nullable(EnvPolicy),
  /** Runs the command in a snapshot of the user's shell. */
  shellSnapshot: Shape.nullable(ShellSnapshot),
  /** Variables, added to those of the policy. */
  env: Strings,
  /** True for a PTY; else pipes. */
  tty: Shape.boolean,
  /** True if stdin is a pipe to write to, without a PTY; else it is empty. */
  pipeStdin: Shape.flag,
  /** The `argv[0]` that the process sees. */
  arg0: Shape.nullable(Shape.string),
  sandbox: Shape.nullable(Sandbox),
  /** True if the process may use only the managed network. */
  enforceManagedNetwork: Shape.flag,
  /**
   * The managed network; an array of its fields, in their order, stands for the object, and may end early.
   */
  managedNetwork: Shape.nullable(ManagedNetwork),
  /** The network proxy. */
  networkProxy: Shape.nullable(NetworkProxy),
  /** With the capability `processResize`: the size of the PTY; the default is 24 rows of 80 columns. */
  terminalSize: Shape.beyond(TerminalSize, "processResize"),
  ...Naming,
  ...Features.startFields,
})
/** Decoded params of `process/start`. */
export type StartParams = typeof StartParams.Type

/** `sandboxType` is `none` for a start without `sandbox`. Another one names the confinement of the platform, if any was asked for. */
export const StartResult = Shape.struct("ExecResponse", {
  processId: ProcessId,
  /** `none`, or the confinement of the platform that was used. */
  sandboxType: Shape.words("none", "linuxSeccomp", "macosSeatbelt", "windowsRestrictedToken"),
  ...Features.startedFields,
})

/**
 * Asks for chunks with a seq above `afterSeq`, at most `maxBytes` decoded bytes. If there is none and the process is
 * not closed, the answer waits for one, up to `waitMs` milliseconds (long poll).
 */
export const ReadParams = Shape.struct("ReadParams", {
  processId: ProcessId,
  afterSeq: Shape.nullable(U64),
  /** The most bytes to return; one chunk at least. */
  maxBytes: Shape.nullable(Usize),
  /** The time to wait for output, if there is none yet; absent is not at all. */
  waitMs: Shape.nullable(U64),
})
/** Decoded params of `process/read`. */
export type ReadParams = typeof ReadParams.Type

/** The origin of output; `pty` is stdout and stderr of a process with a PTY. */
export const OutputStream = Shape.words("stdout", "stderr", "pty")
/** The origin of output. */
export type OutputStream = typeof OutputStream.Type

/** A piece of output, at most 64 KiB. A UTF-8 character may be split over two chunks. */
export const Chunk = Shape.struct("ProcessOutputChunk", {
  seq: U64,
  stream: OutputStream,
  chunk: Shape.bytes,
})

export type { ClosedFields, ReadFields, StartedFields } from "../features/FieldWires.ts"
export { EndedBy, ResourceLimit } from "./Ending.ts"
export type { Signal, SignalName } from "./Signals.ts"

/** Of a process that a bound of its server has ended. Absent otherwise, and where the server has no such bound. */
const overLimit = {
  limit: Shape.optional(ResourceLimit),
  oomKilled: Shape.optional(Shape.boolean),
}

/**
 * The cause of the end of a process, and the number of the signal that it died of, if its start has asked for that or
 * named a deadline, or if it was terminated with a grace.
 */
const ending = { endedBy: Shape.optional(EndedBy), signal: Shape.optional(U53) }

/**
 * `nextSeq - 1` is the `afterSeq` of the next read. `failure` is always null. A closed process has its receipt, if its
 * start has asked for one. With the capability `outputHistory`, a read without `maxBytes` may have less than all there
 * is: then `more` is true, the rest tells of the process as if it had printed no more, and the next read goes on there.
 */
export const ReadResult = Shape.struct("ReadResponse", {
  chunks: Shape.list(Chunk),
  nextSeq: U64,
  exited: Shape.boolean,
  exitCode: Shape.nullOr(I32),
  closed: Shape.boolean,
  /** Always null. */
  failure: Shape.nullOr(Shape.string),
  sandboxDenied: Shape.withDefault(Shape.boolean, () => false),
  ...overLimit,
  ...ending,
  ...Features.closedFields,
  /** True if the answer was cut, so that the next read goes on at once. */
  more: Shape.optional(Shape.boolean),
  ...Features.readFields,
})
/** The result of `process/read`. */
export type ReadResult = typeof ReadResult.Type

/** A write with a `writeId` that was accepted before is accepted again without being written again. */
export const WriteParams = Shape.struct("WriteParams", {
  processId: ProcessId,
  /** The bytes to write, as standard padded base64. */
  chunk: Shape.bytes,
  /**
   * A write with an id that was accepted before is accepted again, and not written again; only servers of
   * clients of spring 2026 take a write without one.
   */
  writeId: Shape.optional(Shape.string, "required"),
})
/** Decoded params of `process/write`. */
export type WriteParams = typeof WriteParams.Type

/** `accepted` means that the bytes are queued for stdin. */
export const WriteResult = Shape.struct("WriteResponse", {
  /** `accepted`: the bytes are queued for stdin. */
  status: Shape.words("accepted", "unknownProcess", "stdinClosed", "starting"),
})

/** Sends a signal to the process group: one of the words, or with the capability `processDeadlines` any name or number. */
export const SignalParams = Shape.struct("SignalParams", {
  processId: ProcessId,
  /** The signal, for the whole process group. */
  signal: Signal,
})

/**
 * Kills the process group. With the capability `processDeadlines` and `signal` or `graceMs` it sends the signal first
 * (the default is SIGTERM), and kills what is left of the process and its descendants after the grace (the default is
 * that of the start). The answer does not wait for that. With the capability `processAttach` and `remove`, the process
 * is forgotten as soon as it is closed, at once if it is.
 */
export const TerminateParams = Shape.struct("TerminateParams", {
  processId: ProcessId,
  /** The signal that is sent first. */
  signal: Shape.ignorable(Signal),
  /** The time that is left to the group after the signal, before it is killed. */
  graceMs: Shape.beyond(U53),
  /** True if the process is forgotten as soon as it is closed, at once if it is. */
  remove: Shape.beyond(Shape.boolean),
})

/** `running` is true if the process was alive when the request came. */
export const TerminateResult = Shape.struct("TerminateResponse", {
  /** True if the process was alive when the request came. */
  running: Shape.boolean,
})

/** With the capability `processResize`: sets the size of the PTY, whose foreground process group gets SIGWINCH. */
export const ResizeParams = Shape.struct("ResizeParams", { processId: ProcessId, ...TerminalSize.fields })

/** With the capability `processCloseStdin`: closes a piped stdin after what was written before. */
export const CloseStdinParams = Shape.struct("CloseStdinParams", { processId: ProcessId })

/** A piece of output, as soon as it is there. */
export const OutputParams = Shape.struct("ExecOutputDeltaNotification", {
  processId: ProcessId,
  seq: U64,
  stream: OutputStream,
  chunk: Shape.bytes,
})

/** The process has exited; output may still follow. `exitCode` is 128 + n after death by signal n. */
export const ExitedParams = Shape.struct("ExecExitedNotification", {
  processId: ProcessId,
  seq: U64,
  exitCode: I32,
  sandboxDenied: Shape.withDefault(Shape.boolean, () => false),
  ...overLimit,
  ...ending,
})

/** The process has exited and no output follows. `receipt` is there if its start has asked for it. */
export const ClosedParams = Shape.struct("ExecClosedNotification", {
  processId: ProcessId,
  seq: U64,
  ...Features.closedFields,
})
