/** cli/: what people type who know docker and the tools of Unix. */
import { describe, expect, it } from "vitest"
import { name as runtime } from "../../testing/Runtime.ts"
import * as Program from "../testing/Program.ts"

// What is asked for, and what is answered, does not depend on the runtime.
const itOnNode = it.runIf(runtime === "Node")

const ok = (stdout: string, stderr = "") => ({ code: 0, stdout, stderr })

const first = (text: string) => text.split("\n")[0]

describe("a duration", () => {
  itOnNode("without a unit is in seconds, in every option that has one, and each help says so", async () => {
    const { call } = Program.make()
    expect(await call("run", "--timeout", "0.2", "--kill-grace", "1", "--", "sleep", "1000")).toEqual({
      code: 124,
      stdout: "",
      stderr: "procwire: the command was ended: it ran longer than 200 ms (--timeout)\n",
    })
    await call("run", "-d", "--name", "job", "--", "sh", "-c", "echo hello; exec sleep 1000")
    expect(await call("wait", "job", "--for", "text:hello", "--timeout", "60")).toEqual(ok("text:hello\n"))
    expect(await call("logs", "--since", "600", "job")).toEqual(ok("hello\n"))
    expect(await call("wait", "job", "--for", "idle:0.1")).toEqual(ok("idle:0.1\n"))
    expect((await call("kill", "--grace", "5", "job")).code).toBe(0)
    const commands = ["run", "wait", "logs", "kill", "restart", "top", "play", "record", "hosts"]
    for (const command of commands)
      expect((await call(command, "--help")).stdout).toContain(
        "A duration is a number of seconds, or one with ",
      )
    expect((await call("inspect", "--help")).stdout).not.toContain("A duration")
    expect(first((await call("wait", "job", "--timeout", "5d")).stderr)).toBe(
      "procwire: invalid value '5d' for '--timeout': expected seconds, or a duration such as 500ms, 30s or 2m",
    )
  })
})
