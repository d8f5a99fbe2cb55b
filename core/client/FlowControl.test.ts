import { describe, expect, it } from "vitest"
import * as FlowControl from "./FlowControl.ts"

const make = () => {
  const told: Array<boolean> = []
  const flow = FlowControl.make((held) => told.push(held))
  return { flow, told }
}

describe("FlowControl", () => {
  it("holds the connection while a consumer backlogs, and lets it go when that has caught up or left", () => {
    const { flow, told } = make()
    const [slow, other] = [flow.backlog(), flow.backlog()]
    slow.add(FlowControl.maxBacklog)
    other.add(FlowControl.maxBacklog)
    expect(told).toEqual([])
    slow.add(1)
    other.add(1)
    slow.add(-1)
    expect(told).toEqual([true])
    other.end()
    expect(told).toEqual([true, false])
  })

  it("is not held by what the server was granted, only by what exceeds that", () => {
    const { flow, told } = make()
    const [granted, other] = [flow.backlog(1000), flow.backlog()]
    granted.add(1000 + FlowControl.maxBacklog)
    other.add(FlowControl.maxBacklog)
    expect([granted.waiting(), told]).toEqual([1000 + FlowControl.maxBacklog, []])
    granted.add(1)
    expect(told).toEqual([true])
    granted.add(-500)
    granted.end()
    expect([granted.waiting(), told]).toEqual([0, [true, false]])
    // Ten thousand of them do not reach the bound over all consumers.
    flow.requestSent()
    for (let i = 0; i < 10_000; i++) flow.backlog(1024 * 1024).add(1024 * 1024)
    expect(told).toEqual([true, false])
  })

  it("goes on while an answer is awaited, up to a bound over all consumers", () => {
    const { flow, told } = make()
    const backlogs = [flow.backlog(), flow.backlog()]
    flow.requestSent()
    flow.requestSent()
    for (const backlog of backlogs) backlog.add(FlowControl.maxTotalBacklog / 2)
    expect(told).toEqual([])
    backlogs[0]?.add(1)
    expect(told).toEqual([true])
    backlogs[1]?.add(-1)
    flow.requestDone()
    expect(told).toEqual([true, false])
    flow.requestDone()
    expect(told).toEqual([true, false, true])
    for (const backlog of backlogs) backlog.end()
    expect(told).toEqual([true, false, true, false])
  })
})
