/** Wrong use of the bench's command, and its probe. */
import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { expect, test } from "vitest"

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url))
/** Milliseconds that a command may take: a test cannot be timed out while it waits for one. */
const timeout = 240_000

const bench = (...args: ReadonlyArray<string>) =>
  spawnSync("node", [pathOf("side-by-side.mjs"), ...args], { encoding: "utf8", timeout })

const folder = mkdtempSync(join(tmpdir(), "procwire-bench-"))

test("wrong use is named, with exit code 2, before anything is measured", { timeout }, () => {
  const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
    [["--against", "no-such-ref"], "bench: --against no-such-ref: no such commit"],
    [["--on", "perl"], "bench: --on perl: no such server"],
    [["--reps", "0"], "bench: --reps 0: wants a whole number from 1"],
    [["--fast"], "bench: Unknown option '--fast'"],
  ]
  for (const [args, text] of wrong) {
    const { status, stderr } = bench(...args)
    expect(stderr).toContain(text)
    expect(status, args.join(" ")).toBe(2)
  }
  expect(bench("--help")).toMatchObject({ status: 0, stderr: "" })
})

test("the probe counts what a Node allocates, and when it is not asked for, nothing", async () => {
  const prefix = join(folder, "probe")
  const program = `
    let kept
    process.on("message", () => {
      for (let turn = 0; turn < 200; turn += 1) kept = new Array(131072).fill(turn)
      process.send(kept.length)
    })
    process.send(0)`
  const hook = `--import=${pathToFileURL(pathOf("lib/probe.mjs"))}`
  const child = spawn("node", ["-e", program], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    env: { ...process.env, NODE_OPTIONS: hook, BENCH_COUNTS: prefix },
  })
  const message = () => new Promise((resolve) => child.once("message", resolve))
  const allocated = async (asked: number) => {
    child.kill("SIGUSR2")
    const name = `probe.${child.pid}.${asked}`
    while (!readdirSync(folder).includes(name)) await new Promise((resolve) => setTimeout(resolve, 5))
    return Number(readFileSync(join(folder, name), "utf8").split(" ")[0])
  }
  await message()
  const before = await allocated(0)
  child.send("go")
  await message()
  const after = await allocated(1)
  child.kill()
  // 200 arrays of 131,072 numbers, of 8 bytes each on most engines, of 4 with compressed pointers.
  expect(after - before).toBeGreaterThan(200 * 131_072 * 4)
  expect(after - before).toBeLessThan(200 * 131_072 * 8 * 2.5)
})
