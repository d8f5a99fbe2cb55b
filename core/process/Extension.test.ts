import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { compose, type Extension, type OwnEvents } from "./Extension.ts"

/** Events of the kind `gap` at these seqs. */
const eventsAt = (...seqs: ReadonlyArray<number>): OwnEvents => ({
  after: (after) => {
    const seq = seqs.find((one) => one > after)
    return seq === undefined ? undefined : { kind: "gap", from: seq, seq }
  },
  count: (after, before) => seqs.filter((seq) => seq > after && seq < before).length,
})

describe("compose", () => {
  it("is nothing of nothing, and of one that one", () => {
    const one: Extension = {}
    expect(compose([])).toBeUndefined()
    expect(compose([one])).toBe(one)
  })

  it("has the first wrapper inside of the second", () => {
    const seen: Array<string> = []
    const wrapper = (name: string): Extension => ({
      events: (events) => ({ ...events, end: (stream) => (seen.push(name), events.end(stream)) }),
    })
    const both = compose([wrapper("first"), {}, wrapper("second")])
    const none = { output: () => {}, end: () => void seen.push("process"), exit: () => {} }
    both?.events?.(none).end("stdout")
    expect(seen).toEqual(["second", "first", "process"])
  })

  it("has the events of each in the order of their seqs", () => {
    const own = compose([{ own: eventsAt(2, 5) }, { own: eventsAt(3, 4) }, {}])?.own
    const seqs: Array<number> = []
    for (let next = own?.after(0); next !== undefined; next = own?.after(next.seq)) seqs.push(next.seq)
    expect(seqs).toEqual([2, 3, 4, 5])
    expect(own?.count(2, 5)).toBe(2)
    expect(compose([{}, {}])?.own).toBeUndefined()
  })

  it("closes when none of them delays that any more, and adds the fields of each", () => {
    let [one, other] = [true, true]
    const both = compose([
      { closing: () => one, readFields: () => ({ marks: [] }) },
      { closing: () => other, closedFields: () => ({ receipt: undefined }) },
    ])
    const closing = () => both?.closing?.(() => {})
    expect(closing()).toBe(true)
    one = false
    expect(closing()).toBe(true)
    other = false
    expect(closing()).toBe(false)
    expect(both?.readFields?.(0, 1)).toEqual({ marks: [] })
    expect(both?.closedFields?.()).toEqual({ receipt: undefined })
  })

  it("tells each of what is delivered and evicted, and runs each", () => {
    const told: Array<string> = []
    const part = (name: string): Extension => ({
      delivered: (seq) => void told.push(`${name} has ${seq}`),
      evicting: (bytes) => void told.push(`${name} loses ${bytes}`),
      run: Effect.sync(() => void told.push(`${name} runs`)),
    })
    const both = compose([part("a"), part("b")])
    both?.delivered?.(1)
    both?.evicting?.(2)
    Effect.runSync(both?.run ?? Effect.void)
    expect(told).toEqual(["a has 1", "b has 1", "a loses 2", "b loses 2", "a runs", "b runs"])
  })
})
