import { describe, expect, it } from "vitest"
import { utf8 } from "../protocol/Bytes.ts"
import * as Denial from "./Denial.ts"
import * as OutputLog from "./OutputLog.ts"

const after = (exitCode: number, ...chunks: ReadonlyArray<readonly ["stdout" | "stderr", string]>) => {
  const log = OutputLog.make()
  for (const [stream, text] of chunks) log.append(stream, utf8.encode(text))
  return Denial.isLikely(exitCode, log)
}

describe("Denial", () => {
  it("is recognized by the system's error texts: in any case, on any stream, also over two chunks", () => {
    expect(after(1, ["stderr", "touch: Read-only file system\n"])).toBe(true)
    expect(after(127, ["stdout", "OPERATION NOT PERMITTED"])).toBe(true)
    expect(after(1, ["stderr", "permission de"], ["stdout", "x"], ["stderr", "nied"])).toBe(true)
    expect(after(1, ["stderr", "bwrap: execvp sh: No such file or directory"])).toBe(true)
  })

  it("is recognized by a death by SIGSYS", () => {
    expect(after(159)).toBe(true)
  })

  it("is not assumed after a success or another failure", () => {
    expect(after(0, ["stderr", "permission denied"])).toBe(false)
    expect(after(1, ["stderr", "could not resolve host"])).toBe(false)
    expect(after(137)).toBe(false)
  })
})
