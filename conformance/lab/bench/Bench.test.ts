/** Runs the commands of the benchmark: the guard on the control server itself, growth on a few processes, wrong use. */
import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { expect, test } from "vitest"

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url))
/** Milliseconds that a command may take: a test cannot be timed out while it waits for one. */
const timeout = 240_000

const bench = (...args: ReadonlyArray<string>) =>
  spawnSync("node", [pathOf("side-by-side.mjs"), ...args], { encoding: "utf8", timeout })

const control = `${process.execPath} ${pathOf("control/server.mjs")}`
const folder = mkdtempSync(join(tmpdir(), "procwire-bench-"))
const figures = (name: string, ratio: number) => {
  const file = join(folder, `${name}.json`)
  const line = spawnSync("node", ["-p", "process.versions.node.split('.')[0]"], { encoding: "utf8" })
  writeFileSync(file, JSON.stringify({ [line.stdout.trim()]: { connect: ratio } }))
  return file
}
const guard = (file: string) =>
  bench("--guard", "--quick", "--only", "connect", "--command", control, "--figures", file)

test("the guard passes a row that costs no more than its figure", { timeout }, () => {
  const { status, stdout, stderr } = guard(figures("dearer", 10))
  expect(status, stderr).toBe(0)
  expect(stdout).toContain("1 rows")
  expect(stdout).toContain("none is slower")
})

test("the guard measures what fell a second time, and then fails", { timeout }, () => {
  const { status, stdout, stderr } = guard(figures("slower", 0.1))
  expect(stderr).toContain("connect again")
  expect(stdout).toContain("SLOWER connect")
  expect(status).toBe(1)
})

test("without figures for this Node the guard says that it compares nothing", { timeout }, () => {
  const file = join(folder, "none.json")
  writeFileSync(file, "{}")
  const { status, stdout } = guard(file)
  expect(stdout).toMatch(/^skipped: .* has no figures for Node \d+; --record writes them\n$/)
  expect(status).toBe(0)
})

test("wrong use is named, with exit code 2, before anything is measured", { timeout }, () => {
  const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
    [["--against", "no-such-ref"], "bench: --against no-such-ref: no such commit"],
    [["--on", "perl"], "bench: --on perl: no such server"],
    [["--reps", "0"], "bench: --reps 0: wants a whole number from 1"],
    [["--fast"], "bench: Unknown option '--fast'"],
    [["--guard", "--only", "x"], "bench --guard: --only x: no such row"],
    [["--guard", "--figures", "/no/file"], "bench --guard: --figures /no/file: no such file"],
    [["--growth", "--counts", "10,5"], "bench -- --growth: --counts 10,5 wants rising whole numbers"],
  ]
  for (const [args, text] of wrong) {
    const { status, stderr } = bench(...args)
    expect(stderr).toContain(text)
    expect(status, args.join(" ")).toBe(2)
  }
  for (const args of [["--help"], ["--guard", "--help"], ["--growth", "--help"]])
    expect(bench(...args)).toMatchObject({ status: 0, stderr: "" })
})

test("growth compares servers that hold more and more", { timeout }, () => {
  const out = join(folder, "growth.json")
  const small = [
    "--kinds",
    "connection,finished",
    "--counts",
    "2,4",
    "--rounds",
    "2",
    "--settle",
    "1",
    "--seconds",
    "1",
    "--out",
    out,
  ]
  const { status, stdout, stderr } = bench("--growth", ...small)
  expect(status, stderr).toBe(0)
  for (const kind of ["connection", "finished"]) expect(stdout).toContain(`4 ${kind}`)
  const measured: Record<string, ReadonlyArray<{ count: number; startMillis: number }>> = JSON.parse(
    readFileSync(out, "utf8"),
  )
  expect(measured["connection"]?.map(({ count }) => count)).toEqual([2, 4])
  for (const { startMillis } of measured["finished"] ?? []) expect(startMillis).toBeGreaterThan(0)
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
