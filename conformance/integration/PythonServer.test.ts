/**
 * A server that was written from the documents of the wire alone, and has its texts from them, as the suite judges it.
 * Skipped without python3, and where the system tells of no end of a process by a descriptor.
 */
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { all } from "../suite/cases/all.ts"
import * as Runner from "../suite/Runner.ts"
import * as Target from "../suite/Target.ts"
import * as Python from "../testing/Python.ts"

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))
const words = [
  "env",
  "PYTHONDONTWRITEBYTECODE=1",
  Python.program,
  path("../targets/python/server.py"),
  path("../../dist/schema"),
  "--listen",
  Target.placeholder,
]

const needed = "import os, sys; sys.exit(sys.version_info < (3, 10) or not hasattr(os, 'pidfd_open'))"
const python = Python.runs("-c", needed)

/** Each case over stdio starts Python. */
const timeout = 900_000

const musts = all.filter((item) => item.level === "must" && item.dialect === "current" && !item.slow)

const play = async (kind: "stdio" | "unix", cases: typeof musts) => {
  const target = Target.command(kind, words)
  const options = { parallel: 4, timeoutMs: 60_000, slow: false, without: new Set<never>() }
  const outcomes = await Runner.run({ cases, targets: [target], ...options })
  const failed = outcomes.filter(({ status }) => status === "fail" || status === "unplayed")
  return {
    passed: outcomes.filter(({ status }) => status === "pass").length,
    failed: failed.map((one) => `${one.case.id}: ${one.reason}`),
  }
}

describe.skipIf(!python)("The server in Python", { tags: ["python3"], timeout }, () => {
  it("passes every must over stdio that asks for no capability of procwire", async () => {
    const { failed, passed } = await play("stdio", musts)
    expect(failed).toEqual([])
    expect(passed).toBeGreaterThan(165)
  })

  it("keeps sessions, over a unix socket", async () => {
    const { failed, passed } = await play(
      "unix",
      musts.filter(({ id }) => /^(session|lifecycle)\//.test(id)),
    )
    expect(failed).toEqual([])
    expect(passed).toBeGreaterThan(12)
  })
})
