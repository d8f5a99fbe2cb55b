/** The flags of `procwire run`: which server, which command, and how. */
import { resolve } from "node:path"
import process from "node:process"
import * as NativePath from "../../../core/protocol/NativePath.ts"
import * as ArgumentBytes from "./words/ArgumentBytes.ts"
import * as WorkingDirectory from "../host/WorkingDirectory.ts"
import * as Effect from "effect/Effect"
import type * as TextFile from "../host/TextFile.ts"
import type { ReconnectPolicy } from "../../../core/client/ReconnectPolicy.ts"
import type { StartOptions } from "../../../core/client/StartOptions.ts"
import * as Cancellation from "./Cancellation.ts"
import * as DeadlineFlags from "./DeadlineFlags.ts"
import * as DetachFlags from "./DetachFlags.ts"
import * as EnvFile from "./EnvFile.ts"
import * as EnvFlag from "./EnvFlag.ts"
import * as RestartFlag from "./RestartFlag.ts"
import * as ReconnectFlag from "./ReconnectFlag.ts"
import * as SpawnerFlag from "./SpawnerFlag.ts"
import * as TargetFlags from "./TargetFlags.ts"
import * as Flags from "./Flags.ts"
import { help as helpFlag, type FlagSpecs, type Spec } from "./table/Spec.ts"

const name = "procwire run"

const flags = {
  detach: {
    type: "boolean",
    short: "d",
    help:
      "in the background: prints its name; it lives on without a client until procwire rm; on a server of your own " +
      "unless another is named",
  },
  name: {
    type: "string",
    shows: "NAME",
    help: "what the other commands call it [default: made from the command]",
  },
  label: {
    type: "string",
    short: "l",
    multiple: true,
    shows: "K=V",
    help: "what ps finds it by; may be repeated",
  },
  rm: {
    type: "boolean",
    help:
      "have the server forget it as soon as it has ended; without, it does when the session of this client ends, and " +
      "with --detach at procwire rm",
  },
  restart: {
    type: "string",
    shows: "POLICY",
    help:
      "with --detach: when it is started again: no, on-failure, on-failure:N (at most N times) or always; also without " +
      "this client, as long as the server runs [default: no]",
    completes: RestartFlag.policies,
  },
  interactive: {
    type: "boolean",
    short: "i",
    help: "with --detach: keep its stdin open for procwire write; without, stdin is always forwarded",
  },
  tty: {
    type: "boolean",
    short: "t",
    help: "give the command a PTY of this terminal's size; for shells, editors, top",
  },
  answers: {
    type: "boolean",
    help: "with --detach and --tty: answer what the command asks its terminal (DA1, CPR) while nobody is attached",
  },
  ...TargetFlags.flags,
  ...SpawnerFlag.flags,
  ...ReconnectFlag.flags,
  ...DeadlineFlags.flags,
  workdir: {
    type: "string",
    short: "w",
    shows: "DIR",
    help: "where the command runs [default: this directory for a server on this machine, else the server's]",
    completes: "directory",
  },
  cwd: { type: "string", shows: "DIR", help: "the same as --workdir", completes: "directory" },
  ...EnvFlag.flags,
  "env-file": {
    type: "string",
    multiple: true,
    shows: "FILE",
    help: "variables from a file, K=V or K in each line; --env wins over it; may be repeated",
    completes: "file",
  },
  inherit: {
    type: "string",
    shows: "core|all|none",
    help:
      "which of the server's variables the command inherits [default: all from the server in this process, those of " +
      "this shell on a server of your own, core from another]",
    completes: ["core", "all", "none"],
  },
  json: { type: "boolean", help: "with --detach: print { name, session, processId } instead of the name" },
  ...helpFlag,
} as const satisfies FlagSpecs

export const spec: Spec = {
  name: "run",
  summary: "Run one command through a server, with live output, and exit with its exit code",
  usage: "[OPTIONS] [--] COMMAND [ARGS...]",
  flags,
  operands: "command",
  text: `
stdin is forwarded with its end, and so are SIGINT (Ctrl-C), SIGTERM, SIGHUP and SIGQUIT: the command ends as it does
for that signal, and run with it. A second one kills it. A server that knows SIGINT alone gets that instead, and the
command is killed ${Cancellation.graceSeconds} s later. While there is no connection to the server, the first one ends
run. With --tty every key goes to the command. Without a server the command runs in one inside this process.

Exit code: the command's own; 128 + n if it died of signal n, or if run was ended by it; 127 if it was not found, 126
if it cannot be executed, 125 if its directory is missing or the server failed, 2 for wrong use; and
${DeadlineFlags.exitCode} if a timeout has ended it, whatever signal that took. With --detach: 0 once it has started.`,
  examples: [
    "procwire run -- ls -la",
    "echo hello | procwire run -- tr a-z A-Z",
    "procwire run -it -- bash",
    "procwire run -d --name web --label team=a -- npm run dev",
    "procwire run -d --restart on-failure:5 -- ./worker",
    "procwire run -d --rm -- ./backup",
    "procwire run --timeout 10m --idle-timeout 2m -- npm test",
    "procwire run --spawner bwrap:ro -- ./unknown-script",
    "procwire run --server ws://127.0.0.1:7000 -w src -e CI=1 -- make test",
    'procwire run --server-cmd "ssh build-host procwire serve --listen stdio" -- uname -a',
  ],
}

export interface RunRequest {
  readonly target: TargetFlags.Target
  /** What it is called in the background; undefined in the foreground. */
  readonly detached: DetachFlags.Detached | undefined
  readonly reconnect: ReconnectPolicy | false
  /** The server forgets it when it has ended. */
  readonly forgotten: boolean
  readonly start: StartOptions
  /** What starts the command where the server is in this process. */
  readonly starting: SpawnerFlag.Choice
}

/** Reads the command line behind `procwire run`. */
export const parse = (
  args: ReadonlyArray<string>,
): Effect.Effect<RunRequest, Flags.UsageError | Flags.ConfigurationError, TextFile.TextFiles> =>
  Effect.gen(function* () {
    const [own, argv] = split(args)
    const values = yield* Effect.mapError(Flags.parse(name, own, flags), withUser)
    if (argv.length === 0) {
      return yield* wrong("no command to run; it follows the options: procwire run -- ls -la")
    }
    if (argv[0] === "") {
      return yield* wrong("the command is an empty text; it needs a name or a path: procwire run -- ls -la")
    }
    const bad = argv.findIndex((word) => !NativePath.isText(word))
    if (bad >= 0) {
      const shown = NativePath.toText(argv[bad] ?? "")
      return yield* wrong(`word ${bad + 1} of the command is not UTF-8, and cannot be sent: ${shown}`)
    }
    const { detach = false, tty = false } = values
    if (values.answers === true && !(detach && tty)) {
      const missing = [...(detach ? [] : ["--detach"]), ...(tty ? [] : ["--tty"])].join(" and ")
      return yield* wrong(`--answers needs ${missing}`)
    }
    const usual = detach ? ({ own: true } as const) : ({ inProcess: true } as const)
    const target = yield* TargetFlags.read(name, values, usual, !detach && SpawnerFlag.isGiven(values))
    const starting = yield* SpawnerFlag.read(name, values, target)
    return {
      target,
      starting,
      forgotten: values.rm === true,
      reconnect: yield* ReconnectFlag.read(name, values, target),
      detached: yield* DetachFlags.read(name, values, argv, target),
      start: {
        argv,
        tty,
        ...(values.answers === true ? { answers: true } : {}),
        pipeStdin: !detach || values.interactive === true,
        ...(yield* readPlace(values, target)),
        ...(yield* DeadlineFlags.read(name, values)),
      },
    }
  })

/** Where the command runs, and its variables. */
const readPlace = (values: Flags.Values<typeof flags>, target: TargetFlags.Target) =>
  Effect.gen(function* () {
    const { cwd, workdir = cwd } = values
    if (cwd !== undefined && cwd !== workdir)
      return yield* wrong("--cwd and --workdir are the same: give one")
    const isHere = "own" in target
    const { inherit = "inProcess" in target ? "all" : "core" } = values
    if (inherit !== "core" && inherit !== "all" && inherit !== "none") {
      return yield* wrong(`invalid value '${inherit}' for '--inherit': expected core, all or none`)
    }
    const env = { ...(yield* EnvFile.read(name, values["env-file"])), ...(yield* EnvFlag.read(name, values)) }
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

/** A server of one's own has the variables of whoever has started it: those of this shell replace them. */
const ofThisShell = (env: Readonly<Record<string, string>>) => ({
  env: { ...ofTerminal(definedOf(process.env)), ...env },
  envPolicy: null,
})

/** Without a terminal here, TERM says nothing of the one that the process may have. */
const ofTerminal = ({ TERM, ...env }: Record<string, string>): Record<string, string> =>
  TERM === undefined || process.stdout.isTTY !== true ? env : { ...env, TERM }

const definedOf = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  )

const policyOf = (inherit: "core" | "all" | "none") => ({
  inherit,
  ignoreDefaultExcludes: inherit === "all",
  exclude: [],
  set: {},
  includeOnly: [],
})

/** The user is not chosen here: what has it chosen is named. */
const withUser = (error: Flags.UsageError): Flags.UsageError =>
  /^unexpected argument '(?:-[a-z]*u[^']*|--user)'/.test(error.message)
    ? wrong(
        `${error.message.replace(/;.*/s, "")}; a command runs as the user of its server: ` +
          "procwire run -- sudo -u USER COMMAND, or --server ssh://USER@HOST",
      )
    : error

const wrong = (message: string) => new Flags.UsageError({ command: name, message })

/** The own flags end at `--`, or at the first word that is neither a flag nor the value of one. */
const split = (args: ReadonlyArray<string>): readonly [ReadonlyArray<string>, ReadonlyArray<string>] => {
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? ""
    if (arg === "--") return [args.slice(0, index), args.slice(index + 1)]
    if (!arg.startsWith("-") || arg === "-") return [args.slice(0, index), args.slice(index)]
    if (Flags.takesValue(arg, flags)) index += 1
  }
  return [args, []]
}
