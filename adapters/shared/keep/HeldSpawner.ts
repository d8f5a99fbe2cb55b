/**
 * A spawner whose children are those of a holder, and its keeper: children that are noted outlive this server, and the
 * next one takes them over.
 *
 * The holder is found, or started, with `make`. If it ends, every child is reported as killed by signal 9, because its
 * reaper has killed them; the next spawn starts another one.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Turn from "../../../core/protocol/Turn.ts"
import type { KeeperService, Left } from "../../../core/spawn/Keeper.ts"
import type * as Evidence from "../../../core/spawn/ProcessEvidence.ts"
import * as SpawnError from "../../../core/spawn/SpawnError.ts"
import type * as Spawner from "../../../core/spawn/Spawner.ts"
import * as SpecCheck from "../../../core/spawn/SpecCheck.ts"
import * as HolderLink from "./HolderLink.ts"
import * as HolderProcess from "./HolderProcess.ts"
import * as HolderWire from "./HolderWire.ts"
import { KeepProblem } from "./KeepProblem.ts"
import { LinkedChild } from "./LinkedChild.ts"

const { kinds } = HolderWire

/** Options of `make`. */
export interface Options extends HolderProcess.Options {
  /** Milliseconds that a child without a server is kept; undefined for those of the server before. */
  readonly ttlMillis: number | undefined
  /** The longest time for the handshake, in milliseconds; the default is 10,000. */
  readonly helloMillis?: number
}

/** The children of a holder. */
export interface Held {
  readonly spawner: Spawner.SpawnerService
  readonly keeper: KeeperService
  /** The number of children that outlive this server. */
  readonly count: () => number
  /** The evidence of the holder, whose children they are. */
  readonly evidence: Evidence.ProcessEvidenceService
}

/** Finds or starts the holder of a state folder, for this server alone, until the scope closes. */
export const make = (options: Options): Effect.Effect<Held, KeepProblem, Scope.Scope> =>
  Effect.gen(function* () {
    const warn = Effect.runForkWith(yield* Effect.context<never>())
    let leaving = false
    let current: HolderLink.HolderLink | undefined
    const children = new Set<LinkedChild>()
    const sessions = new Set<string>()
    const turn = Turn.make()
    const connect = Effect.suspend(() =>
      connected(options, (why) => {
        if (!leaving) warn(Effect.logWarning(`the holder of processes is gone with all of them: ${why}`))
      }),
    )
    const link = turn(
      Effect.uninterruptible(
        Effect.suspend(() => {
          if (current?.isOpen() === true) return Effect.succeed(current)
          const again = current !== undefined
          return Effect.tap(connect, (made) => {
            current = made
            if (!again) return Effect.void
            for (const id of sessions) made.session(id, true)
            // Those of a connection that has broken were reported as killed.
            return Effect.flatMap(made.list, (left) => endAll(made, left))
          })
        }),
      ),
    )
    const first = yield* link
    yield* Effect.addFinalizer(() => current?.close ?? Effect.void)
    const { capabilities } = first.welcome

    const follow = (
      link: HolderLink.HolderLink,
      number: number,
      events: Spawner.SpawnEvents,
      pty: boolean,
      start: (child: LinkedChild) => Effect.Effect<HolderWire.Reply | undefined>,
    ): Effect.Effect<Spawner.ChildHandle, SpawnError.SpawnError, Scope.Scope> =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const child = new LinkedChild(link, number, pty, events)
          link.listen(number, child)
          const end = Effect.suspend(() => {
            child.mute()
            children.delete(child)
            link.unlisten(number)
            return leaving && child.isNoted ? Effect.void : bounded(link.request(kinds.forget, number))
          })
          const reply = yield* Effect.onInterrupt(restore(start(child)), () => end)
          if (reply?.started === undefined) {
            link.unlisten(number)
            return yield* Effect.fail(refusalOf(reply))
          }
          children.add(child)
          yield* Effect.addFinalizer(() => end)
          // The caller has the handle before the first event.
          setImmediate(() => child.open())
          return child.toHandle(reply.started, capabilities)
        }),
      )

    const spawn: Spawner.SpawnerService["spawn"] = (spec, events) => {
      const refusal = SpecCheck.refusal(spec)
      if (refusal !== undefined) return refusal
      return Effect.gen(function* () {
        const to = yield* Effect.mapError(link, unheld)
        const number = to.take()
        return yield* follow(to, number, events, spec.stdio.kind === "pty", () =>
          to.request(kinds.spawn, number, { spec }),
        )
      })
    }

    const toLeft = (to: HolderLink.HolderLink, [number, { pty, ...known }]: ListRow): Left => ({
      ...known,
      adopt: (events, skip) =>
        follow(to, number, events, pty, (child) => {
          child.beginAdoption(skip)
          return to.request(kinds.adopt, number)
        }),
      pass: Effect.sync(() => to.send(HolderWire.frame(kinds.resume, number, new Uint8Array(0)))),
      end: Effect.asVoid(to.request(kinds.forget, number)),
    })

    const ask = (question: HolderWire.Question): Effect.Effect<HolderWire.Reply["evidence"]> =>
      current === undefined
        ? Effect.succeed(undefined)
        : Effect.map(current.request(kinds.evidence, 0, { question }), (reply) => reply?.evidence)

    return {
      spawner: { capabilities, spawn },
      count: () => [...children].filter(({ isNoted }) => isNoted).length,
      evidence: {
        tells: first.welcome.tells,
        input: (of) => Effect.map(ask({ of }), (found) => (found as Evidence.Input) ?? gone),
        port: (of, port, host) =>
          Effect.map(ask({ of, port, host }), (found) => (found as Evidence.Port) ?? gone),
      },
      keeper: {
        left: Effect.suspend(() => {
          const to = current
          if (to === undefined) return Effect.succeed([])
          return Effect.map(to.list, (rows) => rows.map((row) => toLeft(to, row)))
        }),
        sessions: Effect.suspend(() => current?.sessions ?? Effect.succeed([])),
        remember: (id) => {
          sessions.add(id)
          current?.session(id, true)
          return () => {
            sessions.delete(id)
            current?.session(id, false)
          }
        },
        leave: Effect.suspend(() => {
          leaving = true
          return current === undefined ? Effect.void : bounded(current.request(kinds.flush, 0))
        }),
      },
    }
  })

/** Waits for a holder, but not for ever: one that has stopped must not stop the end of its server. */
const bounded = (request: Effect.Effect<unknown>) =>
  Effect.ignore(Effect.timeout(Effect.interruptible(request), "10 seconds"))

const gone: Evidence.Unknown = { kind: "unknown", why: "the holder of processes is gone" }

type ListRow = readonly [number: number, child: HolderWire.LeftChild]

const endAll = (link: HolderLink.HolderLink, left: ReadonlyArray<ListRow>) =>
  Effect.forEach(left, ([number]) => link.request(kinds.forget, number), { discard: true })

/** A holder ends when it has nothing to do, perhaps just now: such a one is not the one that is looked for. */
const attempts = 5

const connected = (
  options: Options,
  onLost: (why: string) => void,
  left = attempts,
): Effect.Effect<HolderLink.HolderLink, KeepProblem> =>
  Effect.gen(function* () {
    const socket = yield* HolderProcess.connect(options)
    return yield* HolderLink.make(socket, {
      self: HolderProcess.self(),
      ttlMillis: options.ttlMillis,
      helloMillis: options.helloMillis ?? 10_000,
      onLost,
    })
  }).pipe(
    Effect.catch((error) => {
      if (error instanceof KeepProblem) return Effect.fail(error)
      if (left > 1) return Effect.delay(connected(options, onLost, left - 1), 20)
      const message = "the holder ends each connection without a word"
      return Effect.fail(new KeepProblem({ reason: "Broken", message }))
    }),
  )

const refusalOf = (reply: HolderWire.Reply | undefined): SpawnError.SpawnError =>
  new SpawnError.SpawnError(
    reply?.error === undefined
      ? { reason: "Unknown", message: "the holder of processes has ended" }
      : { reason: reply.error.reason as SpawnError.SpawnReason, message: reply.error.message },
  )

const unheld = (cause: KeepProblem) =>
  new SpawnError.SpawnError({ reason: "Unknown", message: `no holder of processes: ${cause.message}`, cause })
