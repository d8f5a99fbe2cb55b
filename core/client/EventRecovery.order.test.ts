import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { ReadResult } from "../protocol/Process.ts"
import type { Sequenced } from "./ProcessEvent.ts"
import { maxEarly, ReorderBuffer } from "./EventRecovery.ts"

const output = (seq: number, size = 1): Sequenced => ({
  kind: "output",
  seq,
  stream: "stdout",
  bytes: new Uint8Array(size).fill(seq),
})
const exited = (seq: number, exitCode = 0): Sequenced => ({
  kind: "exited",
  seq,
  exitCode,
  sandboxDenied: false,
})
const closed = (seq: number): Sequenced => ({ kind: "closed", seq })

const state = (seqs: ReadonlyArray<number>, nextSeq: number, rest: Partial<ReadResult> = {}): ReadResult => ({
  chunks: seqs.map((seq) => ({ seq, stream: "stdout", chunk: Uint8Array.of(seq) })),
  nextSeq,
  exited: false,
  exitCode: null,
  closed: false,
  failure: null,
  sandboxDenied: false,
  ...rest,
})

const make = (after = 0) => {
  const published: Array<Sequenced> = []
  const buffer = new ReorderBuffer(after, (event) => published.push(event))
  const told = () => published.map(({ kind, seq }) => `${kind} ${seq}`)
  return { buffer, published, told }
}

describe("ReorderBuffer", () => {
  it("publishes in the order of seq, whatever the order of arrival, each number once", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.infiniteStream(fc.nat()), (count, random) => {
        const events = [
          ...Array.from({ length: count }, (_, i) => output(i + 1)),
          exited(count + 1),
          closed(count + 2),
        ]
        const arrivals = [...events, ...events.slice(0, count / 2)]
        for (let i = arrivals.length - 1; i > 0; i--) {
          const j = random.next().value % (i + 1)
          ;[arrivals[i], arrivals[j]] = [arrivals[j]!, arrivals[i]!]
        }
        const { buffer, published } = make()
        for (const event of arrivals) buffer.accept(event)
        expect(published).toEqual(events)
        expect(buffer.gap).toBe(false)
      }),
    )
  })

  it("publishes output that comes behind the exit, and nothing behind closed", () => {
    const { buffer, told } = make()
    for (const event of [output(1), exited(2), output(3), closed(4), output(5)]) buffer.accept(event)
    expect(told()).toEqual(["output 1", "exited 2", "output 3", "closed 4"])
    expect(buffer.gap).toBe(false)
  })

  it("holds a bounded number of early events and knows that there is a gap", () => {
    const { buffer, told } = make()
    for (let seq = 2; seq < 1000; seq++) buffer.accept(output(seq))
    expect([buffer.full, buffer.gap]).toEqual([true, true])
    buffer.accept(output(1))
    expect(told().length).toBe(maxEarly.events + 1)
    expect([buffer.full, buffer.gap]).toEqual([false, true])
    const large = make().buffer
    for (const seq of [2, 3]) large.accept(output(seq, maxEarly.bytes / 2))
    expect(large.full).toBe(true)
  })

  it("fills a gap from a read and goes on with what came early", () => {
    const { buffer, told } = make()
    for (const event of [output(1), output(5), output(6)]) buffer.accept(event)
    expect(buffer.splice(state([2, 3, 4, 5], 6))).toBeUndefined()
    expect(told()).toEqual([1, 2, 3, 4, 5, 6].map((seq) => `output ${seq}`))
  })

  it("takes the one number that a read leaves out for the exit, and the last one for closed", () => {
    const { buffer, told, published } = make()
    buffer.accept(output(1))
    const late = state([2, 4], 6, { exited: true, exitCode: 7, closed: true })
    expect(buffer.splice(late)).toBeUndefined()
    expect(told()).toEqual(["output 1", "output 2", "exited 3", "output 4", "closed 5"])
    expect(published[2]).toMatchObject({ exitCode: 7 })
  })

  it("finds the exit also where it came early or was published before", () => {
    const early = make()
    early.buffer.accept(exited(3))
    expect(early.buffer.splice(state([1, 2], 4, { exited: true, exitCode: 0 }))).toBeUndefined()
    expect(early.told()).toEqual(["output 1", "output 2", "exited 3"])
    const before = make()
    for (const event of [output(1), exited(2), output(4)]) before.buffer.accept(event)
    expect(before.buffer.splice(state([3, 4], 5, { exited: true, exitCode: 0 }))).toBeUndefined()
    expect(before.told()).toEqual(["output 1", "exited 2", "output 3", "output 4"])
  })

  it("names the range that the server no longer has, and publishes nothing of it", () => {
    const { buffer, told } = make()
    buffer.accept(output(1))
    buffer.accept(output(40))
    expect(buffer.splice(state([38, 39, 40], 41))).toEqual({ from: 2, to: 37, through: 40 })
    const none = make().buffer
    expect(none.splice(state([], 11))).toEqual({ from: 1, to: 10, through: 10 })
    expect(told()).toEqual(["output 1"])
  })

  it("publishes what is there in front of a gap in the middle, and names that gap alone", () => {
    const { buffer, told } = make()
    buffer.accept(output(1))
    buffer.accept(output(9))
    expect(buffer.splice(state([2, 3, 6, 8, 9], 10))).toEqual({ from: 4, to: 5, through: 9 })
    expect(told()).toEqual(["output 1", "output 2", "output 3"])
  })

  it("does not take lost output for the exit", () => {
    const { buffer } = make()
    buffer.accept(output(1))
    const evicted = state([3, 4], 7, { exited: true, exitCode: 0, closed: true })
    expect(buffer.splice(evicted)).toEqual({ from: 2, to: 2, through: 6 })
  })

  it("uses what came early where the server has already dropped it", () => {
    const { buffer, told } = make()
    for (const event of [output(1), output(3), output(4)]) buffer.accept(event)
    expect(buffer.splice(state([5], 6))).toEqual({ from: 2, to: 2, through: 5 })
    buffer.accept(output(2))
    expect(told().length).toBe(5)
  })

  it("is not confused by a read that is older than what it has", () => {
    const { buffer, told } = make()
    for (const event of [output(1), output(2), output(3)]) buffer.accept(event)
    expect(buffer.splice(state([2], 3))).toBeUndefined()
    expect(told().length).toBe(3)
  })
})
