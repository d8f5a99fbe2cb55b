/** The flags of `procwire run`: which server, which command, and how. */
import { randomBytes } from "node:crypto"
import { basename, resolve } from "node:path"
import process from "node:process"
import * as NativePath from "../../../core/protocol/NativePath.ts"
import * as ArgumentBytes from "./words/ArgumentBytes.ts"
import * as WorkingDirectory from "../host/WorkingDirectory.ts"
import * as Effect from "effect/Effect"
import type * as TextFile from "../host/TextFile.ts"
import type { ReconnectPolicy } from "../../../core/client/ReconnectPolicy.ts"
import * as ProcessName from "../../../core/client/ProcessName.ts"
import type { StartOptions } from "../../../core/client/StartOptions.ts"
import type { Given, Parse } from "./Command.ts"
import * as EnvFlag from "./EnvFlag.ts"
import * as SpawnerFlag from "./SpawnerFlag.ts"
import * as TargetFlags from "./TargetFlags.ts"
import { environment } from "../host/NodeHost.ts"
import type { ToOptions } from "./features/Feature.ts"
import * as Features from "./features/Features.ts"
import * as Flags from "./Flags.ts"

const readLabel = (text: string): Effect.Effect<readonly [key: string, value: string], Flags.UsageError> => {
  const [, key, value = ""] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  return key === undefined
    ? Flags.wrong(`invalid value '${text}' for '--label': expected KEY=VALUE`)
    : Effect.succeed([key, value] as const)
}

export const flags = {
  detach: Flags.toggle(
    "in the background: prints its name; it lives on without a client until procwire rm; on a server of your own " +
      "unless another is named",
    "d",
  ),
  name: {
    ...Flags.text("NAME", "what the other commands call it [default: made from the command]"),
    needs: "detach",
  },
  label: {
    ...Flags.texts("K=V", "what ps finds it by; may be repeated", { short: "l" }),
    read: readLabel,
    needs: "detach",
  },
  rm: Flags.toggle(
    "have the server forget it as soon as it has ended; without, it does when the session of this client ends, and " +
      "with --detach at procwire rm",
  ),
  ...(Features.flags as object),
  interactive: Flags.toggle(
    "with --detach: keep its stdin open for procwire write; without, stdin is always forwarded",
    "i",
  ),
  tty: Flags.toggle("give the command a PTY of this terminal's size; for shells, editors, top", "t"),
  ...TargetFlags.flags,
  ...SpawnerFlag.flags,
  reconnect: Flags.duration(
    "with a server at a URL: how long a lost connection is tried to be replaced, as in 500ms, 30s or 2m; with 0 its " +
      "loss is final [default: 25s]",
  ),
  workdir: Flags.text(
    "DIR",
    "where the command runs [default: this directory for a server on this machine, else the server's]",
    { short: "w", completes: "directory" },
  ),
  cwd: Flags.text("DIR", "the same as --workdir", { completes: "directory" }),
  ...EnvFlag.flags,
  "env-file": {
    ...Flags.file("variables from a file, K=V or K in each line; --env wins over it; may be repeated"),
    multiple: true,
  },
  inherit: Flags.choice(
    "core|all|none",
    ["core", "all", "none"],
    "which of the server's variables the command inherits [default: all from the server in this process, those of " +
      "this shell on a server of your own, core from another]",
  ),
  json: {
    ...Flags.toggle("with --detach: print { name, session, processId } instead of the name"),
    needs: "detach",
  },
} as const satisfies Flags.FlagTable

type Values = Flags.Values<typeof flags>

export interface RunRequest {
  readonly target: TargetFlags.Target
  /** Undefined in the foreground. */
  readonly detached: Detached | undefined
  readonly reconnect: ReconnectPolicy | false
  /** The server forgets it when it has ended. */
  readonly forgotten: boolean
  readonly start: StartOptions
  readonly toOptions: ToOptions
  readonly starting: SpawnerFlag.Choice
}

export interface Detached {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** Its start is printed as JSON. */
  readonly json: boolean
  /** It is removed as soon as it has ended. */
  readonly autoRemove: boolean
}

export const read = ({
  values,
  operands: argv,
}: Pick<Given<typeof flags>, "values" | "operands">): Effect.Effect<
  RunRequest,
  Flags.UsageError | Flags.ConfigurationError,
  TextFile.TextFiles
> =>
  Effect.gen(function* () {
    if (argv.length === 0)
      return yield* wrong("no command to run; it follows the options: procwire run -- ls -la")
    if (argv[0] === "")
      return yield* wrong("the command is an empty text; it needs a name or a path: procwire run -- ls -la")
    const bad = argv.findIndex((word) => !NativePath.isText(word))
    if (bad >= 0) {
      const shown = NativePath.toText(argv[bad] ?? "")
      return yield* wrong(`word ${bad + 1} of the command is not UTF-8, and cannot be sent: ${shown}`)
    }
    const { detach = false, tty = false } = values
    const usual = detach ? ({ own: true } as const) : ({ inProcess: true } as const)
    const target = yield* TargetFlags.read(values, usual, !detach && SpawnerFlag.isGiven(values))
    return {
      target,
      starting: yield* SpawnerFlag.read(values, target),
      forgotten: values.rm === true,
      reconnect: yield* readReconnect(values, target),
      detached: yield* readDetached(values, argv, target),
      toOptions: yield* Features.read(values, { detach, tty }),
      start: {
        argv,
        tty,
        pipeStdin: !detach || values.interactive === true,
        ...(yield* readPlace(values, target)),
      },
    }
  })

/** For how long a lost connection to a running server is tried to be replaced; false for none. */
const readReconnect = (
  { reconnect }: Values,
  target: TargetFlags.Target,
): Effect.Effect<ReconnectPolicy | false, Flags.UsageError> => {
  const hasUrl = "url" in target || "own" in target
  if (reconnect === undefined) return Effect.succeed(hasUrl && {})
  if (!hasUrl) return wrong("--reconnect needs a --server")
  return Effect.succeed(reconnect > 0 && { window: reconnect })
}

/** The name and labels of a process; undefined in the foreground, where it has none. */
const readDetached = (
  { detach = false, name, label = [], json = false, rm = false }: Values,
  argv: ReadonlyArray<string>,
  target: TargetFlags.Target,
): Effect.Effect<Detached | undefined, Flags.UsageError> => {
  if (!detach) return Effect.succeed(undefined)
  if ("inProcess" in target || ("command" in target && target.command === "/bin/sh"))
    return wrong("--detach needs a server that stays: leave --server-cmd out, or name one with --server")
  if (name !== undefined && !ProcessName.isName(name))
    return wrong(`invalid value '${name}' for '--name': expected ${ProcessName.expected}`)
  const labels = Object.fromEntries(label)
  return Effect.succeed({ name: name ?? nameOf(argv), labels, json, autoRemove: rm })
}

/** The program, and four random characters that are not mistaken for each other. */
const nameOf = ([program = ""]: ReadonlyArray<string>): string => {
  const word =
    basename(program)
      .replaceAll(/[^\p{L}\p{N}._-]/gu, "")
      .replace(/^[._-]+/, "") || "process"
  return `${word.slice(0, 32)}-${Array.from(randomBytes(4), (byte) => letters[byte % letters.length]).join("")}`
}

const letters = "23456789abcdefghjkmnpqrstuvwxyz"

/** The directory of the command, and its variables. */
const readPlace = (values: Values, target: TargetFlags.Target) =>
  Effect.gen(function* () {
    const { cwd, workdir = cwd } = values
    if (cwd !== undefined && cwd !== workdir)
      return yield* wrong("--cwd and --workdir are the same: give one")
    const isHere = "own" in target
    const inherit = values.inherit ?? ("inProcess" in target ? "all" : "core")
    const env = { ...(yield* EnvFlag.readFiles(values["env-file"])), ...EnvFlag.all(values) }
    const inherits = isHere ? values.inherit === undefined : "inProcess" in target && inherit === "all"
    const [bad] = inherits
      ? ArgumentBytes.illFormedVariables().filter((name) => !Object.hasOwn(env, name))
      : []
    if (bad !== undefined)
      return yield* wrong(
        `the variable ${bad} is not UTF-8, and cannot be passed on; unset it, or set it with --env`,
      )
    const directory = isHere ? resolve(WorkingDirectory.current(), workdir ?? ".") : workdir
    return {
      ...(directory === undefined ? {} : { cwd: directory }),
      ...(isHere && values.inherit === undefined ? ofThisShell(env) : { env, envPolicy: policyOf(inherit) }),
    }
  })

/** A server of one's own has the variables of its first command: those of this shell replace them. */
const ofThisShell = (env: Readonly<Record<string, string>>) => ({
  env: { ...ofTerminal(environment()), ...env },
  envPolicy: null,
})

/** Without a terminal here, TERM says nothing of the one that the process may have. */
const ofTerminal = ({ TERM, ...env }: Readonly<Record<string, string>>): Record<string, string> =>
  TERM === undefined || process.stdout.isTTY !== true ? env : { ...env, TERM }

const policyOf = (inherit: "core" | "all" | "none") => ({
  inherit,
  ignoreDefaultExcludes: inherit === "all",
  exclude: [],
  set: {},
  includeOnly: [],
})

const { wrong } = Flags

/** Reads the words behind `procwire run`: its flags, and the command. */
export const parse: Parse = (args, table) => {
  const [own, argv] = split(args, table)
  return Effect.flatMap(Effect.mapError(Flags.parse(own, table), withUser), ({ values, operands: [stray] }) =>
    stray === undefined
      ? Effect.succeed({ values, operands: argv })
      : wrong(`unexpected argument '${stray}'`),
  )
}

/** The user is not chosen here: the error names the ways to choose it. */
const withUser = (error: Flags.UsageError): Flags.UsageError =>
  /^unexpected argument '(?:-[a-z]*u[^']*|--user)'/.test(error.message)
    ? wrong(
        `${error.message.replace(/;.*/s, "")}; a command runs as the user of its server: ` +
          "procwire run -- sudo -u USER COMMAND, or --server ssh://USER@HOST",
      )
    : error

/** The own flags end at `--`, or at the first word that is neither a flag nor the value of one. */
const split = (
  args: ReadonlyArray<string>,
  table: Flags.FlagTable,
): readonly [ReadonlyArray<string>, ReadonlyArray<string>] => {
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? ""
    if (arg === "--") return [args.slice(0, index), args.slice(index + 1)]
    if (!arg.startsWith("-") || arg === "-") return [args.slice(0, index), args.slice(index)]
    if (Flags.takesValue(arg, table)) index += 1
  }
  return [args, []]
}
