/** cli/: processes in the background that are started again, by hand and by their policy, as a user has them. */
import * as fs from "node:fs"
import { describe, expect, it } from "vitest"
import { name as runtime } from "../../testing/Runtime.ts"
import * as Program from "../testing/Program.ts"

const ok = (stdout: string) => ({ code: 0, stdout, stderr: "" })

const rowOf = async ({ call }: Program.Program, name: string) =>
  JSON.parse((await call("inspect", "--json", name)).stdout) as Readonly<Record<string, unknown>>

// Other runtimes run the same modules, and start so many commands slowly.
describe.runIf(runtime === "Node")("a process that is restarted", () => {
  it("has the same command, directory, variables and labels, and its output goes on", async () => {
    const program = Program.make({ OF_SHELL: "shell" })
    const { call, folder } = program
    const script = `echo "$$ $PWD $OF_SHELL"; trap 'echo bye; exit 0' TERM; while :; do sleep 0.05; done`
    const flags = ["--name", "web", "--label", "team=a", "-w", "config"]
    expect(await call("run", "-d", ...flags, "--", "sh", "-c", script)).toEqual(ok("web\n"))
    expect((await call("wait", "web", "--for", "text:shell")).code).toBe(0)
    const before = await rowOf(program, "web")
    expect(await call("restart", "web")).toEqual(ok("web\n"))
    expect((await call("wait", "web", "--for", "match:bye\n\\d+ .* shell")).code).toBe(0)
    const after = await rowOf(program, "web")
    expect(after).toMatchObject({
      labels: { team: "a" },
      restarts: 1,
      state: "running",
      argv: before["argv"],
    })
    expect(after["pid"]).not.toBe(before["pid"])
    const line = `${folder.at("config")} shell\n`
    expect((await call("logs", "web")).stdout).toBe(`${before["pid"]} ${line}bye\n${after["pid"]} ${line}`)
    expect((await call("ps")).stdout).toMatch(/ RESTARTS /)
    expect(await call("restart", "nobody")).toMatchObject({ code: 1 })
    expect(await call("kill", "--grace", "5s", "web")).toEqual(ok(""))
    expect(await rowOf(program, "web")).toMatchObject({ state: "closed", exitCode: 0, restarts: 1 })
  })

  it("begins anew if it has ended, under its name", async () => {
    const program = Program.make()
    const { call, folder } = program
    await call("run", "-d", "--name", "job", "--label", "n=1", "--", "sh", "-c", "cat number; exit 3")
    expect(await call("wait", "job", "--for", "exit")).toEqual(ok("3\n"))
    expect((await call("wait", "job", "--for", "closed")).code).toBe(0)
    fs.writeFileSync(folder.at("number"), "42\n")
    expect(JSON.parse((await call("restart", "--json", "job")).stdout)).toMatchObject({ name: "job" })
    expect(await call("wait", "job", "--for", "closed")).toEqual(ok("closed\n"))
    expect(await call("logs", "job")).toEqual(ok("42\n"))
    expect(await rowOf(program, "job")).toMatchObject({ labels: { n: "1" }, kept: true, exitCode: 3 })
    expect(await call("ps", "-aq")).toEqual(ok("job\n"))
    expect(await call("rm", "job")).toEqual(ok("job\n"))
  })

  it("is started again by its policy, without a client, until it ends well or is killed", async () => {
    const program = Program.make()
    const { call, folder } = program
    const script = "echo run; until [ -e well ]; do exit 3; done; echo well"
    expect(
      await call("run", "-d", "--name", "worker", "--restart", "on-failure", "--", "sh", "-c", script),
    ).toEqual(ok("worker\n"))
    expect((await call("wait", "worker", "--for", "match:(run\n){3}")).code).toBe(0)
    fs.writeFileSync(folder.at("well"), "")
    expect(await call("wait", "worker", "--for", "exit")).toEqual(ok("0\n"))
    const { restarts } = await rowOf(program, "worker")
    expect(restarts).toBeGreaterThanOrEqual(2)
    const flags = ["--restart", "on-failure:2", "--", "sh", "-c", "echo run; exit 4"]
    await call("run", "-d", "--name", "bounded", ...flags)
    expect(await call("wait", "bounded", "--for", "exit")).toEqual(ok("4\n"))
    expect((await call("logs", "bounded")).stdout).toBe("run\nrun\nrun\n")
    await call("run", "-d", "--name", "always", "--restart", "always", "--", "sh", "-c", "echo run")
    expect((await call("wait", "always", "--for", "match:(run\n){3}")).code).toBe(0)
    // Most of the time it waits for the next one by now.
    expect(await call("kill", "--grace", "1s", "always")).toEqual(ok(""))
    expect(await rowOf(program, "always")).toMatchObject({ state: "closed" })
    await call("run", "-d", "--name", "forced", "--restart", "always", "--", "sh", "-c", "echo run")
    expect(await call("rm", "-f", "forced")).toEqual(ok("forced\n"))
    expect((await call("ps", "-aq")).stdout).toBe("worker\nbounded\nalways\n")
  })

  it("is refused with words where the flag cannot be", async () => {
    const { call } = Program.make()
    expect(await call("run", "-d", "--restart", "allways", "--", "true")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        "invalid value 'allways' for '--restart': expected no, on-failure, on-failure:N or always; did you mean 'always'?",
      ) as string,
    })
    expect((await call("run", "--restart", "always", "--", "true")).stderr).toContain(
      "procwire: --restart needs --detach\n",
    )
  })
})
