/**
 * The options of a start, and the params of `process/start` that they become. Everything but `argv` has a default.
 */
import { FieldWires, type StartFields } from "../features/Wires.ts"
import type { Capabilities, EnvironmentInfo } from "../protocol/Environment.ts"
import { type EnvPolicy, StartParams } from "../protocol/Process.ts"
import type * as Shape from "../protocol/shape/index.ts"
import type { ClientError } from "./ClientError.ts"
import { defaultWindow } from "./FlowControl.ts"
import type { Signal as AbortSignal } from "./GivingUp.ts"
import { invalid, type Names, shown } from "./OptionNames.ts"
import { toUri } from "./RemotePath.ts"

/** The params of `process/start` as on the wire. */
export type Wire = Shape.Encoded<typeof StartParams>

/** Options of `start`. Only `argv` is required. */
export interface StartOptions
  extends Partial<Omit<StartFields, "pid">>, Partial<Omit<Wire, "argv" | "envPolicy" | keyof StartFields>> {
  /** The program, looked up in the PATH of the child's environment, and its arguments. */
  readonly argv: ReadonlyArray<string>
  /** Unique in the session. Default: a random id. */
  readonly processId?: string
  /** A native path, or a `file:` URI. Default, and base of a relative path: the server's directory. */
  readonly cwd?: string
  /** Variables on top of the inherited ones. */
  readonly env?: Readonly<Record<string, string>>
  /** The variables of the server that the child inherits. Default: `core` (PATH, HOME, LANG and the like). */
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
  /**
   * For Codex: the network proxy of the process. Refused where the server lacks the capability `networkProxyLaunch`.
   * Default: none.
   */
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
   * Keeps the output in files of the server, at most so many bytes and at least 1 MiB, for `history`, `grep` and
   * `read`. Refused where the server lacks the capability `outputHistory`. Default: as the server is told.
   */
  readonly history?: Wire["history"]
  /** The name in lists; other processes may have the same. Needs the capability `processList`. */
  readonly name?: string
  /** Labels by which lists find the process, up to 64. Needs the capability `processList`. Default: none. */
  readonly labels?: Readonly<Record<string, string>>
  /** Terminates the process when it aborts: at once, or with `killGraceMs` after SIGTERM and that time. */
  readonly signal?: AbortSignal | undefined
}

/** The fields of a start, each with the capability that it needs; empty for none. */
const startFields = Object.fromEntries(
  Object.entries(StartParams.fields).map(([name, field]: [string, Shape.Member]) => [
    name,
    FieldWires.startNeeds[name] ?? ("needs" in field ? field.needs : undefined) ?? "",
  ]),
) as { readonly [K in keyof Wire]-?: string }

const { pid: _, ...wireNames } = startFields

/** Every option of a start. */
export const names = { ...wireNames, inherit: "", signal: "" } satisfies Names<StartOptions>

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
  for (const [name, capability] of Object.entries(startFields)) {
    const value: unknown = options[name as keyof StartOptions]
    if (value == null || value === false || capability === "" || adjusted.has(name)) continue
    if (capabilities?.[capability as keyof Capabilities] === true) continue
    return lacking(value === true ? `${name}: true` : name, capability)
  }
  return undefined
}

/** Fields that are left out where the server lacks their capability. */
const adjusted: ReadonlySet<string> = new Set(["credit", "terminalSize"])

/** A `Map` or a list of pairs has no members: what it holds would be dropped. */
const isRecord = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !(Symbol.iterator in value)

const isArgv = (argv: unknown): boolean =>
  Array.isArray(argv) && argv.length > 0 && argv.every((word) => typeof word === "string")

/** The error of an option that the server cannot do. */
export const lacking = (option: string, capability: string): ClientError =>
  invalid(`${option} needs a server with the capability ${capability}, which this one lacks`)

/** The type of a terminal for programs in it, where `env` does not say otherwise. */
const terminal = { TERM: "xterm-256color" }
const terminalSize = { rows: 24, columns: 80 }

/**
 * The params of `process/start`. `newId` makes the id if none is given; `decides` if the client answers questions about
 * connections.
 */
export const toParams = (
  options: StartOptions,
  info: EnvironmentInfo,
  newId: () => string,
  decides = false,
): Wire => {
  const { inherit = "core", envPolicy, credit = defaultWindow, signal: _, ...given } = options
  return {
    tty: false,
    ...(given.tty === true ? { terminalSize } : {}),
    ...known({ ending: true, pid: true, egressEvents: true, ...(decides ? { egressAsk: true } : {}) }, info),
    ...given,
    ...known({ credit }, info),
    processId: options.processId ?? newId(),
    cwd: toUri(options.cwd ?? ".", info),
    env: { ...(given.tty === true ? { ...terminal, ...envPolicy?.set } : {}), ...options.env },
    envPolicy:
      envPolicy === undefined
        ? { inherit, ignoreDefaultExcludes: false, exclude: [], set: {}, includeOnly: [] }
        : envPolicy,
  }
}

/** Those fields that the server has. */
const known = (fields: Partial<Wire>, { capabilities }: EnvironmentInfo): Partial<Wire> =>
  Object.fromEntries(
    Object.entries(fields).filter(([name]) => {
      const capability = startFields[name as keyof Wire] as keyof Capabilities
      return capabilities?.[capability] === true
    }),
  )
