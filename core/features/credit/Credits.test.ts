import { describe, expect, it } from "vitest"
import { defaultCapacity } from "../../process/OutputLog.ts"
import { Process } from "../../process/Process.ts"
import * as Fake from "../../spawn/Fake.ts"
import type { Stdio } from "../../spawn/Spawner.ts"
import type { Outgoing } from "../../transport/Transport.ts"
import * as Notifier from "../../server/Notifier.ts"
import { Credits } from "./feature.ts"
import * as FairSender from "../../server/FairSender.ts"

const stdio: Stdio = { kind: "pipe", stdin: false }

const begin = (id = "p") => {
  const process = new Process(id, { stdio }, defaultCapacity)
  const child = new Fake.FakeChild(1, { argv: ["a"], cwd: "/", env: {}, stdio }, process.events)
  process.begin(child.handle(Fake.allCapabilities), undefined)
  process.release()
  return { process, child }
}

const parse = (message: Outgoing) =>
  JSON.parse(typeof message === "string" ? message : new TextDecoder().decode(message)) as {
    readonly method: string
    readonly params: { readonly processId: string; readonly seq: number }
  }

/** A notifier whose peer keeps up, with the credits of its connection. */
const make = () => {
  const sent: Array<string> = []
  const sender = FairSender.make((message) => {
    const { method, params } = parse(message)
    sent.push(`${params.processId} ${params.seq} ${method.slice(8)}`)
    return true
  })
  const notifier = Notifier.make(sender)
  const credits = new Credits(notifier)
  const follow = (process: Process, credit?: number) =>
    notifier.attach(process, 0, credits.gate(process, credit))
  return { notifier, credits, follow, sent }
}

describe("Credits", () => {
  it("sends output within the credit, the rest and the end as it is granted, and other processes meanwhile", () => {
    const { credits, follow, sent } = make()
    const [a, b] = [begin("a"), begin("b")]
    follow(a.process, 1000)
    follow(b.process)
    for (const length of [500, 501, 1]) a.child.output("stdout", "x".repeat(length))
    a.child.finish()
    b.child.output("stdout", "x".repeat(1000))
    expect(sent).toEqual(["a 1 output", "b 1 output"])
    expect(credits.grant(a.process, 0)).toBe(true)
    expect(sent.length).toBe(2)
    credits.grant(a.process, 1)
    expect(sent.slice(2)).toEqual(["a 2 output"])
    credits.grant(a.process, 63)
    expect(sent.length).toBe(3)
    credits.grant(a.process, 1)
    expect(sent.slice(3)).toEqual(["a 3 output", "a 4 exited", "a 5 closed"])
    expect(a.process.subscribers).toBe(0)
    expect(credits.grant(a.process, 1)).toBe(true)
  })

  it("puts a process under credit with its first grant, also when that comes before it is attached", () => {
    const { notifier, credits, follow, sent } = make()
    const [a, b] = [begin("a"), begin("b")]
    follow(a.process)
    credits.grant(a.process, 64)
    credits.grant(b.process, 64)
    follow(b.process, 64)
    for (const text of ["1", "2", "3"]) for (const { child } of [a, b]) child.output("stdout", text)
    expect(sent).toEqual(["a 1 output", "b 1 output", "b 2 output"])
    expect([a, b].map(({ process }) => process.subscribers)).toEqual([1, 1])
    notifier.close()
    expect([a, b].map(({ process }) => process.subscribers)).toEqual([0, 0])
  })

  it("counts credit exactly, and refuses what it cannot count", () => {
    const { credits, follow, sent } = make()
    const { process, child } = begin()
    follow(process, 64)
    expect(credits.grant(process, Number.MAX_SAFE_INTEGER)).toBe(false)
    for (const text of ["1", "2"]) child.output("stdout", text)
    expect(sent).toEqual(["p 1 output"])
    expect(credits.grant(process, Number.MAX_SAFE_INTEGER)).toBe(true)
    expect(sent).toEqual(["p 1 output", "p 2 output"])
  })

  it("pauses the child of a process without credit, and lets it go on with more", () => {
    const { credits, follow } = make()
    const { process, child } = begin()
    follow(process, 64 * 1024)
    while (!child.paused) child.output("stdout", new Uint8Array(64 * 1024))
    credits.grant(process, 1024 * 1024)
    expect(child.paused).toBe(false)
  })
})
