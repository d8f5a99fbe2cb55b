import { expect, it } from "vitest"
import type { ListedProcess } from "../../../../core/client/Lists.ts"
import * as EventsCommand from "../EventsCommand.ts"

const row: ListedProcess = {
  processId: "a",
  session: 3,
  attached: false,
  labels: {},
  argv: ["npm", "run", "dev"],
  cwd: "file:///tmp",
  pid: 42,
  tty: false,
  startedAtMs: 0,
  state: "running",
  exitCode: null,
  bytes: 10,
  nextSeq: 2,
}
const again = { ...row, restarts: 2 }

it("tells a restart that the list does not have yet, once", () => {
  const isIn = (listed: ListedProcess) => EventsCommand.isIn([listed], { kind: "restarted", process: again })
  expect([isIn(row), isIn(again)]).toEqual([false, true])
})

it("shows a restart with its number", () => {
  expect(EventsCommand.toLine({ kind: "restarted", at: 1000, row: again })).toBe(
    "1970-01-01T00:00:01.000Z  restarted  3/a  #2",
  )
})
