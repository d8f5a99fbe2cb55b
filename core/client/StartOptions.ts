/**
 * The options of a start, and the params of `process/start` that they become. Everything but `argv` has a default.
 */
import type * as Schema from "effect/Schema"
import type { EnvironmentInfo } from "../protocol/Environment.ts"
import type { EnvPolicy, Signal, StartParams } from "../protocol/Process.ts"
import type { ClientError } from "./ClientError.ts"
import { defaultWindow } from "./FlowControl.ts"
import type { Signal as AbortSignal } from "./GivingUp.ts"
import { invalid, type Names, shown } from "./OptionNames.ts"
import { toUri } from "./RemotePath.ts"

/** The params of `process/start` as on the wire. */
export type Wire = Schema.Schema.Encoded<typeof StartParams>

/** What to start. Only `argv` is required. */
export interface StartOptions extends Partial<Omit<Wire, "argv" | "envPolicy" | "pid">> {
  /** The program, looked up in the PATH of the child's environment, and its arguments. */
  readonly argv: ReadonlyArray<string>
  /** Unique in the session. Default: a random id. */
  readonly processId?: string
  /** A native path, or a `file:` URI. Default, and base of a relative path: the server's directory. */
  readonly cwd?: string
  /** Variables on top of the inherited ones. */
  readonly env?: Readonly<Record<string, string>>
  /** Which of the server's variables the child inherits. Default: `core` (PATH, HOME, LANG and the like). */
  readonly inherit?: EnvPolicy["inherit"]
  /** Replaces `inherit` with a whole policy. With null nothing is inherited: `env` is the whole environment. */
  readonly envPolicy?: EnvPolicy | null
  /**
   * Runs the process in a PTY, whose output is the stream `pty`, with `TERM=xterm-256color` unless `env` or `envPolicy`
   * sets another. Default: false, pipes for stdout and stderr.
   */
  readonly tty?: boolean
  /** The size of the PTY, in characters. Default: 24 rows, 80 columns. Needs the capability `processResize`. */
  readonly terminalSize?: Wire["terminalSize"]
  /**
   * Gives a process without `tty` a stdin that `write` and `closeStdin` go to. Default: false, stdin is empty and
   * `write` rejects.
   */
  readonly pipeStdin?: boolean
  /** Replaces the `argv[0]` that the process sees. Default: as given in `argv`. */
  readonly arg0?: Wire["arg0"]
  /**
   * The profile that confines the process. Default: it is not confined. A server that cannot enforce the profile
   * refuses the start.
   */
  readonly sandbox?: Wire["sandbox"]
  /** For Codex: which thread and which tool call of an agent the process belongs to. procwire ignores it. Default: none. */
  readonly metadata?: Wire["metadata"]
  /** For Codex: whether the process must use the managed network. procwire ignores it. Default: false. */
  readonly enforceManagedNetwork?: boolean
  /** For Codex: the managed network of the process. procwire ignores it. Default: none. */
  readonly managedNetwork?: Wire["managedNetwork"]
  /** For Codex: the network proxy of the process. procwire refuses a start with one. Default: none. */
  readonly networkProxy?: Wire["networkProxy"]
  /** For Codex: the shell snapshot that the process begins with. procwire refuses a start with one. Default: none. */
  readonly shellSnapshot?: Wire["shellSnapshot"]
  /**
   * The most bytes of output that wait in this client for a consumer that does not read on; then this process waits,
   * and no other. From 65,536. Default: 1 MiB. Null is no bound for this process: its consumers stop the whole
   * connection, as they do where the server lacks the capability `processCredit`.
   */
  readonly credit?: Wire["credit"]
  /**
   * Asks for a receipt, which `receipt` of the process compares with what has arrived. A start with true is refused
   * where the server lacks the capability `processReceipt`. Default: false.
   */
  readonly receipt?: boolean
  /**
   * Keeps the output in files of the server, at most so many bytes and at least 1 MiB, for `history`, `grep` and
   * `read`. Refused where the server lacks the capability `outputHistory`. Default: as the server is told.
   */
  readonly history?: Wire["history"]
  /**
   * The longest that the process may run, in milliseconds from its spawn: the server ends it then, be this client
   * there or not. Needs the capability `processDeadlines`, as do the next four. Default: no bound.
   */
  readonly timeoutMs?: number
  /** The longest that the process may run without output, in milliseconds. Default: no bound. */
  readonly idleTimeoutMs?: number
  /** From the signal that asks the process to end to the SIGKILL of what is left, in milliseconds. Default: 5,000. */
  readonly killGraceMs?: number
  /** What asks the process to end at a deadline. Default: SIGTERM. */
  readonly signalOnTimeout?: Signal
  /** Whether `exited` says what has ended the process. Default: true where the server can. */
  readonly ending?: boolean
  /**
   * Tells the marks of shell integration in the output (OSC 133 and 633) as events of their own. A start with true is
   * refused where the server lacks the capability `processMarks`. Default: false.
   */
  readonly marks?: boolean
  /**
   * Answers what the process asks its terminal (DA1, DSR 5 and CPR: what it is, whether it works, where its cursor is)
   * while nobody but this client may write to it: programs such as fish and vim wait for that. Only for a PTY whose
   * output is not shown in a terminal, which would answer, too. Refused without `tty: true`, and where the server
   * lacks the capability `processAnswers`. Default: false.
   */
  readonly answers?: boolean
  /** What lists call the process; other processes may have the same name. Needs the capability `processList`. */
  readonly name?: string
  /** What lists find the process by, up to 64 of them. Needs the capability `processList`. Default: none. */
  readonly labels?: Readonly<Record<string, string>>
  /**
   * Keeps the process, also when it has ended, until it is removed (`remove: true` of `end`), and its session as long:
   * it goes on without this client. Needs the capability `processControlAll`. Default: false.
   */
  readonly keep?: boolean
  /**
   * When the child is followed by another one in the same process: `policy` is `no` (by `restart` alone), `onFailure`
   * or `always`, `most` how often without a client. Refused where the server lacks the capability `processRestart`.
   * Default: never.
   */
  readonly restart?: Wire["restart"]
  /**
   * Removes the process as soon as it is closed, also one with `keep`; who is attached then still gets all of its
   * output. A start with true is refused where the server lacks the capability `processAutoRemove`. Default: false.
   */
  readonly autoRemove?: boolean
  /** Terminates the process when it aborts: at once, or with `killGraceMs` after SIGTERM and that time. */
  readonly signal?: AbortSignal | undefined
}

/** Every option of a start. */
export const names = {
  argv: true,
  processId: true,
  cwd: true,
  env: true,
  inherit: true,
  envPolicy: true,
  tty: true,
  terminalSize: true,
  pipeStdin: true,
  arg0: true,
  metadata: true,
  sandbox: true,
  enforceManagedNetwork: true,
  managedNetwork: true,
  networkProxy: true,
  shellSnapshot: true,
  credit: true,
  receipt: true,
  history: true,
  timeoutMs: true,
  idleTimeoutMs: true,
  killGraceMs: true,
  signalOnTimeout: true,
  ending: true,
  name: true,
  labels: true,
  marks: true,
  answers: true,
  keep: true,
  restart: true,
  autoRemove: true,
  signal: true,
} satisfies Names<StartOptions>

/** Why there can be no start with these options, or not on this server: undefined if there can. */
export const refusal = (
  options: StartOptions,
  { capabilities }: EnvironmentInfo,
): ClientError | undefined => {
  // Programs in JavaScript may have forgotten it, or the options altogether.
  const {
    argv,
    env = {},
    labels = {},
  } = (options ?? {}) as Readonly<Record<"argv" | "env" | "labels", unknown>>
  if (!isArgv(argv)) {
    const expected = 'an array of at least one string, as in { argv: ["ls", "-l"] }'
    return invalid(`argv must be ${expected}, not ${shown(argv)}`)
  }
  if (!isRecord(env)) {
    return invalid(`env must be an object of strings, as in { env: { LANG: "C" } }, not ${shown(env)}`)
  }
  if (!isRecord(labels)) {
    return invalid(
      `labels must be an object of strings, as in { labels: { app: "web" } }, not ${shown(labels)}`,
    )
  }
  if (options.receipt === true && capabilities?.processReceipt !== true) {
    return lacking("receipt: true", "processReceipt")
  }
  if (options.history != null && capabilities?.outputHistory !== true) {
    return lacking("history", "outputHistory")
  }
  if (options.marks === true && capabilities?.processMarks !== true) {
    return lacking("marks: true", "processMarks")
  }
  if (options.answers === true && capabilities?.processAnswers !== true) {
    return lacking("answers: true", "processAnswers")
  }
  if (options.keep === true && capabilities?.processControlAll !== true) {
    return lacking("keep: true", "processControlAll")
  }
  if (options.restart != null && capabilities?.processRestart !== true) {
    return lacking("restart", "processRestart")
  }
  if (options.autoRemove === true && capabilities?.processAutoRemove !== true) {
    return lacking("autoRemove: true", "processAutoRemove")
  }
  const named = (["name", "labels"] as const).find((name) => options[name] !== undefined)
  if (named !== undefined && capabilities?.processList !== true) return lacking(named, "processList")
  const timed = deadlines.find((name) => options[name] !== undefined)
  return timed === undefined || capabilities?.processDeadlines === true
    ? undefined
    : lacking(timed, "processDeadlines")
}

/** A `Map` or a list of pairs has no members: what it holds would be dropped. */
const isRecord = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !(Symbol.iterator in value)

const isArgv = (argv: unknown): boolean =>
  Array.isArray(argv) && argv.length > 0 && argv.every((word) => typeof word === "string")

const deadlines = ["timeoutMs", "idleTimeoutMs", "killGraceMs", "signalOnTimeout", "ending"] as const

/** The error of an option that the server cannot do. */
export const lacking = (option: string, capability: string): ClientError =>
  invalid(`${option} needs a server with the capability ${capability}, which this one lacks`)

/** What a terminal is, for programs in it, where `env` does not say otherwise. */
const terminal = { TERM: "xterm-256color" }
const terminalSize = { rows: 24, columns: 80 }

/** The params of `process/start`. `newId` makes the id if none is given. */
export const toParams = (options: StartOptions, info: EnvironmentInfo, newId: () => string): Wire => {
  const { inherit = "core", envPolicy, credit = defaultWindow, signal: _, ...given } = options
  return {
    tty: false,
    ...(given.tty === true ? { terminalSize } : {}),
    ...(info.capabilities?.processDeadlines === true ? { ending: true } : {}),
    ...(info.capabilities?.processPid === true ? { pid: true } : {}),
    ...given,
    ...(info.capabilities?.processCredit === true ? { credit } : {}),
    processId: options.processId ?? newId(),
    cwd: toUri(options.cwd ?? ".", info),
    env: { ...(given.tty === true ? { ...terminal, ...envPolicy?.set } : {}), ...options.env },
    envPolicy:
      envPolicy === undefined
        ? { inherit, ignoreDefaultExcludes: false, exclude: [], set: {}, includeOnly: [] }
        : envPolicy,
  }
}
