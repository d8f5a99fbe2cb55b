import { expect, test } from "vitest"
import * as ProcessTable from "./ProcessTable.ts"

test("the time is that of a process that starts now, whatever fraction of a second it has", () => {
  for (const seconds of [40_417, 40_597, 9_999_999]) {
    for (let hundredths = 0; hundredths < 100; hundredths++) {
      const uptime = `${seconds}.${String(hundredths).padStart(2, "0")}`
      const table = ProcessTable.make({ read: () => `${uptime} 16788.93\n`, list: () => [] })
      expect(table.now(), uptime).toBe(seconds * 100 + hundredths)
    }
  }
})

/** A process that starts the next one and ends, each time that the table reads what is there. */
const walker = (steps: number) => {
  let pid = 100
  const stat = (of: number) => `${of} (sh) S 1 ${of} ${of}${" 0".repeat(16)}`
  return ProcessTable.make({
    read: (file) => {
      const asked = Number(file.split("/")[2])
      if (asked === 1) return stat(1)
      if (pid < 100 + steps) pid += 1
      return asked === pid ? stat(pid) : ""
    },
    list: () => ["1", String(pid), "self"],
  })
}

test("a process that moves while the table is read is found where it is in the end", () => {
  expect(
    walker(3)
      .all()
      .map(({ pid }) => pid),
  ).toEqual([1, 103])
})

test("a table that grows for ever is read for a while", () => {
  expect(
    walker(Number.POSITIVE_INFINITY)
      .all()
      .map(({ pid }) => pid),
  ).toEqual([1])
})
