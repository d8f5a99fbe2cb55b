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
