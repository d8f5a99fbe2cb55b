import { expect, it } from "vitest"
import { EndedSessions, remembered } from "./EndedSessions.ts"

it("remembers the last 256 ends, and forgets an id that is used again", () => {
  const ended = new EndedSessions()
  for (let id = 0; id <= remembered; id += 1) ended.add(id, `why ${id}`)
  expect([ended.why(0), ended.why(1), ended.why(remembered), ended.why(1_000)]).toEqual([
    undefined,
    "why 1",
    `why ${remembered}`,
    undefined,
  ])
  ended.forget(1)
  expect(ended.why(1)).toBeUndefined()
})
