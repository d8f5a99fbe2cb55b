/** Deadlines, graces and aborts on real servers: what ends when no client is there to ask for it any more. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { connect as dial, createServer, type AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import type { Client } from "../../../core/client/Client.ts"
import * as Bundled from "../../testing/Bundled.ts"
import { connect } from "../../testing/Client.ts"
import { command } from "../../testing/Runtime.ts"
import * as Proc from "../testing/Proc.ts"
import { until } from "../testing/TestChild.ts"

const [program, ...main] = command
const aborting = Bundled.program("AbortingProgram")

// Their sessions outlive every test, so that it is not their end that ends a process.
const server = spawn(program, [...main, "serve", "--listen", "tcp://127.0.0.1:0", "--contain", "subreaper"], {
  stdio: ["ignore", "pipe", "inherit"],
})
let url = ""
let client: Client

beforeAll(async () => {
  url = String(await once(server.stdout, "data")).trim()
  client = await connect({ url })
}, 60_000)
afterAll(async () => {
  aborting.remove()
  await client.close()
  server.kill("SIGKILL")
})

/** An argument of `sleep` that no other process has. */
const unique = (seconds: number) => `${seconds}.${process.pid}`
const runs = (seconds: number) => Proc.withArgument(unique(seconds)).length
const gone = (seconds: number) => until(() => runs(seconds) === 0, `sleep ${unique(seconds)} is gone`)

const launch = (argv: ReadonlyArray<string>): ChildProcess => {
  const [file = "", ...args] = argv
  const child = spawn(file, args, { stdio: ["pipe", "pipe", "inherit"] })
  onTestFinished(() => void child.kill("SIGKILL"))
  return child
}

const closed = (processId: string) =>
  client.call("process/read", { processId, afterSeq: 2 ** 40, waitMs: 60_000 })

describe("a deadline", () => {
  it("ends the whole tree, what has left its group too, and its output stays readable", async () => {
    const sleep = unique(8301)
    // Longer than a shell takes to begin on a busy machine.
    const script = `trap '' TERM; setsid sleep ${sleep} & echo partial; while :; do sleep 1; done`
    const child = await client.start({ argv: ["sh", "-c", script], timeoutMs: 2000, killGraceMs: 200 })
    let text = ""
    for await (const piece of child.text()) text += piece
    expect(text).toBe("partial\n")
    expect(await child.read()).toMatchObject({ exitCode: 137, endedBy: "timeout", signal: 9 })
    await gone(8301)
  })

  it("is the server's: it ends the command of a client that was killed", async () => {
    const sleep = ["sh", "-c", `echo ready; exec sleep ${unique(8302)}`]
    const run = launch([program, ...main, "run", "--server", url, "--timeout", "6s", "--", ...sleep])
    await once(run.stdout!, "data")
    run.kill("SIGKILL")
    // Had the deadline come first, it would have exited with 124.
    expect((await once(run, "exit"))[1]).toBe("SIGKILL")
    await gone(8302)
  })

  it("of silence ends what says nothing, and only that", async () => {
    const quiet = await client.run({ argv: ["sh", "-c", "echo a; exec sleep 600"], idleTimeout: 2000 })
    expect(quiet).toMatchObject({ stdout: "a\n", timedOut: true, endedBy: "idleTimeout", signal: "SIGTERM" })
  })

  it("makes `procwire run` exit with 124, and say why", async () => {
    const run = spawn(program, [...main, "run", "--timeout", "200ms", "--", "sleep", "600"], {
      stdio: "pipe",
    })
    let said = ""
    run.stderr.on("data", (bytes: Buffer) => (said += bytes.toString()))
    expect((await once(run, "close"))[0]).toBe(124)
    expect(said).toBe("procwire: the command was ended: it ran longer than 200 ms (--timeout)\n")
  })
})

describe("a terminate with a grace", () => {
  it("lets the process end by itself, and says who asked", async () => {
    const script = "trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.05; done"
    const child = await client.start({ argv: ["sh", "-c", script] })
    const pieces = child.text("stdout")[Symbol.asyncIterator]()
    await pieces.next()
    expect(await child.end()).toBe(true)
    expect((await pieces.next()).value).toBe("bye\n")
    expect(await closed(child.id)).toMatchObject({ exitCode: 7, endedBy: "terminate" })
    expect(await child.end()).toBe(false)
  })

  it("goes on when the connection that asked is gone", async () => {
    const script = `trap '' TERM; echo ready; sleep ${unique(8303)} & wait; while :; do sleep 1; done`
    const other = await connect({ url }, { reconnect: false })
    const child = await other.start({ argv: ["sh", "-c", script] })
    await until(() => runs(8303) === 1, "it sleeps")
    expect(await child.end({ graceMs: 1500 })).toBe(true)
    await other.close()
    await gone(8303)
  })
})

describe("a signal", () => {
  it.each(["SIGUSR1", "USR1", 10])("can be named %s", async (signal) => {
    const child = await client.start({
      argv: ["sh", "-c", "trap 'exit 9' USR1; echo up; while :; do sleep 0.02; done"],
    })
    await child.text()[Symbol.asyncIterator]().next()
    await child.signal(signal as 10)
    expect(await child.exitCode).toBe(9)
  })

  it("can be a real-time one", async () => {
    const child = await client.start({ argv: ["sleep", "600"] })
    await child.signal("SIGRTMIN+2")
    expect(await closed(child.id)).toMatchObject({ exitCode: 164, endedBy: "signal", signal: 36 })
  })
})

describe("an AbortSignal", () => {
  it("ends what `run` and `start` have started", async () => {
    const controller = new AbortController()
    const running = client.run({ argv: ["sleep", unique(8304)], signal: controller.signal })
    const child = await client.start({
      argv: ["sleep", unique(8304)],
      signal: controller.signal,
      killGraceMs: 5000,
    })
    await until(() => runs(8304) === 2, "both run")
    controller.abort(new Error("enough"))
    await expect(running).rejects.toThrow("enough")
    expect(await closed(child.id)).toMatchObject({ exitCode: 143, endedBy: "terminate" })
    await gone(8304)
    const late = client.start({ argv: ["sleep", "600"], signal: controller.signal })
    await expect(late).rejects.toMatchObject({ reason: "Abandoned" })
  })

  it("ends the process also if its program is killed before the server has answered", async () => {
    const victims: Array<ChildProcess> = []
    // The program dies with its abort on the way.
    const relay = createServer((near) => {
      const far = dial(Number(new URL(url).port), "127.0.0.1")
      near.on("data", (bytes) => {
        if (bytes.includes("process/terminate")) victims[0]?.kill("SIGKILL")
        far.write(bytes)
      })
      far.on("data", (bytes) => near.write(bytes))
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        one.on("error", () => {})
        one.on("close", () => other.end())
      }
    })
    await new Promise<void>((done) => relay.listen(0, "127.0.0.1", done))
    onTestFinished(() => void relay.close())
    const through = `tcp://127.0.0.1:${(relay.address() as AddressInfo).port}`
    const victim = launch([...aborting.args, through, unique(8305)])
    victims.push(victim)
    await once(victim.stdout!, "data")
    // The program has the argument, too.
    await until(() => runs(8305) === 2, "it sleeps")
    victim.stdin!.write("abort\n")
    expect((await once(victim, "exit"))[1]).toBe("SIGKILL")
    await gone(8305)
  })
})

describe("run", () => {
  it("tells how the process ended and how long that took", async () => {
    const ok = await client.run({ argv: ["sort"], input: "b\na\n" })
    expect(ok).toMatchObject({
      exitCode: 0,
      stdout: "a\nb\n",
      endedBy: "exit",
      timedOut: false,
      truncated: false,
    })
    expect(ok.durationMs).toBeGreaterThanOrEqual(0)
    expect(await client.run({ argv: ["sh", "-c", "kill -9 $$"] })).toMatchObject({
      signal: "SIGKILL",
      exitCode: 137,
    })
    const late = await client.run({ argv: ["sleep", "600"], timeout: "200 millis" })
    expect(late).toMatchObject({ timedOut: true, endedBy: "timeout", signal: "SIGTERM" })
    expect(late.durationMs).toBeGreaterThanOrEqual(200)
  })

  it("rejects for those who ask for that, and keeps what fits for those who do not", async () => {
    const bad = { argv: ["sh", "-c", "echo no such thing >&2; exit 3"] }
    await expect(client.run({ ...bad, reject: true })).rejects.toMatchObject({
      reason: "Failed",
      message: "sh exited with 3: no such thing",
      result: { exitCode: 3 },
    })
    const much = { argv: ["yes"], maxBuffer: 10 }
    await expect(client.run(much)).rejects.toMatchObject({ reason: "OutputTooLarge" })
    expect(await client.run({ ...much, reject: false })).toMatchObject({
      stdout: "y\ny\ny\ny\ny\n",
      truncated: true,
      endedBy: "terminate",
    })
    await expect(client.run({ ...bad, timeout: 0 })).rejects.toMatchObject({ reason: "InvalidOption" })
  })
})
