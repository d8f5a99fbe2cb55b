/**
 * Real children for the tests of the spawners: starts one, collects its events, and lets a test wait for the end of its
 * streams and for its exit. Every wait has a generous deadline.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type * as Spawner from "../../../core/spawn/Spawner.ts"

export interface TestChild {
  readonly handle: Spawner.ChildHandle
  readonly bytes: (stream: Spawner.OutputStream) => Buffer
  readonly text: (stream: Spawner.OutputStream) => string
  readonly ended: ReadonlyArray<Spawner.OutputStream>
  readonly status: () => Spawner.ExitStatus | undefined
  /** The facts beside the status. */
  readonly ending: () => Spawner.Ending | undefined
  /** Every event in order: the name of a stream for output, `/name` for its end, and `exit`. */
  readonly log: ReadonlyArray<string>
  readonly exit: Promise<Spawner.ExitStatus>
  /** Completes after the exit and the end of every stream. */
  readonly closed: Promise<void>
  readonly close: () => Promise<void>
}

export interface Options {
  readonly argv: readonly [string, ...ReadonlyArray<string>]
  readonly arg0?: string
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: boolean
  readonly pty?: boolean | Spawner.TerminalSize
  readonly confinement?: Spawner.SpawnSpec["confinement"]
  readonly egress?: Spawner.SpawnSpec["egress"]
  readonly onOutput?: (stream: Spawner.OutputStream, bytes: Uint8Array) => void
}

const specOf = (options: Options): Spawner.SpawnSpec => ({
  argv: options.argv,
  arg0: options.arg0,
  cwd: options.cwd ?? "/",
  env: options.env ?? { PATH: "/usr/local/bin:/usr/bin:/bin" },
  confinement: options.confinement,
  egress: options.egress,
  stdio:
    options.pty === undefined || options.pty === false
      ? { kind: "pipe", stdin: options.stdin ?? false }
      : { kind: "pty", size: options.pty === true ? { rows: 24, columns: 80 } : options.pty },
})

/** Starts a child; `close` closes its scope. */
export const start = async (spawner: Spawner.SpawnerService, options: Options): Promise<TestChild> => {
  const spec = specOf(options)
  const scope = Effect.runSync(Scope.make())
  const chunks: Record<Spawner.OutputStream, Array<Buffer>> = { stdout: [], stderr: [], pty: [] }
  const log: Array<string> = []
  const ended: Array<Spawner.OutputStream> = []
  let status: Spawner.ExitStatus | undefined
  let ending: Spawner.Ending | undefined
  const exit = promise<Spawner.ExitStatus>()
  const closed = promise<void>()
  const check = () => {
    if (status !== undefined && ended.length === (spec.stdio.kind === "pty" ? 1 : 2)) closed.resolve()
  }
  const events: Spawner.SpawnEvents = {
    output: (stream, bytes) => {
      log.push(stream)
      if (options.onOutput === undefined) chunks[stream].push(Buffer.from(bytes))
      else options.onOutput(stream, bytes)
    },
    end: (stream) => {
      log.push(`/${stream}`)
      ended.push(stream)
      check()
    },
    exit: (value, told) => {
      log.push("exit")
      ending = told
      status = value
      exit.resolve(value)
      check()
    },
  }
  const handle = await Effect.runPromise(Scope.provide(spawner.spawn(spec, events), scope))
  const bytes = (stream: Spawner.OutputStream) => Buffer.concat(chunks[stream])
  return {
    handle,
    bytes,
    text: (stream) => bytes(stream).toString("utf8"),
    ended,
    status: () => status,
    ending: () => ending,
    log,
    exit: deadline(exit.promise, "exit"),
    closed: deadline(closed.promise, "closed"),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void)),
  }
}

/** Runs a child to its end and closes its scope. */
export const run = async (spawner: Spawner.SpawnerService, options: Options): Promise<TestChild> => {
  const child = await start(spawner, options)
  await child.closed
  await child.close()
  return child
}

/** Waits until `condition` holds. */
export const until = async (condition: () => boolean, what: string | (() => string)): Promise<void> => {
  for (let i = 0; i < 6_000; i++) {
    if (condition()) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error(`still not so after 60 s: ${typeof what === "string" ? what : what()}`)
}

export const sleep = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

/** Runs `so` `count` times, `atOnce` at a time, and counts how often it was true. */
export const times = async (count: number, atOnce: number, so: () => Promise<boolean>): Promise<number> => {
  let left = count
  let found = 0
  const worker = async () => {
    while (left-- > 0) if (await so()) found++
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return found
}

const promise = <A>() => {
  let resolve: (value: A) => void = () => {}
  return { promise: new Promise<A>((done) => (resolve = done)), resolve: (value: A) => resolve(value) }
}

const deadline = <A>(wanted: Promise<A>, what: string): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no ${what} within 60 s`)), 60_000).unref()
  })
  const result = Promise.race([wanted, late]).finally(() => clearTimeout(timer))
  result.catch(() => {})
  return result
}

/** Runs an operation of a handle. */
export const effect = <A, E>(operation: Effect.Effect<A, E>): Promise<A> => Effect.runPromise(operation)
