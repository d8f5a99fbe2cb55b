import { constants } from "node:os"
import { afterEach, expect, test, vi } from "vitest"
import * as ProcessGroup from "./ProcessGroup.ts"

/** Groups whose members a test lists, and what was sent to them. */
const make = () => {
  const members = new Set<number>()
  const sent: Array<string> = []
  const registered = new Set<number>()
  const host: Pick<ProcessGroup.Host, "groups" | "leaderless"> = {
    groups: {
      starting: () => {},
      add: (id) => registered.add(id),
      outlives: () => {},
      remove: (id) => registered.delete(id),
    },
    leaderless: ProcessGroup.makeLeaderless(),
  }
  const start = (id: number) => {
    members.add(id)
    return ProcessGroup.make(id, host, {
      send: (signal) => {
        if (signal !== 0) sent.push(`${signal} to ${id}`)
        return members.has(id) ? 0 : constants.errno.ESRCH
      },
      leaderEnded: (reap) => reap(),
      release: () => {},
    })
  }
  return { members, sent, registered, start }
}

afterEach(() => {
  vi.useRealTimers()
})

test("a group that outlives its leader is signalled until it was seen empty", () => {
  vi.useFakeTimers()
  const { members, sent, registered, start } = make()
  const group = start(7)
  group.leaderEnded()
  expect(group.lingering()).toBe(true)
  group.signal("SIGTERM")
  members.delete(7)
  vi.advanceTimersByTime(1_000)
  expect(registered.size).toBe(0)
  members.add(7) // somebody else's
  group.signal("SIGTERM")
  group.close()
  expect(sent).toEqual([`${constants.signals.SIGTERM} to 7`])
  expect(vi.getTimerCount()).toBe(0)
})

test("a group whose id belongs to a new child is never signalled again", () => {
  const { sent, registered, start } = make()
  const former = start(7)
  former.leaderEnded()
  const latter = start(7)
  former.signal("SIGTERM")
  former.close()
  expect(sent).toEqual([])
  expect(registered).toEqual(new Set([7]))
  latter.close()
  expect(sent).toEqual([`${constants.signals.SIGKILL} to 7`])
})

test("a signal that this host does not have is refused", () => {
  expect(make().start(7).signal("SIGNONE")).toMatchObject({ reason: "Unsupported" })
})
