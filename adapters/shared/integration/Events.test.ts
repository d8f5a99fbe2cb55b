/** cli/: what happens to processes, and what they use, as a user sees it. */
import * as fs from "node:fs"
import process from "node:process"
import { describe, expect, it } from "vitest"
import { connect } from "../../testing/Client.ts"
import { name as runtime } from "../../testing/Runtime.ts"
import * as Proc from "../testing/Proc.ts"
import * as Program from "../testing/Program.ts"

/** Lines of a command that goes on, as they come. */
const linesOf = (child: ReturnType<Program.Program["start"]>) => {
  const lines: Array<Readonly<Record<string, unknown>>> = []
  let [text, wake] = ["", () => {}]
  child.stdout?.setEncoding("utf8").on("data", (more: string) => {
    const whole = `${text}${more}`.split("\n")
    text = whole.pop() ?? ""
    lines.push(...whole.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>))
    wake()
  })
  /** Completes when there is such a line. */
  const until = async (event: string, ref: string) => {
    const find = () => lines.find((line) => line["event"] === event && line["ref"] === ref)
    for (let found = find(); ; found = find()) {
      if (found !== undefined) return found
      await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  return { lines, until }
}

// Deno runs the same modules, and each of so many commands takes it a second of the processor.
describe.skipIf(runtime === "Deno")("events", () => {
  it("tell starts, restarts, exits and removals, of the processes that are wanted", async () => {
    const { call, start } = Program.make()
    expect(await call("events")).toEqual({
      code: 1,
      stdout: "",
      stderr: "procwire: no server of your own runs: procwire up starts it, and --server names another one\n",
    })
    await call("run", "-d", "--name", "old", "--label", "n=1", "--", "sleep", "600")
    const child = start("events", "--json", "--present", "--filter", "label=n")
    const { lines, until } = linesOf(child)
    expect(await until("present", "old")).toMatchObject({ state: "running", labels: { n: "1" } })
    await call("run", "-d", "--name", "other", "--", "true")
    await call("run", "-d", "--name", "web", "--label", "n=2", "--", "sleep", "600")
    await until("started", "web")
    expect((await call("restart", "web")).code).toBe(0)
    expect(await until("restarted", "web")).toMatchObject({ restarts: 1 })
    await call("kill", "--grace", "5s", "web")
    expect(await until("exited", "web")).toMatchObject({ exitCode: 143 })
    await call("rm", "web")
    await until("removed", "web")
    expect(lines.map(({ event, ref }) => `${String(event)} ${String(ref)}`)).toEqual([
      "present old",
      "started web",
      "restarted web",
      "exited web",
      "removed web",
    ])
    const ended = Proc.ended(child)
    // Deno takes a child that it has signalled itself for one that has died of the signal.
    process.kill(child.pid ?? 0, "SIGINT")
    expect(await ended).toBe(130)
  })
})

describe.skipIf(runtime === "Deno")("events of short lives", () => {
  it("tell each of many processes that are removed at once: its start, its exit, its removal", async () => {
    const { folder, start } = Program.make()
    const server = start("serve", "--listen", `unix:${folder.at("s")}`)
    const url = await new Promise<string>((resolve) =>
      server.stdout?.setEncoding("utf8").once("data", (line: string) => resolve(line.trim())),
    )
    const client = await connect({ url })
    const brief = { argv: ["true"], name: "brief", autoRemove: true } as const
    const first = await client.start({ argv: ["sleep", "600"], name: "brief first" })
    const { lines, until } = linesOf(
      start("events", "--server", url, "--json", "--present", "--filter", "name=brief"),
    )
    await until("present", "brief first")
    const ids = Array.from({ length: 200 }, (_, at) => `p${at}`)
    await Promise.all(ids.map((processId) => client.start({ ...brief, processId })))
    await first.end({ remove: true })
    await until("removed", "brief first")
    const whole = ["started null", "exited 0", "removed 0"]
    const toldOf = (id: string) =>
      lines
        .filter(({ processId }) => processId === id)
        .map(({ event, exitCode }) => `${String(event)} ${String(exitCode)}`)
    // Some may end behind the first one.
    while (lines.length < 3 + ids.length * whole.length)
      await new Promise((resolve) => setTimeout(resolve, 50))
    for (const id of ids) expect(toldOf(id)).toEqual(whole)
    expect(lines.length).toBe(3 + ids.length * whole.length)
    await client.close()
  })
})

describe.skipIf(runtime === "Deno")("top", () => {
  it.runIf(fs.existsSync("/proc/self/stat"))("has what processes use with their descendants", async () => {
    const { call } = Program.make()
    await call("run", "-d", "--name", "idle", "--", "sleep", "600")
    const busy = "i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done; echo ready; while :; do :; done"
    await call("run", "-d", "--name", "busy", "--", "sh", "-c", `sh -c '${busy}'; :`)
    expect((await call("wait", "busy", "--for", "text:ready")).code).toBe(0)
    const look = async () =>
      (await call("top", "--once", "--json")).stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Readonly<Record<string, number>>)
    let rows = await look()
    // A machine that is busy itself may not have let it run meanwhile.
    while ((rows[0]?.["cpuPercent"] ?? 0) === 0) rows = await look()
    expect(rows.map(({ ref }) => String(ref))).toEqual(["busy", "idle"])
    expect(rows[1]?.["cpuPercent"]).toBe(0)
    for (const { memoryBytes } of rows) expect(memoryBytes).toBeGreaterThan(100_000)
    expect((await call("top", "--filter", "name=idle")).stdout).toMatch(
      /^NAME +CPU +MEM +AGE +PID +OUTPUT +COMMAND\nidle +0\.0 +[\d.]+ [KM]iB /,
    )
    expect((await call("top", "--interval", "1ms")).code).toBe(2)
  })
})
