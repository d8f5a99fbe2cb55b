/** cli/: commands that take several processes, and spans of time. */
import { expect, it } from "vitest"
import { name as runtime } from "../../testing/Runtime.ts"
import * as Program from "../testing/Program.ts"

const itOnNode = it.runIf(runtime === "Node")

const ok = (stdout: string, stderr = "") => ({ code: 0, stdout, stderr })

const open = async (...scripts: ReadonlyArray<readonly [name: string, script: string]>) => {
  const program = Program.make()
  for (const [name, script] of scripts)
    await program.call("run", "-d", "-i", "--name", name, "--", "sh", "-c", script)
  return program
}

itOnNode("wait waits for all at once, and ends with the code of the last failure", async () => {
  const { call, feed } = await open(
    ["one", "read line; exit 3"],
    ["two", "read line; exit 0"],
    ["never", "exec sleep 1000"],
  )
  const waiting = call("wait", "one", "two")
  await feed("x\n", "write", "two")
  await feed("x\n", "write", "one")
  expect(await waiting).toEqual(ok("3\n0\n"))
  expect(await call("wait", "--json", "two", "one")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^{"ref":"two",.*\n{"ref":"one",.*\n$/),
  })
  expect(await call("wait", "xyz", "two", "never", "--timeout", "0.01")).toEqual({
    code: 124,
    stdout: "0\n",
    stderr:
      "procwire: no process is called xyz; procwire ps -a lists them\n" +
      "procwire: never: exit has not come within 0.01\n",
  })
  expect((await call("wait", "never", "xyz", "two", "--timeout", "0.01")).code).toBe(1)
})

itOnNode("logs shows several, each line with its process in front", async () => {
  const { call } = await open(["web", "echo a; printf b"], ["worker", "echo c; echo oops >&2"])
  await call("wait", "web", "worker", "--for", "closed")
  expect(await call("logs", "web", "worker")).toEqual(
    ok("web    | a\nweb    | b\nworker | c\n", "worker | oops\n"),
  )
  const followed = await call("logs", "-f", "web", "worker")
  expect(followed.stdout.split("\n").sort()).toEqual(["", "web    | a", "web    | b", "worker | c"])
  expect(await call("logs", "web", "none")).toEqual({
    code: 1,
    stdout: "web | a\nweb | b\n",
    stderr: "procwire: no process is called none; procwire ps -a lists them\n",
  })
  expect((await call("logs", "--cast", "web", "worker")).stderr).toMatch(
    /^procwire: --cast is of one process\n/,
  )
})

itOnNode("logs ends with what was printed until a time", async () => {
  const { call, feed } = await open(["web", "echo first; read line; echo second"])
  await call("wait", "web", "--for", "text:first")
  // A later event has a later time, in milliseconds.
  await new Promise((resolve) => setTimeout(resolve, 20))
  const time = new Date().toISOString()
  await new Promise((resolve) => setTimeout(resolve, 20))
  await feed("x\n", "write", "web")
  await call("wait", "web", "--for", "closed")
  expect(await call("logs", "--until", time, "web")).toEqual(ok("first\n"))
  expect(await call("logs", "--since", time, "web")).toEqual(ok("second\n"))
  expect(await call("logs", "--until", time, "--since", time, "web")).toEqual(ok(""))
  expect(await call("logs", "--until", time, "--grep", ".", "web")).toEqual(ok("first\n"))
  expect(await call("logs", "--until", "0", "web")).toEqual(ok("first\nsecond\n"))
  for (const [flag, ...more] of [["--follow"], ["--tail", "1"]] as const)
    expect((await call("logs", "--until", time, flag, ...more, "web")).stderr).toMatch(
      new RegExp(`^procwire: --until and ${flag} exclude each other\n`),
    )
})
