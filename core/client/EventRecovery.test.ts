import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type { Call } from "./Calls.ts"
import { ClientError } from "./ClientError.ts"
import * as EventRecovery from "./EventRecovery.ts"

describe("the recovery of events", () => {
  const forgotten = new ClientError({ reason: "Server", message: "unknown process id p" })

  it("says that nothing is gone which was published while the server was asked", () => {
    let last = 5
    const call = (() =>
      Effect.suspend(() => {
        last = 39
        return Effect.fail(forgotten)
      })) as unknown as Call
    const recovery = EventRecovery.make("p", call, () => last)
    const error = Effect.runSync(Effect.flip(recovery.readAfter(last)))
    expect(error.gone).toEqual({ from: 40 })
  })

  it("says that everything is gone after what a late consumer has, if the server has forgotten the process", () => {
    const call = (() => Effect.fail(forgotten)) as unknown as Call
    const recovery = EventRecovery.make("p", call, () => 39)
    expect(Effect.runSync(recovery.catchUp(5, 20)).failure?.gone).toEqual({ from: 6 })
  })

  it("gives a late consumer what was read before a page that fails, and says what is gone behind that", () => {
    const missed = (second: Effect.Effect<object, ClientError>) => {
      const pages = [Effect.succeed({ ...page(6, 7, 8), more: true }), second]
      const call = (() => Effect.suspend(() => pages.shift()!)) as unknown as Call
      return Effect.runSync(EventRecovery.make("p", call, () => 39).catchUp(5, 20))
    }
    const outcomes = [
      [missed(Effect.fail(forgotten)), { from: 9 }],
      [missed(Effect.succeed(page(12, 13))), { from: 9, to: 11 }],
      [missed(Effect.succeed({ ...page(), nextSeq: 9, more: true })), { from: 9, to: 20 }],
    ] as const
    for (const [{ events, failure }, gone] of outcomes) {
      expect(events.map(({ seq }) => seq)).toEqual([6, 7, 8])
      expect(failure).toMatchObject({ reason: "EventsLost", gone })
    }
  })

  it("does not fail for what is gone behind what a late consumer lacks", () => {
    const call = (() => Effect.succeed(page(6, 7, 8, 12))) as unknown as Call
    const { events, failure } = Effect.runSync(EventRecovery.make("p", call, () => 39).catchUp(5, 8))
    expect(events.map(({ seq }) => seq)).toEqual([6, 7, 8])
    expect(failure).toBeUndefined()
  })

  it("loses nothing of a process whose connection or session is lost", () => {
    for (const reason of ["Disconnected", "SessionLost"] as const) {
      const error = new ClientError({ reason, message: "it is lost" })
      const recovery = EventRecovery.make("p", (() => Effect.fail(error)) as unknown as Call, () => 5)
      expect(Effect.runSync(Effect.flip(recovery.readAfter(5)))).toBe(error)
      expect(Effect.runSync(recovery.catchUp(5, 20))).toEqual({ events: [], failure: error })
    }
  })
})

/** The answer to a read: chunks with these seqs. */
const page = (...seqs: ReadonlyArray<number>) => ({
  chunks: seqs.map((seq) => ({ seq, stream: "stdout", chunk: new Uint8Array(1) })),
  nextSeq: (seqs.at(-1) ?? 0) + 1,
  exited: false,
  exitCode: null,
  closed: false,
  failure: null,
  sandboxDenied: false,
})
