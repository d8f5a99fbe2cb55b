import { describe, expect, it } from "vitest"
import { defaultCapacity } from "../../process/OutputLog.ts"
import { Process } from "../../process/Process.ts"
import * as FairSender from "../../server/FairSender.ts"
import * as Notifier from "../../server/Notifier.ts"
import * as Fake from "../../spawn/Fake.ts"
import type { Stdio } from "../../spawn/Spawner.ts"
import type { Outgoing } from "../../transport/Transport.ts"
import * as View from "./View.ts"

const stdio: Stdio = { kind: "pipe", stdin: false }

const begin = () => {
  const process = new Process("p", { stdio }, defaultCapacity)
  const child = new Fake.FakeChild(1, { argv: ["a"], cwd: "/", env: {}, stdio }, process.events)
  process.begin(child.handle(Fake.allCapabilities), undefined)
  process.release()
  return { process, child }
}

const methodOf = (message: Outgoing) =>
  (
    JSON.parse(typeof message === "string" ? message : new TextDecoder().decode(message)) as {
      readonly method: string
    }
  ).method

/** Runs every job at once. */
const atOnce = { enqueue: (job: () => void) => job(), remove: () => {} }

describe("View", () => {
  it("encodes output once for all who have attached under the same id", () => {
    const messages: Array<unknown> = []
    const { process, child } = begin()
    for (const id of ["seen", "seen", "other"]) {
      const sender = FairSender.make((message) => messages.push(message) > 0)
      Notifier.make(sender).attach(View.make({ id, process, holds: false, queue: atOnce }), 0)
    }
    child.output("stdout", "x")
    expect(messages.length).toBe(3)
    expect(messages[0]).toBe(messages[1])
    expect(messages[2]).not.toBe(messages[1])
  })

  it.each([true, false])(
    "shows who has a turn seldom some output behind each gap, if it keeps up: %s",
    (keepsUp) => {
      const sent: Array<string> = []
      const sender = FairSender.make((message) => {
        sent.push(methodOf(message))
        return keepsUp
      })
      const due = new Set<() => void>()
      const queue = { enqueue: (job: () => void) => void due.add(job), remove: () => {} }
      const { process, child } = begin()
      Notifier.make(sender).attach(View.make({ id: "seen", process, holds: false, queue }), 0)
      for (let turn = 0; turn < 3; turn++) {
        // All that is retained is new by the next turn.
        for (let chunk = 0; chunk < 32; chunk++) child.output("stdout", "x".repeat(65_536))
        const [job] = due
        due.clear()
        job?.()
        sender.drain()
      }
      expect(sent).toEqual([1, 2, 3].flatMap(() => ["process/gap", ...(keepsUp ? ["process/output"] : [])]))
    },
  )
})
