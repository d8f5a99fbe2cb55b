/** A keeper in memory over scripted children, for one server after the other. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as OutputLog from "../../../process/OutputLog.ts"
import * as Fake from "../../../spawn/Fake.ts"
import type { KeeperService } from "../../../spawn/Keeper.ts"
import * as Spawner from "../../../spawn/Spawner.ts"

/** Something of a child in its place. */
type Event =
  | { readonly kind: "end"; readonly after: number; readonly stream: Spawner.OutputStream }
  | { readonly kind: "exit"; readonly after: number; readonly status: Spawner.ExitStatus }

interface Held {
  readonly spec: Spawner.SpawnSpec
  readonly log: OutputLog.OutputLog
  readonly lost: { stdout: number; stderr: number; pty: number }
  readonly events: Array<Event>
  readonly placed: Array<readonly [chunk: number, seq: number]>
  readonly scope: Scope.Closeable
  readonly writeIds: Array<string>
  handle: Spawner.ChildHandle
  about: string | undefined
  size: Spawner.TerminalSize | undefined
  follower: Follower | undefined
}

/** The server of a child. */
interface Follower {
  readonly events: Spawner.SpawnEvents
  nextSeq: () => number
  expected: number
}

/** The spawner and the keeper of one server. */
export interface Served {
  readonly spawner: Spawner.SpawnerService
  readonly keeper: KeeperService
  /** The server dies. */
  readonly die: Effect.Effect<void>
}

/** Children that live as long as the scope; `capacity` is that of each log. */
export const make = (options: Fake.Options = {}, capacity = OutputLog.defaultCapacity) =>
  Effect.gen(function* () {
    const fake = yield* Fake.make(options)
    const inner = yield* Effect.provide(Spawner.Spawner, fake.layer)
    const outer = yield* Effect.scope
    const all = new Set<Held>()

    const end = (held: Held) =>
      Effect.suspend(() => (all.delete(held) ? Scope.close(held.scope, Exit.void) : Effect.void))

    const start = (spec: Spawner.SpawnSpec, follower: Follower) =>
      Effect.gen(function* () {
        const scope = yield* Scope.fork(outer)
        const log = OutputLog.make(capacity)
        const held: Held = {
          spec,
          log,
          lost: { stdout: 0, stderr: 0, pty: 0 },
          events: [],
          placed: [],
          scope,
          writeIds: [],
          handle: undefined as never,
          about: undefined,
          size: undefined,
          follower,
        }
        log.evicting = (bytes) => {
          const oldest = log.after(0)
          if (oldest !== undefined) held.lost[oldest.stream] += bytes
        }
        const note = (event: Event) => {
          held.events.push(event)
          deliver(held, event)
        }
        held.handle = yield* Scope.provide(
          inner.spawn(spec, {
            output: (stream, bytes) => {
              const before = log.nextSeq() - 1
              log.append(stream, bytes)
              for (let one = log.after(before); one !== undefined; one = log.after(one.seq)) push(held, one)
            },
            end: (stream) => note({ kind: "end", after: log.nextSeq() - 1, stream }),
            exit: (status) => note({ kind: "exit", after: log.nextSeq() - 1, status }),
          }),
          scope,
        )
        all.add(held)
        return held
      })

    const server: Effect.Effect<Served> = Effect.sync(() => {
      const mine = new Set<Held>()
      let [leaving, dead] = [false, false]
      const follow = (held: Held, follower: Follower) =>
        Effect.gen(function* () {
          mine.add(held)
          yield* Effect.addFinalizer(() => (dead || leaving ? Effect.void : end(held)))
          return toHandle(held, follower)
        })
      const leave = Effect.gen(function* () {
        for (const held of mine) {
          held.follower = undefined
          held.handle.resume?.()
          if (held.about === undefined) yield* end(held)
        }
      })
      return {
        spawner: {
          capabilities: inner.capabilities,
          spawn: (spec, events) => {
            const follower = { events, nextSeq: () => 1, expected: 1 }
            return Effect.flatMap(start(spec, follower), (held) => follow(held, follower))
          },
        },
        keeper: {
          left: Effect.sync(() =>
            [...all].map((held) => ({
              about: held.about ?? "",
              lost: held.lost,
              size: held.size,
              writeIds: held.writeIds,
              adopt: (events, skip) =>
                Effect.suspend(() => {
                  const follower = { events, nextSeq: () => 1, expected: 1 }
                  replay(held, events, skip)
                  follower.expected = seqOf(held, held.log.nextSeq())
                  held.follower = follower
                  return follow(held, follower)
                }),
              end: end(held),
            })),
          ),
          leave: Effect.sync(() => void (leaving = true)),
        },
        die: Effect.andThen(
          Effect.sync(() => void (dead = true)),
          leave,
        ),
      }
    })
    return { fake, server }
  })

const deliver = ({ follower }: Held, event: Event) => {
  if (event.kind === "end") follower?.events.end(event.stream)
  else follower?.events.exit(event.status)
}

const push = (
  { follower, placed }: Held,
  { seq, stream, bytes }: NonNullable<ReturnType<OutputLog.OutputLog["after"]>>,
) => {
  if (follower === undefined) return
  const at = follower.nextSeq()
  if (at !== follower.expected) placed.push([seq, at])
  follower.expected = at + 1
  follower.events.output(stream, bytes)
}

/** The seq of a chunk for the servers. */
const seqOf = ({ placed }: Held, chunk: number): number => {
  const [from, seq] = placed.filter(([from]) => from <= chunk).at(-1) ?? [1, 1]
  return seq + chunk - from
}

const replay = (held: Held, events: Spawner.SpawnEvents, skip: (seq: number) => void) => {
  const rest = [...held.events]
  let expected = 1
  const upTo = (chunk: number) => {
    while (rest[0] !== undefined && rest[0].after < chunk) {
      const event = rest.shift() as Event
      if (event.kind === "end") events.end(event.stream)
      else events.exit(event.status)
    }
  }
  for (let one = held.log.after(0); one !== undefined; one = held.log.after(one.seq)) {
    upTo(one.seq)
    const seq = seqOf(held, one.seq)
    if (seq !== expected) skip(seq)
    expected = seq + 1
    events.output(one.stream, one.bytes)
  }
  upTo(Infinity)
}

const toHandle = (held: Held, follower: Follower): Spawner.ChildHandle => ({
  ...held.handle,
  write: (bytes, writeId) => {
    if (writeId !== undefined) held.writeIds.push(writeId)
    return held.handle.write(bytes)
  },
  resize: (size) => {
    held.size = size
    return held.handle.resize?.(size) ?? Effect.void
  },
  keep: (about, _endedMillis, nextSeq) => {
    held.about = about
    follower.nextSeq = nextSeq
  },
})
