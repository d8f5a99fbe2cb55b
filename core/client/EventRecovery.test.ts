import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type { Call } from "./Calls.ts"
import { ClientError } from "./ClientError.ts"
import * as EventRecovery from "./EventRecovery.ts"

const { partBytes } = EventRecovery

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

  it("gives a late consumer what is there, and says what is gone behind that", () => {
    const missed = (after: number, answer: Effect.Effect<object, ClientError>) =>
      Effect.runSync(EventRecovery.make("p", (() => answer) as unknown as Call, () => 39).catchUp(after, 20))
    const first = missed(5, Effect.succeed({ ...page(6, 7, 8), more: true }))
    expect([first.events.map(({ seq }) => seq), first.failure]).toEqual([[6, 7, 8], undefined])
    const outcomes = [
      [missed(8, Effect.fail(forgotten)), { from: 9 }],
      [missed(8, Effect.succeed(page(12, 13))), { from: 9, to: 11 }],
      [missed(8, Effect.succeed({ ...page(), nextSeq: 9, more: true })), { from: 9, to: 20 }],
    ] as const
    for (const [{ events, failure }, gone] of outcomes) {
      expect(events).toEqual([])
      expect(failure).toMatchObject({ reason: "EventsLost", gone })
    }
  })

  it("reads a part at a time, and knows which is the last", () => {
    const large = {
      ...page(6),
      chunks: [{ seq: 6, stream: "stdout", chunk: new Uint8Array(partBytes / 2 + 1) }],
    }
    const over = { exited: true, exitCode: 0, closed: true }
    const mark = { seq: 7, kind: "prompt" }
    const answers = [
      ["of a process that goes on, with little output", page(6, 7), undefined],
      ["without output", { ...page(), ...over, nextSeq: 9 }, undefined],
      ["with what follows the last output", { ...page(6), ...over, nextSeq: 9 }, undefined],
      ["with much output", large, true],
      ["up to the last output of a process that is over", { ...page(6), ...over }, true],
      ["with marks, up to the last output", { ...page(6, 8), marks: [mark] }, true],
    ] as const
    for (const [says, answer, more] of answers) {
      const asked: Array<unknown> = []
      const call = ((_: string, params: unknown) => {
        asked.push(params)
        return Effect.succeed(answer)
      }) as unknown as Call
      const state = Effect.runSync(EventRecovery.make("p", call, () => 5).readAfter(5))
      expect(asked, says).toEqual([{ processId: "p", afterSeq: 5, maxBytes: partBytes }])
      expect(state, says).toMatchObject(
        more ? { ...page(), chunks: answer.chunks, nextSeq: answer.nextSeq } : answer,
      )
      expect(state.more, says).toBe(more)
    }
  })

  it("reads everything where a part lacks what may be the exit, and only there", () => {
    const over = { exited: true, exitCode: 3 }
    const asked: Array<unknown> = []
    const call = ((_: string, params: { readonly maxBytes?: number }) => {
      asked.push(params.maxBytes)
      return Effect.succeed(
        params.maxBytes === undefined ? { ...page(7, 8, 9), ...over } : { ...page(7), ...over },
      )
    }) as unknown as Call
    const { events } = Effect.runSync(EventRecovery.make("p", call, () => 5).catchUp(5, 9))
    expect(asked).toEqual([partBytes, undefined])
    expect(events.map(({ kind }) => kind)).toEqual(["exited", "output", "output", "output"])
    asked.length = 0
    const { failure } = Effect.runSync(EventRecovery.make("p", call, () => 4).catchUp(4, 9))
    expect([asked, failure?.gone]).toEqual([[partBytes], { from: 5, to: 6 }])
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
