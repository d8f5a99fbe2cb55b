import { readFileSync } from "node:fs"
import { constants } from "node:os"
import { expect, test } from "vitest"
import * as SystemText from "../../../core/protocol/SystemText.ts"
import * as OsError from "./OsError.ts"

const { errno } = constants

test("the texts are musl's, with the number of the system", () => {
  const expected = {
    E2BIG: "Argument list too long (os error 7)",
    EACCES: "Permission denied (os error 13)",
    EAGAIN: "Resource temporarily unavailable (os error 11)",
    EMFILE: "No file descriptors available (os error 24)",
    ENOENT: "No such file or directory (os error 2)",
    ENOEXEC: "Exec format error (os error 8)",
    ENOMEM: "Out of memory (os error 12)",
    ENOTDIR: "Not a directory (os error 20)",
  } as const
  for (const [name, text] of Object.entries(expected)) {
    if (process.platform !== "linux") continue
    expect(OsError.fromErrno(errno[name as keyof typeof expected]).message).toBe(text)
  }
  expect(OsError.fromErrno(9_999)).toMatchObject({
    reason: "Unknown",
    message: "No error information (os error 9999)",
  })
})

test.skipIf(process.platform !== "linux")("the numbers that documents tell of Linux are its own", () => {
  const numbers = Object.keys(SystemText.linux).map((name) => [name, errno[name as keyof typeof errno]])
  // Node has no number for what only the loader of programs says.
  const known = numbers.filter(([, number]) => number !== undefined)
  expect(SystemText.linux).toMatchObject(Object.fromEntries(known))
  expect(known.length).toBeGreaterThan(35)
})

test("what a function of Node threw keeps its reason", () => {
  const thrown = (path: string) => {
    try {
      return readFileSync(path)
    } catch (error) {
      return OsError.fromUnknown(error)
    }
  }
  expect(thrown("/no/such/file")).toMatchObject({ reason: "NotFound" })
  expect(thrown("/dev/null/x")).toMatchObject({ reason: "NotADirectory" })
  expect(OsError.fromUnknown("odd")).toMatchObject({ reason: "Unknown", message: "odd" })
})
