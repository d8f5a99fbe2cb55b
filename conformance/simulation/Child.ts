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

/** A child of a spawner: its handle, and the close of its scope. */
export interface Child {
  readonly handle: (pauses: boolean) => ChildHandle
  /** The scope closes: nothing is delivered from now on. */
  readonly release: () => void
}

/** Begins to play a script. */
export const make = (
  world: World,
  truth: Truth,
  script: Script,
  events: SpawnEvents,
  retentionMillis: number,
): Child => {
  const open = new Set<OutputStream>(script.pty ? ["pty"] : ["stdout", "stderr"])
  const acts = [...script.acts]
  let status: ExitStatus | undefined
  let released = false
  let killed = false
  let obeys = false
  let paused = false
  let afterPause = 0
  let playing = false
  const stdin = stdinOf(world, truth, script.reads, () => released || status !== undefined)

  const handle = (pauses: boolean): ChildHandle => {
    return {
      pid: undefined,
      write: (bytes) => stdin.write(bytes),
      endStdin: Effect.sync(() => note("stdin ends")),
      signal: (name) => Effect.sync(() => signal(name)),
      kill: Effect.sync(kill),
      abandonOutput: Effect.sync(endAll),
      lingering: Effect.sync(lingers),
      resize: () => Effect.void,
      ...(pauses && { pause, resume }),
    }
  }

  const release = (): void => {
    released = true
    truth.releasedAt = world.now
    note("released")
    open.clear()
    stdin.wake()
  }

  const play = (): void => {
    playing = false
    while (!released && !killed) {
      const [act] = acts
      if (act === undefined) return
      if (act.kind === "wait") {
        acts.shift()
        playLater(act.millis)
        return
      }
      // A mark that is cut counts as two.
      if ((act.kind === "output" || act.kind === "mark") && paused && afterPause <= 0) return
      acts.shift()
      if (act.kind === "output") output(act.stream, act.bytes)
      else if (act.kind === "mark") mark(act)
      else if (act.kind === "end") end(act.stream)
      else exit(act.signal ? { kind: "signaled", signal: 15 } : { kind: "exited", code: act.code })
    }
  }

  const playLater = (millis: number): void => {
    if (playing) return
    playing = true
    world.after(millis, play)
  }

  const output = (stream: OutputStream, length: number): void => {
    if (!open.has(stream)) return
    if (paused) afterPause -= 1
    const bytes = truth.write(stream, length, world.now)
    truth.witness?.wrote()
    note(`writes ${length} to ${stream}`)
    events.output(stream, bytes)
    // The bytes are valid during the call only.
    bytes.fill(0)
  }

  /** In two pieces, if it is cut. */
  const mark = ({ stream, text, cut, tells }: Act & { readonly kind: "mark" }): void => {
    if (!open.has(stream)) return
    const bytes = utf8.encode(text)
    truth.willWrite(stream, bytes, tells)
    for (const length of [Math.min(cut, bytes.length), bytes.length - cut])
      if (length > 0) output(stream, length)
  }

  const end = (stream: OutputStream): void => {
    if (!open.delete(stream)) return
    note(`ends ${stream}`)
    if (open.size === 0) truth.endedAt = world.now
    events.end(stream)
    expectRelease()
  }

  const endAll = (): void => {
    for (const stream of open) end(stream)
  }

  const exit = (how: ExitStatus): void => {
    if (status !== undefined || released) return
    status = how
    truth.exitedAt = world.now
    truth.exitedAfter = truth.pieces.length
    truth.died = how.kind === "signaled"
    truth.exitCode = how.kind === "exited" ? how.code : 128 + how.signal
    note(`exits with ${truth.exitCode}`)
    stdin.wake()
    events.exit(how)
    expectRelease()
  }

  /** A closed child is kept for its time, and until its descendants are gone; then its scope closes. */
  const expectRelease = (): void => {
    // An exit counts when the pause is over in which it came.
    if (status === undefined || open.size > 0 || paused) return
    const lingers = script.lingerMillis === 0 ? 0 : script.lingerMillis + retentionMillis
    world.watch(retentionMillis + lingers + script.releaseMillis + closeBound, () => {
      if (!released)
        world.violate("what is open is closed", `the scope of ${truth.key} is open after its time`)
    })
  }

  const kill = (): void => {
    note("is killed")
    truth.witness?.killed()
    truth.killedAt ??= world.now
    if (killed || released) return
    killed = true
    const { millis, endsFirst, heldMillis } = script.killed
    world.after(millis, () => {
      if (endsFirst && heldMillis === 0) endAll()
      exit({ kind: "signaled", signal: 9 })
      if (heldMillis < longestHeld) world.after(heldMillis, () => !released && endAll())
    })
  }

  /** SIGTERM ends a child whose script says so, once; what it still writes until then is its last output. */
  const signal = (name: string): void => {
    note(name)
    truth.witness?.signalled(name)
    const { asked } = script
    if (asked === undefined || asked.ignores || name !== "SIGTERM" || obeys) return
    obeys = true
    world.after(asked.millis, () => {
      if (killed || released) return
      acts.length = 0
      exit(asked.code === undefined ? { kind: "signaled", signal: 15 } : { kind: "exited", code: asked.code })
      world.after(asked.heldMillis, () => !released && endAll())
    })
  }

  const lingers = (): boolean => {
    const since = truth.exitedAt ?? world.now
    return !released && world.now < since + script.lingerMillis
  }

  const pause = (): void => {
    note("is paused")
    paused = true
    truth.readSince = Infinity
    afterPause = script.afterPause
  }

  const resume = (): void => {
    note("goes on")
    paused = false
    truth.readSince = world.now
    playLater(0)
    expectRelease()
  }

  const note = (what: string): void => {
    world.note(`child ${truth.key} ${what}`)
  }
  truth.spawnedAt = world.now
  truth.witness?.spawned()
  world.after(0, play)
  stdin.begin()
  return { handle, release }
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
    world.note(`child ${key} reads write ${number}`)
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
