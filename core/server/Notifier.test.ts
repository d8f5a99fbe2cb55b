import { describe, expect, it } from "vitest"
import { defaultCapacity } from "../process/OutputLog.ts"
import { Process } from "../process/Process.ts"
import * as Fake from "../spawn/Fake.ts"
import type { Stdio } from "../spawn/Spawner.ts"
import type { Outgoing } from "../transport/Transport.ts"
import * as Notifier from "./Notifier.ts"
import * as FairSender from "./FairSender.ts"

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

/** A notifier; its peer keeps up while `peer.writable`. */
const make = () => {
  const sent: Array<string> = []
  const peer = { writable: true }
  const sender = FairSender.make((message) => {
    const { method, params } = parse(message)
    sent.push(`${params.processId} ${params.seq} ${method.slice(8)}`)
    return peer.writable
  })
  return { notifier: Notifier.make(sender), sender, sent, peer }
}

describe("Notifier", () => {
  it("sends output synchronously with the read", () => {
    const { notifier, sent } = make()
    const { process, child } = begin()
    notifier.attach(process, 0)
    child.output("stdout", "x")
    expect(sent).toEqual(["p 1 output"])
    child.finish()
    expect(sent).toEqual(["p 1 output", "p 2 exited", "p 3 closed"])
  })

  it("sends retained events above a seq", () => {
    const { notifier, sent } = make()
    const { process, child } = begin()
    for (const text of ["1", "2", "3"]) child.output("stdout", text)
    notifier.attach(process, 1)
    expect(sent).toEqual(["p 2 output", "p 3 output"])
  })

  it("stops while the peer does not keep up", () => {
    const { notifier, sender, sent, peer } = make()
    const [a, b] = [begin("a"), begin("b")]
    notifier.attach(a.process, 0)
    notifier.attach(b.process, 0)
    peer.writable = false
    for (const text of ["1", "2"]) for (const { child } of [a, b]) child.output("stdout", text)
    expect(sent).toEqual(["a 1 output"])
    sender.drain()
    expect(sent.length).toBe(2)
    peer.writable = true
    sender.drain()
    expect([...sent].sort()).toEqual(["a 1 output", "a 2 output", "b 1 output", "b 2 output"])
  })

  it("survives a child that prints while it is resumed", () => {
    const { notifier, sender, sent, peer } = make()
    const { process, child } = begin()
    notifier.attach(process, 0)
    peer.writable = false
    while (!child.paused) child.output("stdout", new Uint8Array(64 * 1024))
    const printed = process.log.nextSeq() - 1
    const handle = process.child
    if (handle === undefined) throw new Error("no child")
    process.child = { ...handle, resume: () => child.finish() }
    peer.writable = true
    sender.drain()
    expect(sent.length).toBe(printed + 2)
    expect(sent.at(-1)).toBe(`p ${printed + 2} closed`)
  })

  it("sends output within the credit, the rest and the end as it is granted, and other processes meanwhile", () => {
    const { notifier, sent } = make()
    const [a, b] = [begin("a"), begin("b")]
    notifier.attach(a.process, 0, 1000)
    notifier.attach(b.process, 0)
    for (const length of [500, 501, 1]) a.child.output("stdout", "x".repeat(length))
    a.child.finish()
    b.child.output("stdout", "x".repeat(1000))
    expect(sent).toEqual(["a 1 output", "b 1 output"])
    expect(notifier.grant(a.process, 0)).toBe(true)
    expect(sent.length).toBe(2)
    notifier.grant(a.process, 1)
    expect(sent.slice(2)).toEqual(["a 2 output"])
    notifier.grant(a.process, 63)
    expect(sent.length).toBe(3)
    notifier.grant(a.process, 1)
    expect(sent.slice(3)).toEqual(["a 3 output", "a 4 exited", "a 5 closed"])
    expect(a.process.subscribers).toBe(0)
    expect(notifier.grant(a.process, 1)).toBe(true)
  })

  it("puts a process under credit with its first grant, also when that comes before it is attached", () => {
    const { notifier, sent } = make()
    const [a, b] = [begin("a"), begin("b")]
    notifier.attach(a.process, 0)
    notifier.grant(a.process, 64)
    notifier.grant(b.process, 64)
    notifier.attach(b.process, 0, 64)
    for (const text of ["1", "2", "3"]) for (const { child } of [a, b]) child.output("stdout", text)
    expect(sent).toEqual(["a 1 output", "b 1 output", "b 2 output"])
    expect([a, b].map(({ process }) => process.subscribers)).toEqual([1, 1])
    notifier.close()
    expect([a, b].map(({ process }) => process.subscribers)).toEqual([0, 0])
  })

  it("counts credit exactly, and refuses what it cannot count", () => {
    const { notifier, sent } = make()
    const { process, child } = begin()
    notifier.attach(process, 0, 64)
    expect(notifier.grant(process, Number.MAX_SAFE_INTEGER)).toBe(false)
    for (const text of ["1", "2"]) child.output("stdout", text)
    expect(sent).toEqual(["p 1 output"])
    expect(notifier.grant(process, Number.MAX_SAFE_INTEGER)).toBe(true)
    expect(sent).toEqual(["p 1 output", "p 2 output"])
  })

  it("pauses the child of a process without credit, and lets it go on with more", () => {
    const { notifier } = make()
    const { process, child } = begin()
    notifier.attach(process, 0, 64 * 1024)
    while (!child.paused) child.output("stdout", new Uint8Array(64 * 1024))
    notifier.grant(process, 1024 * 1024)
    expect(child.paused).toBe(false)
  })

  it("unsubscribes from a process that has closed", () => {
    const { notifier } = make()
    const { process, child } = begin()
    notifier.attach(process, 0)
    expect(process.subscribers).toBe(1)
    child.finish()
    expect(process.subscribers).toBe(0)
    notifier.attach(process, process.log.nextSeq() - 1)
    expect(process.subscribers).toBe(0)
  })

  it("unsubscribes from every process when it is closed, and takes no other", () => {
    const { notifier, sender, sent } = make()
    const { process, child } = begin()
    notifier.attach(process, 0)
    notifier.close()
    expect(process.subscribers).toBe(0)
    notifier.attach(process, 0)
    child.output("stdout", "x")
    sender.drain()
    expect(sent).toEqual([])
  })
})
