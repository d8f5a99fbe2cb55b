/**
 * A child that plays its script, with everything a spawner may do: output that was read before a pause still arrives,
 * streams end before or after the exit, a descendant holds them after a kill. Plain functions on timers of the world.
 */
import * as Effect from "effect/Effect"
import { utf8 } from "../../core/protocol/Bytes.ts"
import { StdinError } from "../../core/spawn/SpawnError.ts"
import type { ChildHandle, ExitStatus, OutputStream, SpawnEvents } from "../../core/spawn/Spawner.ts"
import type { Act, Script } from "./Script.ts"
import type { Truth } from "./Truth.ts"
import type { World } from "./World.ts"

/** A descendant that holds the streams for longer than this lets go of them only when they are abandoned. */
const longestHeld = 60_000

/** Milliseconds after the retention time within which the scope of a closed child begins to close. */
const closeBound = 15_000

export class Child {
  private readonly world: World
  private readonly truth: Truth
  private readonly script: Script
  private readonly events: SpawnEvents
  private readonly open: Set<OutputStream>
  private readonly acts: Array<Act>
  private status: ExitStatus | undefined
  private released = false
  private killed = false
  private obeys = false
  private paused = false
  private afterPause = 0
  private playing = false
  private readonly retentionMillis: number
  private readonly stdin: ReturnType<typeof stdinOf>

  constructor(world: World, truth: Truth, script: Script, events: SpawnEvents, retentionMillis: number) {
    this.world = world
    this.truth = truth
    this.script = script
    this.events = events
    this.retentionMillis = retentionMillis
    this.acts = [...script.acts]
    this.open = new Set(script.pty ? ["pty"] : ["stdout", "stderr"])
    this.stdin = stdinOf(world, truth, script.reads, () => this.released || this.status !== undefined)
    truth.spawnedAt = world.now
    truth.witness?.spawned()
    world.after(0, this.play)
    this.stdin.begin()
  }

  handle(pauses: boolean): ChildHandle {
    return {
      pid: undefined,
      write: (bytes) => this.stdin.write(bytes),
      endStdin: Effect.sync(() => this.note("stdin ends")),
      signal: (signal) => Effect.sync(() => this.signal(signal)),
      kill: Effect.sync(() => this.kill()),
      abandonOutput: Effect.sync(() => this.endAll()),
      lingering: Effect.sync(() => this.lingers()),
      resize: () => Effect.void,
      ...(pauses && { pause: () => this.pause(), resume: () => this.resume() }),
    }
  }

  /** The scope closes: nothing is delivered from now on. */
  release(): void {
    this.released = true
    this.truth.releasedAt = this.world.now
    this.note("released")
    this.open.clear()
    this.stdin.wake()
  }

  private readonly play = (): void => {
    this.playing = false
    while (!this.released && !this.killed) {
      const [act] = this.acts
      if (act === undefined) return
      if (act.kind === "wait") {
        this.acts.shift()
        this.playLater(act.millis)
        return
      }
      // A mark that is cut counts as two.
      if ((act.kind === "output" || act.kind === "mark") && this.paused && this.afterPause <= 0) return
      this.acts.shift()
      if (act.kind === "output") this.output(act.stream, act.bytes)
      else if (act.kind === "mark") this.mark(act)
      else if (act.kind === "end") this.end(act.stream)
      else this.exit(act.signal ? { kind: "signaled", signal: 15 } : { kind: "exited", code: act.code })
    }
  }

  private playLater(millis: number): void {
    if (this.playing) return
    this.playing = true
    this.world.after(millis, this.play)
  }

  private output(stream: OutputStream, length: number): void {
    if (!this.open.has(stream)) return
    if (this.paused) this.afterPause -= 1
    const bytes = this.truth.write(stream, length, this.world.now)
    this.truth.witness?.wrote()
    this.note(`writes ${length} to ${stream}`)
    this.events.output(stream, bytes)
    // The bytes are valid during the call only.
    bytes.fill(0)
  }

  /** In two pieces, if it is cut. */
  private mark({ stream, text, cut, tells }: Act & { readonly kind: "mark" }): void {
    if (!this.open.has(stream)) return
    const bytes = utf8.encode(text)
    this.truth.willWrite(stream, bytes, tells)
    for (const length of [Math.min(cut, bytes.length), bytes.length - cut])
      if (length > 0) this.output(stream, length)
  }

  private end(stream: OutputStream): void {
    if (!this.open.delete(stream)) return
    this.note(`ends ${stream}`)
    if (this.open.size === 0) this.truth.endedAt = this.world.now
    this.events.end(stream)
    this.expectRelease()
  }

  private endAll(): void {
    for (const stream of this.open) this.end(stream)
  }

  private exit(status: ExitStatus): void {
    if (this.status !== undefined || this.released) return
    this.status = status
    const { truth, world } = this
    truth.exitedAt = world.now
    truth.exitedAfter = truth.pieces.length
    truth.died = status.kind === "signaled"
    truth.exitCode = status.kind === "exited" ? status.code : 128 + status.signal
    this.note(`exits with ${truth.exitCode}`)
    this.stdin.wake()
    this.events.exit(status)
    this.expectRelease()
  }

  /** A closed child is kept for its time, and until its descendants are gone; then its scope closes. */
  private expectRelease(): void {
    // An exit counts when the pause is over in which it came.
    if (this.status === undefined || this.open.size > 0 || this.paused) return
    const { retentionMillis, script, world } = this
    const lingers = script.lingerMillis === 0 ? 0 : script.lingerMillis + retentionMillis
    world.watch(retentionMillis + lingers + script.releaseMillis + closeBound, () => {
      if (!this.released)
        world.violate("what is open is closed", `the scope of ${this.truth.key} is open after its time`)
    })
  }

  private kill(): void {
    this.note("is killed")
    this.truth.witness?.killed()
    this.truth.killedAt ??= this.world.now
    if (this.killed || this.released) return
    this.killed = true
    const { millis, endsFirst, heldMillis } = this.script.killed
    this.world.after(millis, () => {
      if (endsFirst && heldMillis === 0) this.endAll()
      this.exit({ kind: "signaled", signal: 9 })
      if (heldMillis < longestHeld) this.world.after(heldMillis, () => !this.released && this.endAll())
    })
  }

  /** SIGTERM ends a child whose script says so, once; what it still writes until then is its last output. */
  private signal(name: string): void {
    this.note(name)
    this.truth.witness?.signalled(name)
    const { asked } = this.script
    if (asked === undefined || asked.ignores || name !== "SIGTERM" || this.obeys) return
    this.obeys = true
    this.world.after(asked.millis, () => {
      if (this.killed || this.released) return
      this.acts.length = 0
      this.exit(
        asked.code === undefined ? { kind: "signaled", signal: 15 } : { kind: "exited", code: asked.code },
      )
      this.world.after(asked.heldMillis, () => !this.released && this.endAll())
    })
  }

  private lingers(): boolean {
    const since = this.truth.exitedAt ?? this.world.now
    return !this.released && this.world.now < since + this.script.lingerMillis
  }

  private pause(): void {
    this.note("is paused")
    this.paused = true
    this.truth.readSince = Infinity
    this.afterPause = this.script.afterPause
  }

  private resume(): void {
    this.note("goes on")
    this.paused = false
    this.truth.readSince = this.world.now
    this.playLater(0)
    this.expectRelease()
  }

  private note(what: string): void {
    this.world.trace.add(this.world.now, `child ${this.truth.key} ${what}`)
  }
}

/** The stdin of a child: it reads from some time on, each write for so long, until it is deaf or `isOver`. */
const stdinOf = (
  world: World,
  truth: Truth,
  { from, each, until }: Script["reads"],
  isOver: () => boolean,
) => {
  const reads = { from: world.now + from, until: world.now + until, each }
  truth.reads = reads
  const readers = new Set<() => void>()
  const isDeaf = () => isOver() || world.now >= reads.until
  /** Fails those that wait, if there is no reader any more. */
  const wake = () => {
    for (const reader of readers) reader()
  }
  const take = (number: number) => {
    const { written, key } = truth
    const before = truth.overtakes(number)
    world.trace.add(world.now, `child ${key} reads write ${number}`)
    if (written.includes(number))
      world.violate("a write reaches its process once", `${key} reads write ${number} again`)
    if (before !== undefined)
      world.violate("writes reach a process in order", `${key} reads write ${before} before ${number}`)
    written.push(number)
  }
  /** Completes when the child has read it. */
  const write = (bytes: Uint8Array) =>
    Effect.callback<void, StdinError>((resume) => {
      const gone = () => resume(Effect.fail(new StdinError({ reason: "Closed" })))
      const leave = () => {
        cancel()
        readers.delete(reader)
      }
      let cancel = () => {}
      const reader = () => {
        if (!isDeaf()) return
        leave()
        gone()
      }
      const read = () => {
        readers.delete(reader)
        if (isDeaf()) return gone()
        take(bytes[0]! * 256 + bytes[1]!)
        resume(Effect.void)
      }
      const wait = Math.max(0, reads.from - world.now) + each
      if (isDeaf() || wait === 0) return read()
      cancel = world.after(wait, read)
      readers.add(reader)
      return Effect.sync(leave)
    })
  /** Those that wait when it stops reading are woken then. */
  const begin = () => {
    if (Number.isFinite(until)) world.after(until, wake)
  }
  return { begin, write, wake }
}
