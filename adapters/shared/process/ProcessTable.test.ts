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
