/**
 * The streamed bodies that a client expects, by request id.
 *
 * Frames are numbered from 1; one out of order ends its body. Nothing is dropped: a slow consumer stops the connection
 * through `FlowControl`, because the wire has no other way to slow down an origin. Frames of unknown ids are ignored.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type { BodyDeltaParams } from "../features/http/wire.ts"
import type { Activity } from "./Activity.ts"
import { ClientError } from "./ClientError.ts"
import type { FlowControl } from "./FlowControl.ts"

/** The body of one response. */
export interface Body {
  /** Waits for the next pieces, at least one; undefined after the last. */
  readonly next: Effect.Effect<ReadonlyArray<Uint8Array> | undefined, ClientError>
  /** Drops the rest; may be called at any time. True if more was to come. */
  readonly close: () => boolean
}

/** The streamed bodies of one client. */
export type HttpBodies = ReturnType<typeof make>

interface Feed {
  readonly accept: (frame: BodyDeltaParams) => void
  readonly end: (error?: ClientError) => void
}

export const make = (flow: FlowControl, activity: Activity) => {
  const feeds = new Map<string, Feed>()

  /** Expects the frames of a request. Called before the request is sent. */
  const expect = (requestId: string) =>
    Effect.map(Queue.make<Uint8Array, ClientError | Cause.Done>(), (queue): Body => {
      const backlog = flow.backlog()
      let seq = 0
      const end = (error?: ClientError) => {
        feeds.delete(requestId)
        Queue.failCauseUnsafe(queue, Cause.fail(error ?? Cause.Done()))
      }
      const accept = (frame: BodyDeltaParams) => {
        seq += 1
        if (frame.seq !== seq) return end(outOfOrder(frame, seq))
        if (frame.deltaBase64.length > 0) {
          backlog.add(frame.deltaBase64.length)
          Queue.offerUnsafe(queue, frame.deltaBase64)
        }
        if (frame.error != null) end(new ClientError({ reason: "BodyBroken", message: frame.error }))
        else if (frame.done) end()
      }
      feeds.set(requestId, { accept, end })
      const next = activity.during(Queue.takeAll(queue)).pipe(
        Effect.map((batch) => {
          backlog.add(-batch.reduce((sum, { length }) => sum + length, 0))
          return batch
        }),
        Effect.catchTag("Done", () => Effect.succeed(undefined)),
      )
      return {
        next,
        close: () => {
          const isOpen = feeds.has(requestId)
          end()
          backlog.end()
          return isOpen
        },
      }
    })

  return {
    expect,
    /** Takes a frame as it arrives. */
    accept: (frame: BodyDeltaParams) => feeds.get(frame.requestId)?.accept(frame),
    /** Fails all bodies that have not ended. */
    fail: (error: ClientError) => {
      for (const { end } of feeds.values()) end(error)
    },
  }
}

const outOfOrder = ({ requestId, seq }: BodyDeltaParams, expected: number) =>
  new ClientError({
    reason: "Protocol",
    message: `the body of ${requestId} came out of order: frame ${seq} instead of ${expected}`,
  })
