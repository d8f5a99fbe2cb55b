import { expect, it } from "vitest"
import * as Texts from "./Texts.ts"

it("the progress of a copy is a bar of a file, the facts alone where there is no room, and a count of a folder", () => {
  const mebibyte = 2 ** 20
  const file = Texts.progressOf({ kind: "file", name: "big", size: 4 * mebibyte }, 1000)
  const half = " 50 %  2 MiB of 4 MiB  1 MiB/s"
  expect(file(2 * mebibyte, 3000, 80)).toBe(`big  [############            ] ${half}`)
  expect(file(2 * mebibyte, 3000, 40)).toBe(`${half}  big`)
  expect(file(2 * mebibyte, 3000, 20)).toBe(half.slice(0, 19))
  expect(file(4 * mebibyte + 10_240, 5000, 80)).toBe(
    `big  [${"#".repeat(24)}] 100 %  4 MiB of 4 MiB  1 MiB/s`,
  )
  expect(Texts.progressOf({ kind: "folder", name: "src", size: 4096 }, 0)(mebibyte, 1000, 80)).toBe(
    "src  1 MiB  1 MiB/s",
  )
})
