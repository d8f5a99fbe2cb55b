import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { platform } from "../../HostPlatform.ts"
import * as Proc from "../../testing/Proc.ts"
import * as TestChild from "../../testing/TestChild.ts"
import * as ChildWatch from "./ChildWatch.ts"
import * as Libc from "./Libc.ts"
import * as PosixHelperShell from "./PosixHelperShell.ts"

const libc = Libc.bind(platform.openFfi())
const start = PosixHelperShell.make(libc, ChildWatch.make(libc))

const inFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "procwire-helper-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, "out")
}
/** A shell that ends at the end of its input, the name that its `$0` is, and how often it was said to have ended. */
const begin = (script: string, ...args: ReadonlyArray<string>) => {
  const name = `helper-${performance.now()}`
  const ends = { count: 0 }
  const shell = start(script, [name, ...args], () => void (ends.count += 1))
  return { shell, ends, pid: () => Proc.withArgument(name)[0] ?? 0 }
}

test("it reads what is written, and EOF behind it, and its end is told once", async () => {
  const out = inFolder()
  const { shell, ends } = begin('cat >"$1"; echo "$2" >>"$1"; exit 3', out, "it's")
  shell.write("one\n")
  shell.write("two\n")
  shell.end()
  shell.end()
  await TestChild.until(() => ends.count > 0, "the end is told")
  expect(readFileSync(out, "utf8")).toBe("one\ntwo\nit's\n")
  shell.write("lost")
  expect(ends.count).toBe(1)
})

// guards: descriptors
test("a shell that is killed leaves no descriptor here", async () => {
  const { ends, pid } = begin("cat; true")
  await TestChild.until(() => pid() !== 0, "it runs")
  const pipe = readlinkSync(`/proc/${pid()}/fd/0`)
  const ours = () =>
    readdirSync("/proc/self/fd").filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`) === pipe
      } catch {
        return false
      }
    })
  expect(ours().length).toBe(1)
  process.kill(pid(), "SIGKILL")
  await TestChild.until(() => ends.count > 0, "the end is told")
  expect(ours()).toEqual([])
})

test("it leads a session, has no variables, and nothing but stdin is a pipe", async () => {
  const { shell, ends, pid } = begin("cat; true")
  await TestChild.until(() => pid() !== 0, "it runs")
  const target = (fd: number) => readlinkSync(`/proc/${pid()}/fd/${fd}`).replace(/:.*/, "")
  expect([0, 1, 2].map(target)).toEqual(["pipe", "/dev/null", "/dev/null"])
  const [, group, session] = readFileSync(`/proc/${pid()}/stat`, "utf8")
    .replace(/.*\) . /, "")
    .split(" ")
  expect([group, session]).toEqual([String(pid()), String(pid())])
  expect(readFileSync(`/proc/${pid()}/environ`, "utf8")).toBe("")
  shell.end()
  await TestChild.until(() => ends.count > 0, "the end is told")
})

test("a shell that reads nothing holds up nobody, and gets all of it later", async () => {
  const out = inFolder()
  const { shell, ends, pid } = begin('cat >"$1"', out)
  await TestChild.until(() => existsSync(out), "it reads")
  process.kill(pid(), "SIGSTOP")
  const line = `${"x".repeat(99)}\n`
  // The shell may be what is stopped, and not `cat`.
  for (const child of Proc.childrenOf(pid())) process.kill(child, "SIGSTOP")
  for (let count = 0; count < 5_000; count += 1) shell.write(line)
  shell.end()
  for (const child of Proc.childrenOf(pid())) process.kill(child, "SIGCONT")
  process.kill(pid(), "SIGCONT")
  await TestChild.until(() => ends.count > 0, "the end is told")
  expect(readFileSync(out, "utf8")).toBe(line.repeat(5_000))
})

test("one that is killed is told, and what is written then is lost", async () => {
  const { shell, ends, pid } = begin("while read -r line; do :; done")
  await TestChild.until(() => pid() !== 0, "it runs")
  process.kill(pid(), "SIGKILL")
  await TestChild.until(() => ends.count > 0, "the end is told")
  shell.write("lost\n")
  shell.end()
  expect(ends.count).toBe(1)
  expect(execFileSync("sh", ["-c", "echo ok"], { encoding: "utf8" })).toBe("ok\n")
})
