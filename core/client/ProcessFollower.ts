/**
 * Follows one process: turns what the connection delivers into its ordered events.
 *
 * Missing events are fetched through `process/read`. If the server no longer retains them, the process ends in
 * `failed` with the lost range, and is terminated. The process is followed until `closed` has been published.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import type { BuffersService } from "../protocol/Buffers.ts"
import type { Fork } from "../protocol/Fork.ts"
import * as Buffered from "./Buffered.ts"
import type { BoundCall, Call } from "./Calls.ts"
import { ClientError } from "./ClientError.ts"
import * as EventFeed from "./EventFeed.ts"
import * as EventRecovery from "./EventRecovery.ts"
import type { FlowControl } from "./FlowControl.ts"
import * as GapWatch from "./GapWatch.ts"
import * as ProcessCredit from "./ProcessCredit.ts"
import { failed, type Sequenced } from "./ProcessEvent.ts"
import { ReorderBuffer } from "./ReorderBuffer.ts"
import * as SharedRun from "./SharedRun.ts"
import { WriterRole } from "./WriterRole.ts"

/** What a follower uses of its client. */
export interface Options {
  readonly call: BoundCall
  /** What says on the server that nobody follows the process any more. */
  readonly leaving: "process/terminate" | "process/detach"
  readonly flow: FlowControl
  /** Sends a request on the current connection; without one, or if it is refused, nothing happens. */
  readonly tell: ProcessCredit.Tell
  /** Runs an effect in the client's scope. */
  readonly fork: Fork
  /** Called when no further event of the process is wanted. */
  readonly forget: () => void
  /** Who is told of its buffers. */
  readonly buffers: BuffersService
}

export interface ProcessFollower {
  readonly id: string
  /** Sends a request about the process; none once its session is lost: in another one its id is another process. */
  readonly call: Call
  /** Takes an event as it arrives, in any order. */
  readonly accept: (event: Sequenced) => void
  /** Ends the process in `failed`; ignored after `closed`. */
  readonly fail: (error: ClientError) => void
  /** Fetches the events after the last one published; fails if they are lost. */
  readonly recover: Effect.Effect<void, ClientError>
  /**
   * Run on a new connection to the same session. A server that `replays` pushes the missed events and is only asked
   * whether it still has the process; from any other server they are fetched. Lost events end the process.
   */
  readonly resume: (replays: boolean) => Effect.Effect<void>
  /** How far the server may push ahead of the consumers; undefined if it pushes all it has. */
  readonly credit: ProcessCredit.ProcessCredit | undefined
  /** True if the server has the process: a new connection resumes it. */
  readonly begun: () => boolean
  /** Called when the server has the process, from a start that has named the size of the window. */
  readonly begin: () => void
  /** The same for a process of a resumed session, which the server pushes without a bound until it gets a credit. */
  readonly takeOver: Effect.Effect<void>
  readonly subscribe: Effect.Effect<EventFeed.Subscription>
  readonly exitCode: Effect.Effect<number, ClientError>
  readonly closed: Effect.Effect<void, ClientError>
  /** True once the process is known to have exited. */
  readonly exited: () => boolean
  /** The last seq published. */
  readonly last: () => number
  /** True while events are known that come behind missing ones. */
  readonly behind: () => boolean
  readonly failure: () => ClientError | undefined
  /** Whether this client is the writer. */
  readonly role: WriterRole
}

/** Follows the process `id` from the event after seq `after`; `size` is that of its window, on a server that has them. */
export const make = (
  id: string,
  after: number,
  { call: send, leaving, flow, fork, tell, forget, buffers }: Options,
  size?: number,
): ProcessFollower => {
  const mayMiss = leaving === "process/detach"
  const role = new WriterRole(!mayMiss)
  const outcome = makeOutcome(id, role, forget)
  const { failure } = outcome
  let begun = false
  const call: Call = (method, params) => send(method, params, { refusal: outcome.sessionLost })
  const recovery = EventRecovery.make(id, call, () => buffer.last, mayMiss)
  const waiting = () => feed.waiting()
  // A server that pushes nothing more is asked for what is left. It refuses grants behind `closed`, too.
  const refused = Effect.suspend(() => (buffer.closed || failure() !== undefined ? Effect.void : recovered))
  const credit =
    size === undefined ? undefined : ProcessCredit.make(id, size, { tell, fork, waiting, refused })
  const feed = EventFeed.make(after, flow, recovery.catchUp, credit)

  const buffer = new ReorderBuffer(after, (event) => {
    feed.publish(event)
    outcome.take(event)
  })
  if (buffers.made) Buffered.of(id, buffer, feed, credit, failure, recovery.bytes).forEach(buffers.made)

  const fail = (error: ClientError) => {
    if (failure() !== undefined || buffer.closed) return
    feed.publish(failed(error))
    outcome.fail(error)
  }

  const recover = recovering(recovery, buffer, outcome.exit)
  const shared = SharedRun.make(recover, fork)
  const known = SharedRun.make(Effect.asVoid(recovery.readAfter(Number.MAX_SAFE_INTEGER)), fork)

  const giveUp = (error: ClientError) =>
    Effect.suspend(() => {
      // The client reports a lost connection to all processes. The first of those who wait for a recovery gives up.
      if (error.reason === "Disconnected" || failure() !== undefined) return Effect.void
      fail(error)
      return Effect.ignore(call(leaving, { processId: id }))
    })

  const recovered = Effect.catchAll(shared, giveUp)
  const watchGap = GapWatch.make(buffer, fork, recovered, () => failure() !== undefined)

  const accept = (event: Sequenced) => {
    buffer.accept(event)
    if (buffer.gap) watchGap()
  }

  return {
    id,
    call,
    accept: credit === undefined ? accept : credit.around(accept),
    fail,
    recover,
    resume: (replays) => (replays ? Effect.catchAll(known, giveUp) : recovered),
    credit,
    begun: () => begun,
    begin: () => {
      begun = true
      credit?.open()
    },
    takeOver: Effect.suspend(() => {
      begun = true
      return credit === undefined ? Effect.void : credit.takeOver
    }),
    behind: () => buffer.gap,
    subscribe: feed.subscribe,
    exitCode: outcome.exitCode,
    closed: outcome.closed,
    exited: outcome.exited,
    last: () => buffer.last,
    failure,
    role,
  }
}

/** Fetches what comes after the last event of the buffer; `exit` is told the exit code, if the server knows it. */
const recovering = (
  recovery: EventRecovery.EventRecovery,
  buffer: ReorderBuffer,
  exit: (code: number) => void,
): Effect.Effect<void, ClientError> =>
  Effect.suspend(() => {
    const { readAfter, toError } = recovery
    const { last, gap } = buffer
    return Effect.flatMap(readAfter(last), (state) => {
      if (state.exitCode !== null) exit(state.exitCode)
      const lost = buffer.splice(state)
      if (lost !== undefined) return Effect.fail(toError(lost))
      // The server had sent a later event, and yet its answer has nothing after `last`.
      const stuck = (gap || state.more === true) && buffer.last === last
      if (state.more === true && !stuck) return recovering(recovery, buffer, exit)
      const missing = { from: last + 1, to: last + 1, through: state.nextSeq - 1 }
      return stuck ? Effect.fail(toError(missing)) : Effect.void
    })
  })

/** How a process has ended, once it has; `forget` is called then. */
const makeOutcome = (id: string, role: WriterRole, leave: () => void) => {
  const forget = () => {
    role.end()
    leave()
  }
  const exitCode = Deferred.unsafeMake<number, ClientError>(FiberId.none)
  const closed = Deferred.unsafeMake<void, ClientError>(FiberId.none)
  let failure: ClientError | undefined
  let exited = false
  return {
    exitCode: Deferred.await(exitCode),
    closed: Deferred.await(closed),
    exited: () => exited,
    failure: () => failure,
    sessionLost: () => (failure?.reason === "SessionLost" ? failure : undefined),
    /** The exit code is known, although its event is not published yet. */
    exit: (code: number) => Deferred.unsafeDone(exitCode, Effect.succeed(code)),
    take: (event: Sequenced) => {
      if (event.kind === "exited") {
        exited = true
        Deferred.unsafeDone(exitCode, Effect.succeed(event.exitCode))
      }
      if (event.kind !== "closed") return
      Deferred.unsafeDone(
        exitCode,
        Effect.failSync(() => noExitCode(id)),
      )
      Deferred.unsafeDone(closed, Effect.void)
      forget()
    },
    fail: (error: ClientError) => {
      failure = error
      Deferred.unsafeDone(exitCode, Effect.fail(error))
      Deferred.unsafeDone(closed, Effect.fail(error))
      forget()
    },
  }
}

const noExitCode = (id: string) =>
  new ClientError({ reason: "Protocol", message: `process ${id} closed without an exit code` })
