/**
 * A keeper in memory over any spawner, for one server after the other. Its children have the output of a real holder,
 * a queue for their input, and a time for which they wait for the next server.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as OutputLog from "../../process/OutputLog.ts"
import { WriteIds } from "../../process/StdinQueue.ts"
import * as Fork from "../../protocol/Fork.ts"
import * as Fake from "../../spawn/Fake.ts"
import type { KeeperService, Left } from "../../spawn/Keeper.ts"
import type { StdinError } from "../../spawn/SpawnError.ts"
import * as Spawner from "../../spawn/Spawner.ts"
import { HeldOutput, Places } from "./HeldOutput.ts"

/** The bounds of a keeper. */
export interface Bounds {
  /** The output that is retained of each child. Default: that of a server. */
  readonly capacity?: OutputLog.Capacity
  /** The milliseconds for which a child waits for a server. Default: for ever. */
  readonly ttlMillis?: number
  /** Called when a child has waited in vain. */
  readonly expired?: (spec: Spawner.SpawnSpec) => void
}

/** The spawner and the keeper of one server. */
export interface Served {
  readonly spawner: Spawner.SpawnerService
  readonly keeper: KeeperService
  /** The server is gone, from one moment to the next. */
  readonly die: Effect.Effect<void>
}

export interface FakeKeeper {
  /** A server begins. The one before is dead, or has left. */
  readonly server: Effect.Effect<Served>
  /** The number of children. */
  readonly count: () => number
}

/** A write that waits for those before it. */
interface Write {
  readonly bytes: Uint8Array
  readonly done: Deferred.Deferred<void, StdinError>
}

class Held {
  readonly spec: Spawner.SpawnSpec
  readonly output: HeldOutput
  readonly writeIds = new WriteIds()
  readonly scope: Scope.Closeable
  readonly writes: Array<Write> = []
  handle: Spawner.ChildHandle | undefined
  note: { readonly about: string; readonly endedMillis: number | undefined } | undefined
  size: Spawner.TerminalSize | undefined
  endedAtMs: number | undefined
  /** A server has heard of the exit and all ends. */
  told = false
  timer: Fiber.Fiber<unknown, unknown> | undefined

  constructor(spec: Spawner.SpawnSpec, capacity: OutputLog.Capacity, scope: Scope.Closeable) {
    this.spec = spec
    this.output = new HeldOutput(spec.stdio.kind === "pty", capacity)
    this.scope = scope
  }
}

/** A keeper of the children of `inner`, which live as long as the scope. */
export const over = (
  inner: Spawner.SpawnerService,
  { capacity = OutputLog.defaultCapacity, expired = () => {}, ttlMillis = Infinity }: Bounds = {},
): Effect.Effect<FakeKeeper, never, Scope.Scope> =>
  Effect.gen(function* () {
    const outer = yield* Effect.scope
    const fork = yield* Fork.inScope
    const clock = yield* Effect.clockWith(Effect.succeed)
    const all = new Set<Held>()
    const sessions = new Set<string>()

    const end = (held: Held) =>
      Effect.suspend(() => {
        held.output.taker = undefined
        return all.delete(held) ? Scope.close(held.scope, Exit.void) : Effect.void
      })

    /** A child without a server waits for its time, which begins again when it ends. */
    const wait = (held: Held) => {
      held.timer?.interruptUnsafe()
      const millis = Math.min(ttlMillis, (held.told ? held.note?.endedMillis : undefined) ?? Infinity)
      const expire = Effect.suspend(() => {
        expired(held.spec)
        return Effect.uninterruptible(end(held))
      })
      held.timer = millis === Infinity ? undefined : fork(Effect.andThen(Effect.sleep(millis), expire))
    }

    const start = (spec: Spawner.SpawnSpec, taker: Follower) =>
      Effect.gen(function* () {
        const held = new Held(spec, capacity, yield* Scope.fork(outer))
        taker.follow(held)
        const { events } = held.output
        held.output.onEnded = () => {
          if (held.output.taker === undefined) wait(held)
          else held.told = true
        }
        all.add(held)
        const spawned = inner.spawn(spec, {
          ...events,
          exit: (status, ending) => {
            held.endedAtMs = clock.currentTimeMillisUnsafe()
            events.exit(status, ending)
          },
        })
        held.handle = yield* Effect.onExit(Scope.provide(spawned, held.scope), (exit) =>
          Exit.isSuccess(exit) ? Effect.void : end(held),
        )
        return held
      })

    const write = (held: Held, bytes: Uint8Array, writeId: string | undefined) =>
      Effect.suspend(() => {
        held.writeIds.add(writeId)
        const done = Deferred.makeUnsafe<void, StdinError>()
        held.writes.push({ bytes: bytes.slice(), done })
        if (held.writes.length === 1) fork(drain(held))
        return Deferred.await(done)
      })

    /** The handle of a server, which does nothing once that is gone. */
    const toHandle = (
      held: Held,
      handle: Spawner.ChildHandle,
      follower: Follower,
      isGone: () => boolean,
    ): Spawner.ChildHandle => {
      const { outlived, pause, resize, resume, unread } = handle
      const unless = <A, E>(effect: Effect.Effect<A, E>, gone: A) =>
        Effect.suspend(() => (isGone() ? Effect.succeed(gone) : effect))
      return {
        pid: handle.pid,
        write: (bytes, writeId) => unless(write(held, bytes, writeId), undefined),
        queuesInput: true,
        endStdin: unless(handle.endStdin, undefined),
        signal: (name) => unless(handle.signal(name), undefined),
        kill: unless(handle.kill, undefined),
        abandonOutput: unless(handle.abandonOutput, undefined),
        lingering: unless(handle.lingering, false),
        ...(outlived && { outlived: unless(outlived, false) }),
        ...(unread && { unread: unless(unread, false) }),
        ...(pause && { pause: () => void (isGone() || pause()) }),
        ...(resume && { resume: () => void (isGone() || resume()) }),
        ...(resize && {
          resize: (size) => {
            held.size = size
            return unless(resize(size), undefined)
          },
        }),
        keep: (about, endedMillis, nextSeq) => {
          held.note = { about, endedMillis }
          follower.places.nextSeq = nextSeq
          return () => follower.places.moved()
        },
      }
    }

    const server: Effect.Effect<Served> = Effect.sync(() => {
      const mine = new Set<Held>()
      let [leaves, gone] = [false, false]
      const follow = (held: Held, handle: Spawner.ChildHandle, follower: Follower) =>
        Effect.gen(function* () {
          mine.add(held)
          yield* Effect.addFinalizer(() => (leaves && held.note !== undefined ? Effect.void : end(held)))
          return toHandle(held, handle, follower, () => gone)
        })
      /** The server is gone. */
      const detach = Effect.suspend(() =>
        Effect.forEach(
          [...mine].filter((held) => all.has(held)),
          (held) => {
            held.output.taker = undefined
            held.handle?.resume?.()
            if (held.note === undefined) return end(held)
            wait(held)
            return Effect.void
          },
          { concurrency: "unbounded", discard: true },
        ),
      )
      const leave = Effect.sync(() => void (leaves = true))
      const die = Effect.sync(() => void (leaves = gone = true))
      const leftOf = (held: Held): Left => ({
        about: held.note?.about ?? "",
        lost: { ...held.output.lost },
        size: held.size,
        endedAtMs: held.endedAtMs,
        writeIds: held.writeIds.list(),
        adopt: (events, skip) =>
          Effect.suspend(() => {
            held.timer?.interruptUnsafe()
            const follower = new Follower(events, skip)
            held.output.replay(follower)
            follower.follow(held)
            held.told = held.output.ended
            const { handle } = held
            handle?.resume?.()
            return handle === undefined ? Effect.die(new Error("no child")) : follow(held, handle, follower)
          }),
        pass: Effect.sync(() => held.handle?.resume?.()),
        end: end(held),
      })
      return {
        spawner: {
          capabilities: inner.capabilities,
          spawn: (spec, events) => {
            const follower = new Follower(events, () => {})
            return Effect.flatMap(start(spec, follower), (held) =>
              leaves ? Effect.andThen(end(held), Effect.interrupt) : follow(held, held.handle!, follower),
            )
          },
        },
        keeper: {
          left: Effect.sync(() => {
            const left = [...all].filter(({ note }) => note !== undefined)
            for (const { handle } of left) handle?.pause?.()
            return left.map(leftOf)
          }),
          sessions: Effect.sync(() => [...sessions]),
          remember: (id) => {
            sessions.add(id)
            return () => void (gone || sessions.delete(id))
          },
          leave,
        },
        die: Effect.andThen(die, detach),
      }
    })
    return { server, count: () => all.size }
  })

/** Writes what waits, one after the other, whatever becomes of the server. */
const drain = (held: Held): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (let [next] = held.writes; next !== undefined; [next] = held.writes) {
      const written = yield* Effect.exit(held.handle?.write(next.bytes) ?? Effect.void)
      held.writes.shift()
      Deferred.doneUnsafe(next.done, Exit.isSuccess(written) ? Exit.void : written)
    }
  })

/** A child as its server has it. */
class Follower {
  /** The recipient of the seqs of outputs. */
  held: Held | undefined
  readonly places = new Places((n, seq) => this.held?.output.placed(n, seq))
  private readonly events: Spawner.SpawnEvents
  private readonly skipped: (seq: number) => void

  constructor(events: Spawner.SpawnEvents, skipped: (seq: number) => void) {
    this.events = events
    this.skipped = skipped
  }

  follow(held: Held): void {
    this.held = held
    held.output.taker = this
  }

  skip(n: number, seq: number): void {
    this.places.skip(n, seq)
    this.skipped(seq)
  }

  output(n: number, stream: Spawner.OutputStream, bytes: Uint8Array): void {
    this.places.take(n)
    this.events.output(stream, bytes)
  }

  end(stream: Spawner.OutputStream): void {
    this.events.end(stream)
  }

  exit(status: Spawner.ExitStatus, ending?: Spawner.Ending): void {
    this.events.exit(status, ending)
  }
}

/** A keeper of scripted children, and those. */
export const make = (options: Fake.Options = {}, capacity = OutputLog.defaultCapacity) =>
  Effect.gen(function* () {
    const fake = yield* Fake.make(options)
    const inner = yield* Effect.provide(Spawner.Spawner, fake.layer)
    const { server } = yield* over(inner, { capacity })
    return { fake, server }
  })
