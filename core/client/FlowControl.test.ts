import { describe, expect, it } from "vitest"
import * as Flow from "./FlowControl.ts"

const make = () => {
  const told: Array<boolean> = []
  const flow = Flow.make((held) => told.push(held))
  return { flow, told }
}

describe("Flow", () => {
  it("holds the connection while a consumer lags, and lets it go when that has caught up or left", () => {
    const { flow, told } = make()
    const [slow, other] = [flow.lag(), flow.lag()]
    slow.add(Flow.maxLag)
    other.add(Flow.maxLag)
    expect(told).toEqual([])
    slow.add(1)
    other.add(1)
    slow.add(-1)
    expect(told).toEqual([true])
    other.end()
    expect(told).toEqual([true, false])
  })

  it("goes on while an answer is awaited, up to a bound over all consumers", () => {
    const { flow, told } = make()
    const lags = [flow.lag(), flow.lag()]
    flow.asked()
    flow.asked()
    for (const lag of lags) lag.add(Flow.maxQueued / 2)
    expect(told).toEqual([])
    lags[0]?.add(1)
    expect(told).toEqual([true])
    lags[1]?.add(-1)
    flow.answered()
    expect(told).toEqual([true, false])
    flow.answered()
    expect(told).toEqual([true, false, true])
    for (const lag of lags) lag.end()
    expect(told).toEqual([true, false, true, false])
  })
})
