/** Wrong use of the bench's command, and one small run. */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"

/** Milliseconds that a command may take: a test cannot be timed out while it waits for one. */
const timeout = 240_000

const bench = (...args: ReadonlyArray<string>) =>
  spawnSync("node", [fileURLToPath(new URL("bench.mjs", import.meta.url)), ...args], {
    encoding: "utf8",
    timeout,
  })

test("wrong use is named, with exit code 2, before anything is measured", { timeout }, () => {
  const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
    [["--against", "no-such-ref"], "bench: --against no-such-ref: no such commit"],
    [["--on", "perl"], "--on perl: expected some of node, bun, deno, bun-file"],
    [["--reps", "0"], "--reps 0: expected a whole number from 1"],
    [["--transports", "tcp"], "--transports tcp: expected some of stdio, ws"],
    [["--fast"], "Unknown option '--fast'"],
  ]
  for (const [args, text] of wrong) {
    const { status, stderr } = bench(...args)
    expect(stderr).toContain(text)
    expect(status, args.join(" ")).toBe(2)
  }
  expect(bench("--help")).toMatchObject({ status: 0, stderr: "" })
})

test("a small run prints the median of each figure", { timeout }, () => {
  const words = ["--without-peer", "--on", "node", "--reps", "1", "--quick", "--only", "w5-pipe"]
  const { status, stdout, stderr } = bench(...words)
  expect(status, stderr).toBe(0)
  expect(stdout).toMatch(/\| W5 echo round trip, pipe, µs \| less \| \d/)
  expect(stdout).toMatch(/\| over WebSocket \| \| node \|/)
})
