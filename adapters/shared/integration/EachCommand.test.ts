/** The life of one process by the commands for it: each is proved once. Further options are tested in their files. */
import { expect, it } from "vitest"
import { connect } from "../../testing/Client.ts"
import { unboundCommand } from "../../testing/Runtime.ts"
import * as Program from "../testing/Program.ts"

const ok = (stdout: string) => ({ code: 0, stdout, stderr: "" })

it("start a process, list it, type, look on, wait for it, show its output, end it and remove it", async () => {
  const { call, env: all, feed, folder } = Program.make()
  const env = Object.fromEntries(
    Object.entries(all).flatMap(([name, value = ""]) => (value === "" ? [] : [[name, value]])),
  )
  expect(await call("run", "--", "sh", "-c", "echo out; echo err >&2; exit 7")).toEqual({
    code: 7,
    stdout: "out\n",
    stderr: "err\n",
  })
  const echo = "while read x; do echo got $x; done"
  expect(await call("run", "-d", "-t", "--name", "echo", "--", "sh", "-c", echo)).toMatchObject({ code: 0 })
  expect(await call("ps")).toMatchObject({ code: 0, stdout: expect.stringMatching(/^echo .*running/m) })
  expect(await feed("one\n", "write", "echo")).toEqual(ok(""))

  await using terminal = await connect({ inProcess: true })
  const attach = [...unboundCommand, "attach", "echo"]
  await using viewer = await terminal.start({ argv: attach, cwd: folder.path, tty: true, env })
  await viewer.wait({ until: [{ pattern: "got one" }] })
  await viewer.write("two\r")
  await viewer.wait({ until: [{ pattern: "got two" }] })
  await viewer.write("\u0010\u0011")
  expect(await viewer.exitCode).toBe(0)

  expect(await call("wait", "echo", "--for", "text:got two")).toMatchObject({ code: 0 })
  expect((await call("logs", "echo")).stdout).toBe("one\r\ngot one\r\ntwo\r\ngot two\r\n")
  expect(await call("stop", "echo")).toMatchObject({ code: 0 })
  expect(await call("wait", "echo")).toMatchObject({ code: 0, stdout: expect.stringMatching(/^1\d\d\n$/) })
  expect(await call("rm", "echo")).toMatchObject({ code: 0 })
  expect((await call("ps", "--all")).stdout).not.toContain("echo")
})
