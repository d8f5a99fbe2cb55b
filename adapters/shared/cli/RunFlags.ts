/** The flags of `procwire run`: which server, which command, and how. */
import * as Effect from "effect/Effect"
import type * as TextFile from "../host/TextFile.ts"
import type { ReconnectPolicy } from "../../../core/client/ReconnectPolicy.ts"
import type { StartOptions } from "../../../core/client/StartOptions.ts"
import type * as Connect from "../Connect.ts"
import * as Cancellation from "./Cancellation.ts"
import * as DeadlineFlags from "./DeadlineFlags.ts"
import * as EnvFlag from "./EnvFlag.ts"
import * as ReconnectFlag from "./ReconnectFlag.ts"
import * as SpawnerFlag from "./SpawnerFlag.ts"
import * as TargetFlags from "./TargetFlags.ts"
import * as Flags from "./Flags.ts"

export const help = `Run one command through a server, with live output, and exit with its exit code.

Usage: procwire run [OPTIONS] [--] COMMAND [ARGS...]

Options:
  -t, --tty              give the command a PTY of this terminal's size; for shells, editors, top
${TargetFlags.help}\
${SpawnerFlag.help}\
${ReconnectFlag.help}\
${DeadlineFlags.help}\
  --cwd DIR              where the command runs, relative to the server's directory [default: that one]
${EnvFlag.help}\
  --inherit core|all|none
                         which of the server's variables the command inherits
                         [default: all from the server in this process, core from another]
  -h, --help             show this text

stdin is forwarded with its end, and so are SIGINT (Ctrl-C), SIGTERM, SIGHUP and SIGQUIT: the command ends as it does
for that signal, and run with it. A second one kills it. A server that knows SIGINT alone gets that instead, and the
command is killed ${Cancellation.graceSeconds} s later. While there is no connection to the server, the first one ends
run. With --tty every key goes to the command.

Exit code: the command's own; 128 + n if it died of signal n, or if run was ended by it; 127 if it was not found, 126
if it cannot be executed, 125 if its directory is missing or the server failed, 2 for wrong use; and
${DeadlineFlags.exitCode} if a timeout has ended it, whatever signal that took.

Examples:
  procwire run -- ls -la
  echo hello | procwire run -- tr a-z A-Z
  procwire run --tty -- bash
  procwire run --timeout 10m --idle-timeout 2m -- npm test
  procwire run --spawner bwrap:ro -- ./unknown-script
  procwire run --server ws://127.0.0.1:7000 --cwd src -e CI=1 -- make test
  procwire run --server-cmd "ssh build-host procwire serve --listen stdio" -- uname -a
`

const name = "procwire run"

const flags = {
  tty: { type: "boolean", short: "t" },
  ...TargetFlags.flags,
  ...SpawnerFlag.flags,
  ...ReconnectFlag.flags,
  ...DeadlineFlags.flags,
  cwd: { type: "string" },
  ...EnvFlag.flags,
  inherit: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const

export interface RunRequest {
  readonly target: Connect.Target
  readonly reconnect: ReconnectPolicy | false
  readonly start: StartOptions
  /** What starts the command where the server is in this process. */
  readonly starting: SpawnerFlag.Choice
}

/** Reads the command line behind `procwire run`. */
export const parse = (
  args: ReadonlyArray<string>,
): Effect.Effect<RunRequest, Flags.UsageError, TextFile.TextFiles> =>
  Effect.gen(function* () {
    const [own, argv] = split(args)
    const values = yield* Flags.parse(name, own, flags)
    if (argv.length === 0) {
      return yield* wrong("no command to run; it follows the options: procwire run -- ls -la")
    }
    if (argv[0] === "") {
      return yield* wrong("the command is an empty text; it needs a name or a path: procwire run -- ls -la")
    }
    const target = yield* TargetFlags.read(name, values)
    const starting = yield* SpawnerFlag.read(name, values, target)
    const { tty = false, cwd, inherit = "inProcess" in target ? "all" : "core" } = values
    if (inherit !== "core" && inherit !== "all" && inherit !== "none") {
      return yield* wrong(`invalid value '${inherit}' for '--inherit': expected core, all or none`)
    }
    return {
      target,
      starting,
      reconnect: yield* ReconnectFlag.read(name, values),
      start: {
        argv,
        tty,
        pipeStdin: true,
        env: yield* EnvFlag.read(name, values),
        envPolicy: {
          inherit,
          ignoreDefaultExcludes: inherit === "all",
          exclude: [],
          set: {},
          includeOnly: [],
        },
        ...(cwd === undefined ? {} : { cwd }),
        ...(yield* DeadlineFlags.read(name, values)),
      },
    }
  })

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
