/** The spawner `ssh:` with the real sshd: what is left and what is reported when a connection dies. */
import { spawn } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import process from "node:process"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { Spawner, type SpawnerService } from "../../../core/spawn/Spawner.ts"
import { CuttingProxy } from "../testing/CuttingProxy.ts"
import * as Folder from "../testing/Folder.ts"
import * as Proc from "../testing/Proc.ts"
import * as TestChild from "../testing/TestChild.ts"
import { connect } from "../../testing/Client.ts"
import { command, platform } from "../../testing/Runtime.ts"
import * as SshServer from "../../testing/SshServer.ts"
import { layerNamed } from "../../sandbox/NamedSpawners.ts"

const { lackOfTerminals: lack } = SshServer
let server: SshServer.SshServer
let count = 0

/** An argument that no other process of this machine has. */
const unique = () => `600.${process.pid}${String(count++).padStart(3, "0")}`

/** A program that takes no signal but SIGKILL, with descendants in its group and in a session of their own. */
const stubborn = (argument: string) => {
  const sleep = `sleep ${argument}`
  return `trap '' HUP TERM INT; ${sleep} & setsid sh -c 'trap "" HUP TERM; ${sleep}; :' & echo up; ${sleep}; :`
}

/** Lives until the test has ended. */
const spawnerOf = async (text: string): Promise<SpawnerService> => {
  const scope = Effect.runSync(Scope.make())
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const layer = layerNamed([text], platform.layerSpawner)
  return Context.get(await Effect.runPromise(Layer.buildWithScope(layer, scope)), Spawner)
}

const parentOf = (pid: number): number => Number(/\) \S (\d+)/s.exec(read(`/proc/${pid}/stat`))?.[1])

/** The process that sshd has for the connection, of which `pid` is a descendant. */
const connectionOf = (pid: number): number => {
  if (!(pid > 1)) throw new Error("no process of sshd is above it")
  return read(`/proc/${pid}/comm`).startsWith("sshd") ? pid : connectionOf(parentOf(pid))
}

const masters = () => Proc.withArgument(server.config)

/** Three of them, on pipes and on a PTY, which all run. */
const startThree = async (spawner: SpawnerService, argument: string) => {
  const script = stubborn(argument)
  const kinds = [{}, { stdin: true }, { pty: true }]
  const children = await Promise.all(
    kinds.map((kind) => TestChild.start(spawner, { argv: ["sh", "-c", script], ...kind })),
  )
  await TestChild.until(() => Proc.withArgument(argument).length === 9, "all nine of them run")
  return children
}

const stop = (pid: number): void => {
  process.kill(pid, "SIGSTOP")
  onTestFinished(() => {
    if (Proc.isAlive(pid)) process.kill(pid, "SIGKILL")
  })
}

const read = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

/** The names in a folder; none if it is gone. */
const namesIn = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** The arguments of every process of this machine. */
const commandLines = () =>
  readdirSync("/proc").map((name) => (/^\d+$/.test(name) ? read(`/proc/${name}/cmdline`) : ""))

/** The starts on the far side. */
const specs = () =>
  namesIn("/dev/shm")
    .filter((name) => name.startsWith(".procwire-"))
    .flatMap((folder) => namesIn(`/dev/shm/${folder}`).map((name) => `/dev/shm/${folder}/${name}`))
    .filter((path) => path.includes("/spec."))
    .map(read)

const none = (argument: string) =>
  TestChild.until(() => Proc.withArgument(argument).length === 0, "nothing is left on the far side")

describe.skipIf(lack !== undefined)(`ssh${lack === undefined ? "" : `: ${lack}`}`, { tags: ["sshd"] }, () => {
  beforeAll(async () => {
    server = await SshServer.start()
  })
  afterAll(() => server?.close())

  test("nothing is left when the server is killed, and its ssh ends", async () => {
    const { at } = Folder.make()
    const listen = `unix:${at("socket")}`
    const [program, ...words] = command
    const args = [...words, "serve", "--spawner", `ssh:${server.address}`, "--listen", listen]
    const procwire = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] })
    await new Promise<void>((resolve, reject) => {
      procwire.stdout.once("data", () => resolve())
      procwire.once("exit", (code) => reject(new Error(`procwire ended with ${code}`)))
    })
    const client = await connect({ url: listen }, { reconnect: false })
    const argument = unique()
    for (const tty of [false, true])
      await client.start({
        argv: ["sh", "-c", stubborn(argument)],
        cwd: "/",
        tty,
        env: { PATH: "/usr/bin:/bin" },
      })
    await TestChild.until(() => Proc.withArgument(argument).length === 6, "all six of them run")
    procwire.kill("SIGKILL")
    await none(argument)
    await TestChild.until(() => masters().length === 0, "ssh has ended")
    await client.close()
  })

  /** `die` gets the pid of the ssh, and of sshd's process for the connection; `told`: not as killed alone. */
  const dies = async (
    die: (master: number, session: number) => unknown,
    { address = server.address, told = true } = {},
  ) => {
    const spawner = await spawnerOf(`ssh:${address}`)
    const argument = unique()
    const children = await startThree(spawner, argument)
    const master = masters().find((pid) => parentOf(pid) === process.pid) ?? 0
    die(master, connectionOf(Proc.withArgument(argument)[0] ?? 0))
    for (const child of children) {
      await child.closed
      expect(child.status()).toEqual({ kind: "signaled", signal: 9 })
      const said = `${child.text("stderr")}${child.text("pty")}`
      if (told) expect(said).toContain(`procwire: the connection to ${address.replace(/,.*/, "")} was lost`)
    }
    await none(argument)
    const next = await TestChild.run(spawner, { argv: ["echo", "again"] })
    expect([next.text("stdout"), next.text("stderr")]).toEqual(["again\n", ""])
    await TestChild.until(() => masters().length === 1 && masters()[0] !== master, "one ssh runs, a new one")
    for (const child of children) await child.close()
  }

  test("nothing is left when ssh is killed; the processes are told as ended, and the next start connects anew", () =>
    dies((master) => process.kill(master, "SIGKILL")))

  test("nothing is left when the session of sshd is killed", () =>
    dies((_, session) => process.kill(session, "SIGKILL")))

  test("nothing is left when the far side hears no more of us", () =>
    dies((master) => stop(master), { address: `${server.address},alive=3` }))

  test("nothing is left when we hear no more of the far side", () =>
    dies((_, session) => stop(session), { address: `${server.address},alive=3` }))

  test("nothing is left when the connection is cut in the middle of output", async () => {
    const [, port, options] = /:(\d+)(.*)$/.exec(server.address) ?? []
    const proxy = await CuttingProxy.make(`ws://127.0.0.1:${port}`)
    onTestFinished(() => proxy.close())
    const address = `127.0.0.1:${new URL(proxy.url).port}${options}`
    const talker = await spawnerOf(`ssh:${address}`)
    let count = 0
    const argument = unique()
    const child = await TestChild.start(talker, {
      argv: ["sh", "-c", `sleep ${argument} & while :; do echo ${"x".repeat(200)}; done`],
      onOutput: (_, { length }) => void (count += length),
    })
    await TestChild.until(() => count > 1_000_000, "a megabyte of output")
    await dies(() => proxy.cut(), { address })
    await child.closed
    await none(argument)
    await child.close()
  })

  test("nothing is left when the keeper of the far side is killed", () =>
    dies(
      (_, session) => {
        const keeper = Proc.withArgument("procwire").find((pid) => parentOf(pid) === session)
        process.kill(keeper ?? 0, "SIGKILL")
      },
      { told: false },
    ))

  test("a connection that cannot be had is a sentence with the words of ssh", async () => {
    const known = `ssh:nobody-of-this-name@${server.address}`
    await expect(spawnerOf(known)).rejects.toThrow(/^ssh:nobody-of-this-name@127.*: Permission denied/s)
  })

  test("no list of processes shows the environment, and none of its files is left", async () => {
    const spawner = await spawnerOf(`ssh:${server.address}`)
    const secret = `secret-${unique()}`
    const seen = new Set<string>()
    const look = () => {
      for (const line of commandLines()) if (line.includes("seen-by-all")) seen.add(line)
    }
    const timer = setInterval(look, 20)
    onTestFinished(() => clearInterval(timer))
    const env = { PATH: "/usr/bin:/bin", SECRET: `seen-by-all ${secret}` }
    const child = await TestChild.start(spawner, {
      argv: ["sh", "-c", 'echo "$SECRET"; exec sleep 600'],
      env,
    })
    await TestChild.until(() => child.text("stdout") === `seen-by-all ${secret}\n`, "the program has it")
    expect(specs().filter((text) => text.includes(secret))).toEqual([])
    await child.close()
    // The list of processes shows the words of a control.
    const control = await TestChild.start(spawner, {
      argv: ["sh", "-c", "sleep 600; :", "seen-by-all control"],
    })
    await TestChild.until(() => [...seen].some((line) => line.includes("control")), "the control is seen")
    await control.close()
    expect([...seen].filter((line) => line.includes(secret))).toEqual([])
  })

  test("a server with few sessions refuses one too many with the setting that allows it", async () => {
    const narrow = await SshServer.start("MaxSessions 2")
    onTestFinished(narrow.close)
    const spawner = await spawnerOf(`ssh:${narrow.address}`)
    const first = await TestChild.start(spawner, { argv: ["sleep", "600"] })
    await expect(TestChild.run(spawner, { argv: ["true"] })).rejects.toThrow(
      "raise MaxSessions in its sshd_config",
    )
    await first.close()
    // sshd frees it a moment later.
    const again = (): Promise<TestChild.TestChild> =>
      TestChild.run(spawner, { argv: ["echo", "fine"] }).catch(again)
    expect((await again()).text("stdout")).toBe("fine\n")
  })
})
