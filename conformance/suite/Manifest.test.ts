/**
 * The capabilities that a server lacks are found by asking it: here one that knows next to nothing.
 */
import { afterAll, expect, test } from "vitest"
import * as Case from "./Case.ts"
import * as Manifest from "./Manifest.ts"
import { runCase } from "./RunCase.ts"
import * as Target from "./Target.ts"

/** It answers to nothing else than `initialize` and `environment/status`, whatever its flags say. */
const script = `
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method } = JSON.parse(line)
    const known = ["initialize", "environment/status"].includes(method)
    const error = { code: -32601, message: "unknown method" }
    const answer = known ? { result: { sessionId: "s", environmentInfo: { capabilities: {} } } } : { error }
    if (id !== undefined) console.log(JSON.stringify({ id, ...answer }))
  })`
const target = Target.command("stdio", [process.execPath, "-e", script, "--"])
afterAll(target.close)

const requiring = (...requires: ReadonlyArray<Case.Capability>): Case.Case =>
  Case.make("x/y", { level: "must", spec: [], says: "", requires, run: () => Promise.resolve() })

const why = (...requires: ReadonlyArray<Case.Capability>) =>
  Manifest.missing(requiring(...requires), target, 60_000)

test("a family whose method is unknown is missing", async () => {
  expect(await why("filesystem")).toBe("the server is without filesystem: it has no fs/readFile")
  expect(await why("http-client")).toMatch(/it has no http\/request/)
})

test("an extension that is not announced is missing", async () => {
  expect(await why("process-resize")).toMatch(/it does not announce processResize/)
})

test("a server that does not start with the flags for authentication is without it", async () => {
  // It never prints an address: the suite waits in vain for so long. A target keeps its first deadline.
  const other = Target.command("stdio", [process.execPath, "-e", script, "--"])
  const missing = await Manifest.missing(requiring("ws-auth"), other, 2_000)
  await other.close()
  expect(missing).toMatch(/does not start with --ws-auth/)
})

test("a server without HTTP has no pages about itself", async () => {
  expect(await why("http-status")).toMatch(/only a WebSocket listener/)
})

test("what nobody can ask for is never missing", async () => {
  expect(await why()).toBeUndefined()
  expect(await why("pty", "resume", "procfs")).toBeUndefined()
})

test("a case is skipped for what the caller says before the server is asked", async () => {
  const options = { timeoutMs: 5_000, slow: false, without: new Set(["filesystem"] as const) }
  const outcome = await runCase(requiring("http-client", "filesystem"), target, options)
  expect(outcome.status).toBe("skip")
  expect(outcome.reason).toBe("the server is without filesystem")
})

test("a server that cannot be asked lacks nothing, so that its cases fail", async () => {
  const silent = Target.command("stdio", [process.execPath, "-e", "process.exit(3)"])
  expect(await Manifest.missing(requiring("filesystem"), silent, 2_000)).toBeUndefined()
})

test("a server that ignores the flags of limits is without them", async () => {
  expect(await why("limit-flags")).toMatch(/ignores --max-json-depth/)
})
