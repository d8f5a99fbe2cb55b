/** Daemons end with a server in this process, as behind `procwire serve`. */
import { execFile } from "node:child_process"
import process from "node:process"
import { describe, expect, it } from "vitest"
import { command, platform } from "../../testing/Runtime.ts"
import * as Program from "../Program.ts"
import * as Proc from "../testing/Proc.ts"
import * as TestChild from "../testing/TestChild.ts"

const [program, ...main] = command
const { connect } = Program.make(platform)

interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const procwire = (...args: ReadonlyArray<string>) =>
  new Promise<Ran>((resolve) => {
    execFile(program, [...main, ...args], { encoding: "utf8" }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })

const unique = (seconds: number) => `${seconds}.${process.pid}`
const running = (seconds: number) => Proc.withArgument(unique(seconds)).length

/** Starts a daemon by a double fork, and exits with 3 when it runs. */
const daemonizing = (seconds: number) => {
  const daemon = `sh -c "trap '' HUP; echo up >&3; exec 3>&-; exec sleep ${unique(seconds)}" </dev/null >/dev/null 2>&1`
  const fifo = `"$d/up"`
  return [
    "sh",
    "-c",
    `d=$(mktemp -d); mkfifo ${fifo}; (setsid ${daemon} 3>${fifo} &); read x <${fifo}; rm -r "$d"; exit 3`,
  ] as const
}

const kill = (seconds: number) => {
  for (const pid of Proc.withArgument(unique(seconds))) process.kill(pid, "SIGKILL")
}

/** The choice of `auto` in a program: true if that contains daemons. */
const hasCgroups = await procwire("run", "--contain", "cgroup", "--", "true").then(({ code }) => code === 0)
if (!hasCgroups) process.stdout.write("not tested: containment in a program: no cgroup can be made here\n")

describe("procwire run", () => {
  it("leaves no daemon behind", async () => {
    expect(await procwire("run", "--", ...daemonizing(81))).toEqual({ code: 3, stdout: "", stderr: "" })
    await TestChild.until(() => running(81) === 0, "the daemon is dead")
  })

  it("adopts a daemon with --contain subreaper", async () => {
    const ran = await procwire("run", "--contain", "subreaper", "--", ...daemonizing(82))
    expect(ran).toMatchObject({ code: 3 })
    await TestChild.until(() => running(82) === 0, "the daemon is dead")
  })

  it("leaves a daemon alone with --contain none", async () => {
    expect(await procwire("run", "--contain", "none", "--", ...daemonizing(83))).toMatchObject({ code: 3 })
    await TestChild.until(() => running(83) === 1, "the daemon runs")
    kill(83)
  })

  it("refuses what is no containment, and a flag without an effect", async () => {
    const [wrong, remote] = [
      await procwire("run", "--contain", "cgruop", "--", "true"),
      await procwire("run", "--contain", "cgroup", "--server", "ws://127.0.0.1:1", "--", "true"),
    ]
    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^procwire: invalid value 'cgruop' for '--contain': expected auto, /),
    })
    expect(remote).toMatchObject({ code: 2 })
    expect(remote.stderr).toContain(
      "--contain is for the server in this process: give it to the `procwire serve`",
    )
  })
})

describe("connect({ inProcess: true })", () => {
  it.runIf(hasCgroups)("leaves no daemon behind when the client is closed", async () => {
    const client = await connect({ inProcess: true })
    const [file, ...args] = daemonizing(84)
    const { exitCode } = await client.run({ argv: [file, ...args], maxBuffer: 1000 })
    expect(exitCode).toBe(3)
    await TestChild.until(() => running(84) === 1, "the daemon runs")
    await client.close()
    await TestChild.until(() => running(84) === 0, "the daemon is dead")
  })

  it("leaves a daemon alone with contain: none", async () => {
    const client = await connect({ inProcess: true, contain: "none" })
    const [file, ...args] = daemonizing(85)
    await client.run({ argv: [file, ...args] })
    await TestChild.until(() => running(85) === 1, "the daemon runs")
    await client.close()
    expect(running(85)).toBe(1)
    kill(85)
  })

  it.each(["cgruop", "pidns"])("refuses what is no containment: %s", async (contain) => {
    // @ts-expect-error: no such choice
    await expect(connect({ inProcess: true, contain })).rejects.toMatchObject({
      reason: "InvalidOption",
      message: expect.stringContaining(
        `contain: invalid value '${contain}': expected auto, cgroup, subreaper or none`,
      ),
    })
  })
})
