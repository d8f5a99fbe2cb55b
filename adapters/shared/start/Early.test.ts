/** The answer before the program, as a client of the built command meets it. */
import { chmodSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import {
  afterwards,
  answers,
  falsify,
  initialize,
  isEarly,
  lists,
  open,
  programs,
  whole,
} from "./testing/Start.ts"

describe.each(programs)("a start of %s on stdio", (program) => {
  it("answers before the program as the program does", async () => {
    const first = await whole(program)
    expect(first).toMatchObject({ end: 0, lines: [expect.stringContaining('"processPid":true'), lists] })
    expect(await whole(program)).toEqual(first)
    // In one write, and with a cut in the first line.
    expect(await whole(program, {}, [initialize + afterwards])).toEqual(first)
    expect(await whole(program, {}, [initialize.slice(0, 20), initialize.slice(20), afterwards])).toEqual(
      first,
    )
    expect(await isEarly(program)).toBe(true)
  })

  it("asks the program for good once an answer was untrue", async () => {
    await whole(program)
    expect(await isEarly(program)).toBe(true)
    for (let round = 0; round < 2; round += 1) expect(await isEarly(program)).toBe(false)
  })

  it("believes no file that others may write, and none that is broken", async () => {
    await whole(program)
    expect(falsify()).toBe(true)
    const file = answers() ?? ""
    chmodSync(file, 0o666)
    expect(await whole(program)).toMatchObject({
      end: 0,
      lines: [expect.stringContaining('"processPid":true'), expect.anything()],
    })
    chmodSync(file, 0o600)
    for (const broken of ["", "[", "{}", '[{"key":1}]', "\0"]) {
      writeFileSync(file, broken)
      expect(await whole(program)).toMatchObject({ end: 0, errors: "" })
    }
  })

  it.each(["", initialize.slice(0, 30), initialize])(
    "ends by SIGTERM at any time, behind %j",
    async (text) => {
      await whole(program)
      for (const wait of [0, 20, 60, 150, 400]) {
        const { child, ended } = open(program)
        child.stdin.write(text)
        await new Promise((resolve) => setTimeout(resolve, wait))
        child.kill("SIGTERM")
        // Before the program is there the signal does as it does by default.
        const { end, errors } = await ended
        expect({ end, errors }).toEqual({
          end: expect.toSatisfy((way) => way === 0 || way === "SIGTERM"),
          errors: "",
        })
      }
    },
  )
})
