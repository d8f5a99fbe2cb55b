/**
 * `$`: commands as templates.
 *
 * A command is a description until it is awaited or read; then it runs, once for all of `await`, `text`, `json` and
 * `bytes`. The methods that configure it return another command. It is `run` of the client, with `reject: true`.
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as CallSite from "../CallSite.ts"
import { type ClientError, clientError } from "../ClientError.ts"
import { type CallOptions, givenUp } from "../GivingUp.ts"
import { invalid, refusalOfStart, shown } from "../OptionNames.ts"
import * as Pipeline from "../Pipeline.ts"
import { promise, steps } from "../Promises.ts"
import * as RunResult from "../RunResult.ts"
import { names, type RunOptions } from "../RunOptions.ts"
import { type LineOptions, TextLines } from "../TextLines.ts"
import { script, type Template, type Value, words } from "./Words.ts"

/** Options of all commands of a `$`. */
export interface DollarOptions<E extends RunResult.Encoding = "utf8"> extends Partial<
  Omit<RunOptions<E>, "argv" | "processId" | "pipeStdin">
> {
  /**
   * True: the template is a script of `sh` on the server, in which its values are variables, and never syntax. Default:
   * false, the template is words, and no shell sees them.
   */
  readonly shell?: boolean
}

/** Makes commands, or with options another `$` whose commands have these as well. */
export interface Dollar<E extends RunResult.Encoding = "utf8"> {
  /** Throws `InvalidOption` for a template that is no command, and for a value that is no argument. */
  (template: TemplateStringsArray, ...values: ReadonlyArray<Value>): Command<E>
  /** Throws `InvalidOption` for an option that does not exist. */
  <F extends RunResult.Encoding = E>(options: DollarOptions<F>): Dollar<F>
}

/** The stages of a command, for those that it is piped into. */
const stages: unique symbol = Symbol("procwire/client/command")

/**
 * A command, as a promise of its result. It runs when it is awaited or read. Rejects with `Failed`, with the end of
 * stderr in the message, unless it exits with 0; with the errors of a start; and with the reason of its `signal`.
 */
export interface Command<E extends RunResult.Encoding = "utf8"> extends PromiseLike<
  RunResult.Result<RunResult.Content<E>>
> {
  /** The program and its arguments; of commands that were piped, those of the last one. */
  readonly argv: ReadonlyArray<string>
  /** @internal */
  readonly [stages]: ReadonlyArray<Pipeline.Stage>
  /** As of a promise. */
  catch<A>(
    rejected: (error: unknown) => A | PromiseLike<A>,
  ): Promise<RunResult.Result<RunResult.Content<E>> | A>
  /** As of a promise. */
  finally(ended: () => void): Promise<RunResult.Result<RunResult.Content<E>>>
  /** Its stdout as UTF-8, with the line end. */
  text(how?: CallOptions): Promise<string>
  /** Its stdout, which is JSON; rejects with `NotJson` where it is none. */
  json<A = unknown>(how?: CallOptions): Promise<A>
  /** The bytes of its stdout. */
  bytes(how?: CallOptions): Promise<Uint8Array>
  /**
   * The lines of its stdout as they come, without a bound on all of them; a loop that waits lets the command wait. Each
   * loop runs the command anew; leaving it ends the command. Throws `Failed` behind the last line.
   */
  lines(options?: LineOptions): AsyncIterable<string>
  /** Gives its stdout to another command, as its stdin; the result is that of the other one. */
  pipe<F extends RunResult.Encoding>(command: Command<F>): Command<F>
  /** The same with a template. */
  pipe(template: TemplateStringsArray, ...values: ReadonlyArray<Value>): Command<E>
  /** Its stdin; of commands that were piped, that of the first one. See `input` of `run`. */
  input(input: NonNullable<RunOptions["input"]>): Command<E>
  /** More variables of the environment. */
  env(variables: Readonly<Record<string, string>>): Command<E>
  /** Its working directory, on the server. */
  cwd(path: string): Command<E>
  /** The longest that it may run; the server ends it then. See `timeout` of `run`. */
  timeout(time: NonNullable<RunOptions["timeout"]>): Command<E>
  /** Ends it when the `AbortSignal` aborts. */
  signal(signal: NonNullable<RunOptions["signal"]>): Command<E>
  /** Does not call `onOutput`. */
  quiet(): Command<E>
  /** Resolves with the result however it ends; too much output is cut off. A failed start rejects all the same. */
  nothrow(): Command<E>
}

const { argv: _, processId: _1, pipeStdin: _2, ...common } = { ...names, shell: true as const }

/** Commands and options of whatever encoding. */
type AnyCommand = Command<RunResult.Encoding>
type AnyDollar = Dollar<RunResult.Encoding>
type AnyOptions = RunOptions<RunResult.Encoding>

/** The `$` of a client. */
export const make = (on: Pipeline.Runner): Dollar => toDollar(on, {}) as Dollar

const toDollar = (on: Pipeline.Runner, given: DollarOptions<RunResult.Encoding>): AnyDollar => {
  const { shell = false, ...options } = given
  const dollar = (
    first: Template | DollarOptions<RunResult.Encoding>,
    ...values: ReadonlyArray<unknown>
  ): unknown => {
    if (!isTemplate(first)) {
      const refused = refusalOfStart("$", common, first)
      if (refused !== undefined) throw refused
      return toDollar(on, { ...given, ...first, env: { ...given.env, ...first.env } })
    }
    const argv = shell ? script(first, values) : words(first, values)
    const site = CallSite.capture(dollar)
    return toCommand([{ on, options: { reject: true, ...options, argv } }], dollar as AnyDollar, site)
  }
  return dollar as AnyDollar
}

const isTemplate = (value: unknown): value is Template => Array.isArray(value) && "raw" in value

const toCommand = (
  all: ReadonlyArray<Pipeline.Stage>,
  dollar: AnyDollar,
  site: CallSite.CallSite,
): AnyCommand => {
  let running: Fiber.Fiber<RunResult.Result, ClientError> | undefined
  const ended = Effect.suspend(() => {
    const fiber = (running ??= Effect.runFork(Pipeline.run(all)))
    // A caller that gives up does not wait for the end of the terminated process.
    return Effect.onInterrupt(Fiber.join(fiber), () => Effect.sync(() => fiber.interruptUnsafe()))
  })
  const located = (error: unknown): never => {
    throw CallSite.locate(error, site)
  }
  const result = (how?: CallOptions): Promise<RunResult.Result> =>
    promise(stoppable(all, ended), how).then(undefined, located)
  const awaited = () => result().then((done) => RunResult.encoded(done, all.at(-1)?.options.encoding))
  const lines = (options?: LineOptions): AsyncIterable<string> => {
    const here = CallSite.capture(lines)
    const refused = unread("lines", all)
    if (refused !== undefined) throw CallSite.locate(refused, here)
    return CallSite.loop(linesOf(all, options), here)
  }
  const read = async (what: string, how?: CallOptions): Promise<RunResult.Result> => {
    const refused = unread(what, all)
    return refused === undefined ? result(how) : located(refused)
  }
  const change = (to: (options: AnyOptions) => AnyOptions): AnyCommand =>
    toCommand(
      all.map(({ on, options }) => ({ on, options: to(options) })),
      dollar,
      site,
    )
  return {
    argv: all.at(-1)?.options.argv ?? [],
    [stages]: all,
    // oxlint-disable-next-line unicorn/no-thenable -- a command is awaited
    then: (resolved, rejected) => awaited().then(resolved, rejected),
    catch: (rejected) => awaited().catch(rejected),
    finally: (ended) => awaited().finally(ended),
    text: (how) => read("text", how).then(({ stdout }) => stdout),
    json: <A>(how?: CallOptions) =>
      read("json", how)
        .then((done) => parsed<A>(all, done))
        .then(undefined, located),
    bytes: (how) => read("bytes", how).then(({ stdoutBytes }) => stdoutBytes),
    lines,
    pipe: (next: AnyCommand | TemplateStringsArray, ...values: ReadonlyArray<Value>) =>
      toCommand([...all, ...readers(isTemplate(next) ? dollar(next, ...values) : next)], dollar, site),
    input: (input) =>
      toCommand(
        all.map((stage, index) => (index > 0 ? stage : { ...stage, options: { ...stage.options, input } })),
        dollar,
        site,
      ),
    env: (env) => change((options) => ({ ...options, env: { ...options.env, ...env } })),
    cwd: (cwd) => change((options) => ({ ...options, cwd })),
    timeout: (timeout) => change((options) => ({ ...options, timeout })),
    signal: (signal) => change((options) => ({ ...options, signal })),
    quiet: () => change(silent),
    nothrow: () => change((options) => ({ ...options, reject: false })),
  }
}

const silent = ({ onOutput: _silenced, ...options }: AnyOptions): AnyOptions => options

/** The stages of a command that another is piped into. */
const readers = (next: AnyCommand): ReadonlyArray<Pipeline.Stage> => {
  const all = (next as Partial<AnyCommand> | undefined)?.[stages]
  const [first] = all ?? []
  if (all === undefined || first === undefined) {
    throw invalid("pipe takes a command, as $`sort`, or is a tag itself: .pipe`sort`")
  }
  const lacks =
    first.options.input !== undefined
      ? "has input of its own"
      : first.options.tty === true
        ? "runs in a terminal, which has no end of input"
        : undefined
  if (lacks === undefined) return all
  throw invalid(`pipe cannot write to ${first.options.argv[0] ?? ""}: it ${lacks}`)
}

/** The error of a read of a stdout that is not there. */
const unread = (what: string, all: ReadonlyArray<Pipeline.Stage>): ClientError | undefined => {
  if (what === "lines" && all.some(({ options }) => options.retry !== undefined))
    return invalid("lines: a command with retry has none to read as they come: read text")
  const { argv = [], stdio = "pipe", stdout = stdio } = all.at(-1)?.options ?? {}
  if (stdout === "pipe") return undefined
  return invalid(`${what}: ${argv[0] ?? ""} has no stdout to read: it is ${shown(stdout)}, and not "pipe"`)
}

const parsed = <A>(all: ReadonlyArray<Pipeline.Stage>, result: RunResult.Result): A => {
  try {
    return JSON.parse(result.stdout) as A
  } catch (cause) {
    const program = all.at(-1)?.options.argv[0] ?? ""
    const message = `the stdout of ${program} is no JSON: ${(cause as Error).message}`
    throw clientError("NotJson", message, { result, cause })
  }
}

/** Runs the stages, and gives the lines of the last one. It waits while they are not taken. */
async function* linesOf(
  stages: ReadonlyArray<Pipeline.Stage>,
  { maxLineLength, ...how }: LineOptions = {},
): AsyncGenerator<string, void, void> {
  const step = steps(Object.keys(how).length === 0 ? undefined : how)
  const text = new TextLines(maxLineLength)
  const pieces = await step(Queue.bounded<Uint8Array, Cause.Done>(1))
  const running = Effect.runFork(
    Effect.ensuring(
      Pipeline.run(stages, (bytes) => Queue.offer(pieces, bytes)),
      Queue.end(pieces),
    ),
  )
  const piece = stoppable(
    stages,
    Effect.orElseSucceed(Queue.take(pieces), () => undefined),
  )
  try {
    for (let bytes = await step(piece); bytes !== undefined; bytes = await step(piece))
      yield* text.push(bytes)
    yield* text.end()
    await step(stoppable(stages, Fiber.join(running)))
  } finally {
    Effect.runFork(Fiber.interrupt(running))
  }
}

/** The effect, given up by the signals of all stages. */
const stoppable = <A, E>(
  stages: ReadonlyArray<Pipeline.Stage>,
  effect: Effect.Effect<A, E>,
): Effect.Effect<A, unknown> => {
  const signals = new Set(stages.map(({ options }) => options.signal))
  return [...signals].reduce<Effect.Effect<A, unknown>>((made, signal) => givenUp(made, { signal }), effect)
}
