/**
 * Follows one process: turns what the connection delivers into its ordered events.
 *
 * Missing events are fetched through `process/read`. If the server no longer retains them, the process ends in
 * `failed` with the lost range, and is terminated. The process is followed until `closed` has been published.
 */
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import type { Buffer, BuffersService } from "../protocol/Buffers.ts"
import { leastCredit as largestChunk } from "../protocol/Credit.ts"
import type { Fork } from "../protocol/Fork.ts"
import type { BoundCall, Call, Encoded } from "./Calls.ts"
import { type ClientError, clientError } from "./ClientError.ts"
import * as ClientConnection from "./ClientConnection.ts"
import * as EventFeed from "./EventFeed.ts"
import * as EventRecovery from "./EventRecovery.ts"
import { CreditWindow, type FlowControl, maxTotalBacklog } from "./FlowControl.ts"
import { creditOf, eventBytes, failed, type Sequenced } from "./ProcessEvent.ts"

/** The used part of a client. */
export interface Options {
  readonly call: BoundCall
  /** The request that tells the server that this client follows the process no more. */
  readonly leaving: "process/terminate" | "process/detach"
  readonly flow: FlowControl
  /** Sends a request whose result does not matter, on this connection or not at all. False if the server refuses it. */
  readonly tell: (method: "process/credit", params: Encoded<"process/credit">) => Effect.Effect<boolean>
  /** Runs an effect in the client's scope. */
  readonly fork: Fork
  /** Called when no further event of the process is wanted. */
  readonly forget: () => void
  /** The observer of its buffers. */
  readonly buffers: BuffersService
}

/** One process that is followed. */
export type ProcessFollower = ReturnType<typeof make>

/** Milliseconds that a missing seq is waited for before it is fetched. */
export const gapMillis = 100

/** Follows the process `id` from the event after seq `after`; `size` is that of its window, on a server that has them. */
export const make = (
  id: string,
  after: number,
  { call: send, leaving, flow, fork, tell, forget, buffers }: Options,
  size?: number,
) => {
  const mayMiss = leaving === "process/detach"
  const role = new WriterRole(!mayMiss)
  const outcome = makeOutcome(id, role, forget)
  const { failure } = outcome
  let begun = false
  const call: Call = (method, params) => send(method, params, { refusal: outcome.sessionLost })
  const recovery = EventRecovery.make(id, call, () => buffer.last, mayMiss)

  const grant = (bytes: number) =>
    Effect.flatMap(tell("process/credit", { processId: id, bytes }), (taken) =>
      // A server that pushes nothing more is asked for what is left. It refuses grants behind `closed`, too.
      taken || buffer.closed || failure() !== undefined ? Effect.void : recovered,
    )
  const credit =
    size === undefined
      ? undefined
      : new CreditWindow({
          size,
          waiting: () => feed.waiting(),
          grant: (bytes, current) => fork(Effect.suspend(() => (current() ? grant(bytes) : Effect.void))),
        })
  const feed = EventFeed.make(after, flow, recovery.catchUp, credit)

  const buffer = new EventRecovery.ReorderBuffer(after, (event) => {
    feed.publish(event)
    outcome.take(event)
  })
  if (buffers.made) {
    const isOver = () => buffer.closed || failure() !== undefined
    for (const { size, ...made } of buffersOf(id, buffer, feed, credit, recovery.bytes))
      buffers.made({ ...made, size: () => (isOver() ? undefined : size()) })
  }

  /** Ends the process in `failed`; ignored after `closed`. */
  const fail = (error: ClientError) => {
    if (failure() !== undefined || buffer.closed) return
    feed.publish(failed(error))
    outcome.fail(error)
  }

  /** Fetches the events after the last one published; fails if they are lost. */
  const recover = recovery.recover(buffer, outcome.exit)
  const known = shared(Effect.asVoid(recovery.readAfter(Number.MAX_SAFE_INTEGER)), fork)

  const giveUp = (error: ClientError) =>
    Effect.suspend(() => {
      // The client reports a lost connection to all processes. The first of those who wait for a recovery gives up.
      if (error.reason === "Disconnected" || failure() !== undefined) return Effect.void
      fail(error)
      return Effect.ignore(call(leaving, { processId: id }))
    })

  const recovered: Effect.Effect<void> = Effect.catch(shared(recover, fork), giveUp)
  const watchGap = gapWatch(buffer, fork, recovered, () => failure() !== undefined)

  return {
    id,
    /** Sends a request about the process; none once its session is lost: in another one its id is another process. */
    call,
    /** Takes an event as it arrives, in any order. */
    accept: (event: Sequenced) => {
      if (credit !== undefined) credit.left -= creditOf(event)
      buffer.accept(event)
      if (buffer.gap) watchGap()
      credit?.settle()
    },
    fail,
    recover,
    /**
     * Run on a new connection to the same session. A server that `replays` pushes the missed events and is only asked
     * whether it still has the process; from any other server they are fetched. Lost events end the process.
     */
    resume: (replays: boolean) => (replays ? Effect.catch(known, giveUp) : recovered),
    /** The window that bounds how far the server pushes ahead of the consumers; undefined if it pushes all it has. */
    credit,
    /** True if the server has the process: a new connection resumes it. */
    begun: () => begun,
    /** Called when the server has the process, from a start that has named the size of the window. */
    begin: () => {
      begun = true
      credit?.open()
    },
    /**
     * The same for a process of a resumed session, which the server pushes without a bound until it gets a credit. If
     * the connection is lost meanwhile, the next one begins with a credit.
     */
    takeOver: Effect.suspend(() => {
      begun = true
      return credit === undefined
        ? Effect.void
        : Effect.andThen(
            grant(credit.begin()),
            Effect.sync(() => credit.open()),
          )
    }),
    /** True while events are known that come behind missing ones. */
    behind: () => buffer.gap,
    subscribe: feed.subscribe,
    exitCode: outcome.exitCode,
    closed: outcome.closed,
    /** True once the process is known to have exited. */
    exited: outcome.exited,
    /** The last seq published. */
    last: () => buffer.last,
    failure,
    /** Says if this client is the writer. */
    role,
  }
}

/**
 * The buffers of a process that is followed, for those who watch them. Each may exceed its bound by the event that has
 * filled it. Output of `process/read` needs no credit: `read` bytes may wait besides.
 */
const buffersOf = (
  id: string,
  buffer: EventRecovery.ReorderBuffer,
  feed: EventFeed.EventFeed,
  credit: CreditWindow | undefined,
  read: () => number,
): ReadonlyArray<Buffer> => {
  const { maxEarly } = EventRecovery
  const rows: ReadonlyArray<readonly [name: string, bound: () => number, size: () => number]> = [
    ["events held early", () => maxEarly.events, () => buffer.held.events],
    ["bytes held early", () => maxEarly.bytes + largestChunk, () => buffer.held.bytes],
    ["bytes kept for later consumers", () => EventFeed.maxKept.bytes + largestChunk + eventBytes, feed.kept],
    [
      "bytes that wait for a consumer",
      () => (credit === undefined ? maxTotalBacklog : credit.size + read()),
      feed.waiting,
    ],
  ]
  const pushed = credit && (["bytes that a server may push", () => credit.size, () => credit.left] as const)
  return [...rows, ...(pushed ? [pushed] : [])].map(([name, bound, size]) => ({
    name: `${name} of ${id}`,
    size,
    bound,
  }))
}

/**
 * Returns a function to call when the buffer has a gap: it starts a watch if none runs, which recovers a seq that is
 * still missing after `gapMillis`, or after which more events have arrived than the buffer holds. The watch ends with
 * the gap, or when `abandoned` says that the events are no longer wanted.
 */
const gapWatch = (
  buffer: EventRecovery.ReorderBuffer,
  fork: Fork,
  recover: Effect.Effect<void>,
  abandoned: () => boolean,
): (() => void) => {
  const full = Latch.makeUnsafe(false)
  let running = false

  const watch = Effect.gen(function* () {
    while (buffer.gap && !abandoned()) {
      const { last } = buffer
      yield* Effect.raceFirst(Effect.sleep(gapMillis), full.await)
      full.closeUnsafe()
      if (buffer.gap && buffer.last === last) yield* recover
    }
  }).pipe(Effect.ensuring(Effect.sync(() => (running = false))))

  return () => {
    if (buffer.full) full.openUnsafe()
    if (running) return
    running = true
    fork(watch)
  }
}

/**
 * Runs an effect once for all who ask for it at the same time: waits for a run that begins after it is asked for, so
 * one that is under way is followed by another one. The runs are forked in the client's scope: they go on when who
 * waits is interrupted. Each new connection asks for what was missed, while the request of the last one is repeated on
 * it: without this, a connection that is cut again and again would carry more copies of the same output each time.
 */
export const shared = (
  effect: Effect.Effect<void, ClientError>,
  fork: Fork,
): Effect.Effect<void, ClientError> => {
  let again = false
  let running: Fiber.Fiber<void, ClientError> | undefined

  const runs: Effect.Effect<void, ClientError> = Effect.suspend(() => {
    again = false
    return Effect.flatMap(effect, () => {
      if (again) return runs
      running = undefined
      return Effect.void
    })
  })
  const all = Effect.ensuring(
    runs,
    Effect.sync(() => (running = undefined)),
  )

  return Effect.suspend(() => {
    again = true
    const fiber = running ?? fork(all)
    running = fiber.pollUnsafe() === undefined ? fiber : undefined
    return ClientConnection.outcome(fiber)
  })
}

/** One who follows the role: whether this client writes, at first as it is now and then at each change. */
export type RoleSubscription = EventFeed.Pull<boolean>

/** The role of this client at one process. */
export class WriterRole {
  /** True while it writes. */
  current: boolean

  private isOver = false
  private readonly queues = new Set<Queue.Queue<boolean, Cause.Done>>()

  constructor(writes: boolean) {
    this.current = writes
  }

  /** Sets it, as the server tells it. */
  set(writes: boolean): void {
    if (this.current === writes) return
    this.current = writes
    for (const queue of this.queues) Queue.offerUnsafe(queue, writes)
  }

  /** The process has ended, or is no longer followed. */
  end(): void {
    this.isOver = true
    for (const queue of this.queues) Queue.endUnsafe(queue)
  }

  /** Follows the role. Of changes that were not taken only the last one counts. */
  readonly subscribe: Effect.Effect<RoleSubscription> = Effect.map(
    Queue.sliding<boolean, Cause.Done>(1),
    (queue) => {
      Queue.offerUnsafe(queue, this.current)
      if (this.isOver) Queue.endUnsafe(queue)
      else this.queues.add(queue)
      const close = () => {
        this.queues.delete(queue)
        Queue.endUnsafe(queue)
      }
      const next = Effect.orElseSucceed(Queue.take(queue), () => undefined)
      return { next, close }
    },
  )
}

/** The end of a process; `forget` is called then. */
const makeOutcome = (id: string, role: WriterRole, leave: () => void) => {
  const forget = () => {
    role.end()
    leave()
  }
  const exitCode = Deferred.makeUnsafe<number, ClientError>()
  const closed = Deferred.makeUnsafe<void, ClientError>()
  let failure: ClientError | undefined
  let exited = false
  return {
    exitCode: behind(exitCode),
    closed: behind(closed),
    exited: () => exited,
    failure: () => failure,
    sessionLost: () => (failure?.reason === "SessionLost" ? failure : undefined),
    /** The exit code is known, although its event is not published yet. */
    exit: (code: number) => Deferred.doneUnsafe(exitCode, Effect.succeed(code)),
    take: (event: Sequenced) => {
      if (event.kind === "exited") {
        exited = true
        Deferred.doneUnsafe(exitCode, Effect.succeed(event.exitCode))
      }
      if (event.kind !== "closed") return
      Deferred.doneUnsafe(
        exitCode,
        Effect.failSync(() => noExitCode(id)),
      )
      Deferred.doneUnsafe(closed, Effect.void)
      forget()
    },
    fail: (error: ClientError) => {
      failure = error
      Deferred.doneUnsafe(exitCode, Effect.fail(error))
      Deferred.doneUnsafe(closed, Effect.fail(error))
      forget()
    },
  }
}

/** Waits for an outcome. Events come in batches: a waiter goes on when all of a batch are published. */
const behind = <A>(outcome: Deferred.Deferred<A, ClientError>): Effect.Effect<A, ClientError> =>
  Effect.suspend(() => {
    const wait = Deferred.await(outcome)
    return Deferred.isDoneUnsafe(outcome) ? wait : Effect.onExit(wait, () => Effect.yieldNow)
  })

const noExitCode = (id: string) => clientError("Protocol", `process ${id} closed without an exit code`)
