/** Plants faults into our own server, and plays it against itself: the tester sees the first and not the second. */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"

const script = fileURLToPath(new URL("differential.mjs", import.meta.url))
const server = `'${process.execPath}' '${fileURLToPath(new URL("../../../dist/procwire.mjs", import.meta.url))}' serve`

const run = (...args: ReadonlyArray<string>) => {
  const { status, stdout, stderr } = spawnSync("node", [script, ...args], { encoding: "utf8" })
  return { status, stdout, stderr }
}

test("planted faults are found in spite of the allowed differences", { timeout: 240_000 }, () => {
  const faults = "errors/*,readFile/*,getMetadata/size,walk/order,output/*,exited/code,read/exited,writeFile/*"
  const { status, stdout, stderr } = run("--self-test", "--sequences", "200", "--faults", faults)
  expect(status, `${stdout}${stderr}`).toBe(0)
})

test("a server does not differ from itself, and a server that is wrong does", { timeout: 240_000 }, () => {
  const few = ["--sequences", "20", "--methods", "fs/*,process/*", "--reference", server]
  const equal = run(...few)
  expect(equal.status, `${equal.stdout}${equal.stderr}`).toBe(0)
  const other = run(...few, "--candidate", `${server} --max-json-depth 3`)
  expect(other.stdout).toContain("differ without an explanation")
  expect(other.status, `${other.stdout}${other.stderr}`).toBe(1)
})

test("wrong use is told, with exit code 2", () => {
  expect(run().stderr).toContain("--reference is missing")
  for (const args of [[], ["--methods", "no/such", "--reference", server], ["--replay", "x"], ["--allow", "/none"]])
    expect(run(...args).status, args.join(" ")).toBe(2)
})
