import { expect, test } from "vitest"
import * as ChildWatch from "./ChildWatch.ts"
import * as Libc from "./Libc.ts"

test("the wait status tells a code from a signal, core dump or not", () => {
  expect(ChildWatch.decode(3 << 8)).toEqual({ kind: "exited", code: 3 })
  expect(ChildWatch.decode(255 << 8)).toEqual({ kind: "exited", code: 255 })
  expect(ChildWatch.decode(9)).toEqual({ kind: "signaled", signal: 9 })
  expect(ChildWatch.decode(11 | 0x80)).toEqual({ kind: "signaled", signal: 11 })
  expect(ChildWatch.decode(64)).toEqual({ kind: "signaled", signal: 64 })
})

test("the C library is loaded once", () => {
  expect(Libc.load()).toBe(Libc.load())
})
