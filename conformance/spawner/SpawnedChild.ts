/**
 * One real child of the spawner under test: starts it, keeps its output, and lets a case wait for it.
 *
 * It checks what a spawner guarantees for every child, in every case: no event before `spawn` has succeeded, none after
 * the scope has closed, each end and the exit once, no output after the end. Violations are in `faults`.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { Confinement } from "../../core/protocol/Confinement.ts"
import type { SpawnError } from "../../core/spawn/SpawnError.ts"
import type * as Spawner from "../../core/spawn/Spawner.ts"
import { CheckFailure, fail } from "../suite/Check.ts"
import { within } from "../suite/Deadline.ts"
import { clip } from "../suite/Json.ts"

/** The start of a child: on pipes, with `PATH` alone and in `/`, unless the options say otherwise. */
export interface ChildOptions {
  /** The program, looked up in the PATH of `env`, and its arguments. */
  readonly argv: readonly [string, ...ReadonlyArray<string>]
  /** Replaces the `argv[0]` that the child sees. */
  readonly arg0?: string
  /** Its working directory. Default: `/`. */
  readonly cwd?: string
  /** Its whole environment. Default: `PATH` alone. */
  readonly env?: Readonly<Record<string, string>>
  /** True for a pipe as stdin; otherwise it is empty. Default: false. */
  readonly stdin?: boolean
  /** Runs it in a PTY, of 24 rows and 80 columns or of this size. Default: false. */
  readonly pty?: boolean | Spawner.TerminalSize
  /** Its confinement. Only with the capability `confine`. */
  readonly confinement?: Confinement
  /** Takes the output instead of keeping it. */
  readonly onOutput?: (stream: Spawner.OutputStream, bytes: Uint8Array) => void
}

/** The PATH of every child that is given no environment. */
export const path = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"

/** A shell script as a command. */
export const sh = (script: string, ...args: ReadonlyArray<string>) =>
  ["/bin/sh", "-c", script, "sh", ...args] as const

/** The spec that a spawner gets for these options. */
export const specOf = (options: ChildOptions): Spawner.SpawnSpec => ({
  argv: options.argv,
  arg0: options.arg0,
  cwd: options.cwd ?? "/",
  env: options.env ?? { PATH: path },
  confinement: options.confinement,
  stdio:
    options.pty === undefined || options.pty === false
      ? { kind: "pipe", stdin: options.stdin ?? false }
      : { kind: "pty", size: options.pty === true ? { rows: 24, columns: 80 } : options.pty },
})

/** A child of the spawner under test. */
export class SpawnedChild {
  /** Every event in order: the name of a stream, its end as `/name`, `exit`. */
  readonly log: Array<string> = []
  /** Violations of what a spawner guarantees. */
  readonly faults: Array<string> = []
  /** The streams that have ended. */
  readonly ended = new Set<Spawner.OutputStream>()
  /** Bytes of output so far, of all streams. */
  count = 0
  /** Its exit status, once it has exited. */
  status: Spawner.ExitStatus | undefined
  /** The streams that it has. */
  readonly streams: ReadonlyArray<Spawner.OutputStream>
  private readonly options: ChildOptions
  private readonly timeoutMs: number
  private readonly scope = Effect.runSync(Scope.make())
  private readonly chunks: Record<Spawner.OutputStream, Array<Uint8Array>> = {
    stdout: [],
    stderr: [],
    pty: [],
  }
  private readonly looks = new Set<() => void>()
  private spawned: Spawner.ChildHandle | undefined
  private closed = false

  constructor(options: ChildOptions, timeoutMs: number) {
    this.options = options
    this.timeoutMs = timeoutMs
    this.streams = specOf(options).stdio.kind === "pty" ? ["pty"] : ["stdout", "stderr"]
  }

  /** Spawns the child; returns the error if it is refused. */
  async spawn(spawner: Spawner.SpawnerService): Promise<SpawnError | undefined> {
    const spec = specOf(this.options)
    const events = { output: this.onOutput, end: this.onEnd, exit: this.onExit }
    const spawning = spawner.spawn(spec, events).pipe(
      Effect.map((handle) => void (this.spawned = handle)),
      Effect.catchTag("SpawnError", Effect.succeed),
      Scope.provide(this.scope),
    )
    const refusal = await this.effect(spawning, `${spec.argv[0]} to be spawned`)
    return refusal ?? undefined
  }

  /** The handle of the child. Throws before `spawn` has succeeded. */
  get handle(): Spawner.ChildHandle {
    return this.spawned ?? fail("the child was not spawned")
  }

  /** Its output so far on one stream. */
  bytes(stream: Spawner.OutputStream): Buffer {
    return Buffer.concat(this.chunks[stream])
  }

  /** The text of a stream: of stdout, or of the PTY. */
  text(stream: Spawner.OutputStream = this.streams[0] ?? "stdout"): string {
    return this.bytes(stream).toString("utf8")
  }

  /** Waits for a condition that only events of this child change. */
  async until(holds: () => boolean, what: string): Promise<void> {
    if (holds()) return
    const held = new Promise<void>((resolve) => {
      this.looks.add(() => {
        if (holds()) resolve()
      })
    })
    await within(held, this.timeoutMs, what).catch((error: unknown) => {
      throw new CheckFailure(`${error instanceof Error ? error.message : what}; so far ${this.evidence()}`)
    })
  }

  /** Waits for the exit. */
  async exit(): Promise<Spawner.ExitStatus> {
    await this.until(() => this.status !== undefined, "the exit")
    return this.status ?? fail("no exit")
  }

  /** The exit and the end of every stream. */
  finished(): Promise<void> {
    return this.until(
      () => this.status !== undefined && this.streams.every((stream) => this.ended.has(stream)),
      "the exit and the end of every stream",
    )
  }

  /** Waits until the child has printed this. */
  seen(text: string): Promise<void> {
    return this.until(() => this.text().includes(text), `${JSON.stringify(text)} in the output`)
  }

  /** Closes the scope of the child. */
  async close(): Promise<void> {
    await this.effect(Scope.close(this.scope, Exit.void), "the scope to close")
    this.closed = true
  }

  /** Runs one operation of the handle; its failure fails the case. */
  async effect<A, E>(effect: Effect.Effect<A, E>, what: string): Promise<A> {
    const exit = await within(Effect.runPromiseExit(effect), this.timeoutMs, what)
    return Exit.isSuccess(exit) ? exit.value : fail(`${what}: failed with ${String(exit.cause)}`)
  }

  /** Writes to stdin or the PTY, and waits until the spawner has taken it. */
  write(bytes: Uint8Array | string): Promise<void> {
    const data = typeof bytes === "string" ? Buffer.from(bytes) : bytes
    return this.effect(this.handle.write(data), `a write of ${data.length} bytes`)
  }

  /** Sends a signal to the process group. */
  signal(name: Spawner.SignalName): Promise<void> {
    return this.effect(this.handle.signal(name), `the signal ${name}`)
  }

  /** Sets the size of the PTY. */
  resize(size: Spawner.TerminalSize): Promise<void> {
    const { resize } = this.handle
    return resize === undefined ? missing("resize") : this.effect(resize(size), "the resize")
  }

  /** Asks the spawner to stop reading. Fails the case if it cannot. */
  pause(): void {
    const { pause } = this.handle
    if (pause === undefined) missing("pause")
    else pause()
  }

  /** Asks the spawner to read on. Fails the case if it cannot. */
  resume(): void {
    const { resume } = this.handle
    if (resume === undefined) missing("resume")
    else resume()
  }

  /** The output and the exit so far, for the text of a failure. */
  evidence(): string {
    const streams = this.streams.map((stream) => {
      const bytes = this.bytes(stream)
      const text =
        bytes.length > 0 ? ` ${clip(JSON.stringify(bytes.subarray(-200).toString("utf8")), 200)}` : ""
      return `${stream}: ${bytes.length} bytes${this.ended.has(stream) ? ", ended" : ""}${text}`
    })
    return [...streams, `exit: ${JSON.stringify(this.status) ?? "none"}`].join("; ")
  }

  private readonly onOutput = (stream: Spawner.OutputStream, bytes: Uint8Array): void => {
    this.event(stream, `output of ${stream}`, stream)
    if (this.ended.has(stream)) this.faults.push(`output of ${stream} came after its end`)
    this.count += bytes.length
    if (this.options.onOutput !== undefined) this.options.onOutput(stream, bytes)
    else this.chunks[stream]?.push(Uint8Array.from(bytes)) // the bytes are valid during this call only
    this.look()
  }

  private readonly onEnd = (stream: Spawner.OutputStream): void => {
    this.event(`/${stream}`, `the end of ${stream}`, stream)
    if (this.ended.has(stream)) this.faults.push(`the end of ${stream} was reported twice`)
    this.ended.add(stream)
    this.look()
  }

  private readonly onExit = (status: Spawner.ExitStatus): void => {
    this.event("exit", "the exit")
    if (this.status !== undefined) this.faults.push("the exit was reported twice")
    else this.status = status
    this.look()
  }

  private event(entry: string, what: string, stream?: Spawner.OutputStream): void {
    this.log.push(entry)
    if (this.spawned === undefined) this.faults.push(`${what} came before spawn had succeeded`)
    if (this.closed) this.faults.push(`${what} came after the scope had closed`)
    if (stream !== undefined && !this.streams.includes(stream))
      this.faults.push(`${what}: no such stream here`)
  }

  private look(): void {
    for (const look of this.looks) look()
  }
}

const missing = (what: string): never => fail(`the capability is declared, but the handle has no ${what}`)
