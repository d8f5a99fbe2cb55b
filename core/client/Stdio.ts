/** Leads the stdin, stdout and stderr of `run` and `$`: into the result, or to streams of this program. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { type ClientError, clientError } from "./ClientError.ts"
import * as OptionNames from "./OptionNames.ts"
import * as Context from "effect/Context"
import type * as Stream from "effect/Stream"

/** Takes bytes, and completes when it has room for more. Fails with an error of the system. */
export type Write = (bytes: Uint8Array) => Effect.Effect<void, Error>

/** The streams and files of a runtime. */
export interface LocalStreamsService {
  /** The stdin of this program, read no further than asked for; the next reader goes on behind it. */
  readonly stdin: Stream.Stream<Uint8Array, Error>
  /** Writes to the stdout of this program. */
  readonly stdout: Write
  /** Writes to the stderr of this program. */
  readonly stderr: Write
  /** Opens a file to write at its end, which is made where there is none, and emptied unless that is to be kept. */
  readonly open: (path: string, keep: boolean) => Effect.Effect<Write, Error, Scope.Scope>
}

/** The service; the default is none. */
export const LocalStreams = Context.Reference("procwire/LocalStreams", {
  defaultValue: (): LocalStreamsService | undefined => undefined,
})

/** A file of the machine of this program, not of the server's. */
export interface OutputFile {
  /** A native path; a relative one is in the working directory of this program. It is made where there is none. */
  readonly file: string
  /** True: output is added at its end. Default: false, it is emptied first. */
  readonly append?: boolean
}

/**
 * The target of output: `pipe` collects it for the result, `inherit` writes it to the same stream of this program as
 * it comes, `ignore` drops it, `{ file }` writes it to a file of this machine.
 */
export type OutputTo = "pipe" | "inherit" | "ignore" | OutputFile

/** The ways of the three streams. */
export interface StdioOptions {
  /**
   * `inherit`: the process reads the stdin of this program; `ignore`: it has none. Not in a page, and not with `tty`.
   * Default: `ignore`, or `input`.
   */
  readonly stdin?: "inherit" | "ignore"
  /** The way of stdout, or of a terminal. A page in a browser has `pipe` and `ignore` alone. Default: `pipe`. */
  readonly stdout?: OutputTo
  /** The way of stderr, likewise. Default: `pipe`. */
  readonly stderr?: OutputTo
  /** The default of `stdin` (unless there is `input`), `stdout` and `stderr`. Default: `pipe`. */
  readonly stdio?: "pipe" | "inherit" | "ignore"
}

/** Every option for streams. */
export const names = {
  stdin: true,
  stdout: true,
  stderr: true,
  stdio: true,
} satisfies OptionNames.Names<StdioOptions>

/** The ways, checked. */
export interface Stdio {
  /** True if it reads the stdin of this program. */
  readonly inherits: boolean
  readonly stdout: OutputTo
  readonly stderr: OutputTo
}

/** Takes a piece of output instead of the result. */
export type Taker = (bytes: Uint8Array) => Effect.Effect<void, ClientError>

/** The taker of each stream; undefined for one that the result has. */
export interface Takers {
  readonly stdout: Taker | undefined
  readonly stderr: Taker | undefined
}

/** True if the process reads the stdin of this program. */
export const readsProgram = (
  { stdin, stdio }: { readonly stdin?: unknown; readonly stdio?: unknown },
  hasInput: boolean,
): boolean => !hasInput && (stdin ?? stdio) === "inherit"

/** The options, checked. A failure is why they cannot be. */
export const parse = (
  { stdin, stdout, stderr, stdio = "pipe" }: StdioOptions,
  { hasInput, tty }: { readonly hasInput: boolean; readonly tty: boolean },
): Result.Result<Stdio, ClientError> => {
  const refused =
    refusal(
      "stdio",
      stdio,
      isWay(stdio),
      '"pipe", "inherit" or "ignore"; stdin, stdout and stderr are options, too',
    ) ??
    refusal("stdin", stdin, stdin === undefined || stdin === "inherit" || stdin === "ignore", fromWhere) ??
    refusal("stdout", stdout, isOutput(stdout), toWhere) ??
    refusal("stderr", stderr, isOutput(stderr), toWhere) ??
    (stdin === "inherit" && hasInput
      ? OptionNames.invalid('input and stdin: "inherit" exclude each other')
      : undefined)
  if (refused !== undefined) return Result.fail(refused)
  const inherits = readsProgram({ stdin, stdio }, hasInput)
  if (inherits && tty) {
    const name = stdin === undefined ? "stdio" : "stdin"
    return Result.fail(
      OptionNames.invalid(
        `${name}: "inherit" gives a process no terminal to read from: leave tty out, or give it stdin: "ignore"`,
      ),
    )
  }
  return Result.succeed({ inherits, stdout: stdout ?? stdio, stderr: stderr ?? stdio })
}

const isWay = (given: unknown): boolean => given === "pipe" || given === "inherit" || given === "ignore"

const isOutput = (given: unknown): boolean => given === undefined || isWay(given) || isFile(given)

const isFile = (given: unknown): given is OutputFile =>
  typeof given === "object" && given !== null && "file" in given && typeof given.file === "string"

const fromWhere =
  '"inherit" or "ignore"; input is what it reads, and start gives it a stdin to write to (pipeStdin)'
const toWhere = '"pipe", "inherit", "ignore" or { file: "/path/here", append: false }'

const refusal = (name: string, given: unknown, fits: boolean, expected: string): ClientError | undefined =>
  fits ? undefined : OptionNames.invalid(`${name} is ${OptionNames.shown(given)}: expected ${expected}`)

/** Why there can be nothing of this program that `what` needs. */
export const lacking = (what: string): ClientError =>
  OptionNames.invalid(
    `${what} needs streams and files of this program: clients of procwire/node, bun and deno have them, a page has none`,
  )

/** The first thing that needs this program; undefined where nothing does. */
export const needsProgram = ({ inherits, stdout, stderr }: Stdio): string | undefined => {
  if (inherits) return 'stdin: "inherit"'
  const [name] = Object.entries({ stdout, stderr }).find(([, to]) => to === "inherit" || isFile(to)) ?? []
  return name === undefined ? undefined : `${name}: ${name === "stdout" ? wordOf(stdout) : wordOf(stderr)}`
}

const wordOf = (to: OutputTo): string => (isFile(to) ? "{ file }" : `"${to}"`)

/** Opens what takes the output, until the scope closes. Fails with `OutputFailed`. */
export const open = (
  { stdout, stderr }: Stdio,
  local: LocalStreamsService | undefined,
): Effect.Effect<Takers, ClientError, Scope.Scope> =>
  Effect.all({ stdout: openOne("stdout", stdout, local), stderr: openOne("stderr", stderr, local) })

const openOne = (
  name: "stdout" | "stderr",
  to: OutputTo,
  local: LocalStreamsService | undefined,
): Effect.Effect<Taker | undefined, ClientError, Scope.Scope> => {
  if (to === "pipe") return Effect.succeed(undefined)
  if (to === "ignore") return Effect.succeed(() => Effect.void)
  if (local === undefined) return Effect.fail(lacking(`${name}: ${wordOf(to)}`))
  if (to === "inherit") return Effect.succeed(taker(`the ${name} of this program`, local[name]))
  return Effect.mapBoth(local.open(to.file, to.append === true), {
    onFailure: failure(to.file),
    onSuccess: (write) => taker(to.file, write),
  })
}

const taker =
  (where: string, write: Write): Taker =>
  (bytes) =>
    Effect.mapError(write(bytes), failure(where))

const failure =
  (where: string) =>
  (cause: Error): ClientError => {
    const { code } = cause as { readonly code?: unknown }
    return clientError("OutputFailed", `cannot write to ${where}: ${cause.message}`, {
      ...(typeof code === "string" ? { code } : {}),
      cause,
    })
  }
