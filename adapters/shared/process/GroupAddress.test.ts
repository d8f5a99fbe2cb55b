import { constants } from "node:os"
import { expect, test } from "vitest"
import * as GroupAddress from "./GroupAddress.ts"
import type { Entry } from "./ProcessTable.ts"

const { ESRCH } = constants.errno
const { SIGTERM } = constants.signals

/** A table that a test writes, and what was sent. */
const make = () => {
  const entries = new Map<number, Entry>()
  const sent: Array<string> = []
  const put = (pid: number, start: number, group = 7) =>
    void entries.set(pid, { pid, start, group, session: group, parent: 1, state: "S" })
  put(7, 100)
  const address = GroupAddress.byMembers(7, {
    table: { find: (pid) => entries.get(pid), all: () => [...entries.values()], now: () => 0 },
    signal: (pid, start, number) => {
      sent.push(`${number} to ${pid} of ${start}`)
      return 0
    },
    kill: (pid, number) => {
      sent.push(`${number} to ${pid}`)
      return 0
    },
  })
  return { address, entries, sent, put }
}

test("a group with its leader is signalled as a whole", () => {
  const { address, sent } = make()
  expect(address.send(SIGTERM)).toBe(0)
  expect(sent).toEqual(["15 to -7"])
})

test("the members that the leader leaves are signalled one by one, also those that they have forked", () => {
  const { address, entries, put, sent } = make()
  put(8, 101)
  address.leaderEnded(() => entries.delete(7))
  put(9, 102)
  expect(address.send(SIGTERM)).toBe(0)
  entries.delete(8)
  expect(address.send(SIGTERM)).toBe(0)
  expect(sent).toEqual(["15 to 8 of 101", "15 to 9 of 102", "15 to 9 of 102"])
})

test("a stranger who leads a group with the number of an ended one gets no signal", () => {
  const { address, entries, put, sent } = make()
  address.leaderEnded(() => entries.delete(7))
  put(7, 200)
  put(8, 201)
  expect(address.send(SIGTERM)).toBe(ESRCH)
  entries.delete(7)
  expect(address.send(SIGTERM)).toBe(ESRCH)
  expect(sent).toEqual([])
})

test("strangers whose group has the number of one that died out get no signal", () => {
  const { address, entries, put, sent } = make()
  put(8, 101)
  address.leaderEnded(() => entries.delete(7))
  entries.delete(8)
  put(8, 201)
  expect(address.send(SIGTERM)).toBe(ESRCH)
  expect(sent).toEqual([])
})
