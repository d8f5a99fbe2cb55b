/** Plants faults into our own server, and plays it against itself: the tester sees the first and not the second. */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"

const script = fileURLToPath(new URL("differential.mjs", import.meta.url))
const server = `'${process.execPath}' '${fileURLToPath(new URL("../../../dist/procwire.mjs", import.meta.url))}' serve`

/** A small server of the suite. */
const target = (file: string) =>
  `'${process.execPath}' '${fileURLToPath(new URL(`../../targets/${file}`, import.meta.url))}'`

const run = (...args: ReadonlyArray<string>) => {
  const { status, stdout, stderr } = spawnSync("node", [script, ...args], {
    encoding: "utf8",
    timeout: 240_000,
  })
  return { status, stdout, stderr }
}

test("planted faults are found in spite of the allowed differences", () => {
  const faults =
    "errors/number,readFile/last*,getMetadata/size,walk/order,output/*,exited/code,writeFile/nothing*"
  const { status, stdout, stderr } = run("--self-test", "--sequences", "200", "--faults", faults)
  expect(status, `${stdout}${stderr}`).toBe(0)
})

test("a server does not differ from itself, and one that is wrong does", () => {
  const equal = run("--sequences", "15", "--methods", "fs/*,process/*", "--reference", server)
  expect(equal.status, `${equal.stdout}${equal.stderr}`).toBe(0)
  const wrong = target("broken/base64-without-padding.mjs")
  const few = ["--sequences", "4", "--methods", "process/*", "--reference", target("control.mjs")]
  const other = run(...few, "--candidate", wrong, "--transport", "stdio")
  expect(other.stdout).toContain("differ without an explanation")
  expect(other.status, `${other.stdout}${other.stderr}`).toBe(1)
})

test("wrong use is told, with exit code 2", () => {
  expect(run().stderr).toContain("--reference is missing")
  for (const args of [
    [],
    ["--methods", "no/such", "--reference", server],
    ["--replay", "x"],
    ["--allow", "/none"],
    ["--folder", "/none", "--reference", server],
  ])
    expect(run(...args).status, args.join(" ")).toBe(2)
})
