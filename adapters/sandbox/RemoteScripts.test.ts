/** The scripts of the far side in each shell of this machine, without ssh: what they start, exactly, and what they end. */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import process from "node:process"
import { describe, expect, onTestFinished, test } from "vitest"
import type { SpawnSpec } from "../../core/spawn/Spawner.ts"
import { find } from "./BuiltIn.ts"
import * as Proc from "../shared/testing/Proc.ts"
import * as TestChild from "../shared/testing/TestChild.ts"
import * as RemoteScripts from "./RemoteScripts.ts"

/** A shell, as words of another one. */
const shells = { dash: "dash", bash: "bash --posix", busybox: "busybox sh" }

let count = 0
const unique = () => `601.${process.pid}${String(count++).padStart(3, "0")}`

const inShell = (shell: string, command: string) => command.replaceAll("/bin/sh", shell)

/** Collects what a child prints. */
const outputOf = (child: ChildProcess) => {
  const chunks: Array<Buffer> = []
  child.stdout?.on("data", (bytes: Buffer) => chunks.push(bytes))
  return () => Buffer.concat(chunks).toString("latin1")
}

/** A keeper in this shell: `ask` waits for the answer. */
const keep = async (shell: string) => {
  const keeper = spawn("/bin/sh", ["-c", inShell(shell, RemoteScripts.bootstrap)], { detached: true })
  const output = outputOf(keeper)
  onTestFinished(() => void keeper.stdin.destroy())
  keeper.stdin.write(inShell(shell, RemoteScripts.keeperScript(`procwire-${unique()}`, "MARK", 60)))
  await TestChild.until(() => /hello .*\n/.test(output()), "the keeper greets")
  const folder = /hello (.*)\n/.exec(output())?.[1] ?? ""
  let sequence = 0
  const ask = async (verb: string, words: string, more: Uint8Array | string = "") => {
    const own = sequence++
    keeper.stdin.write(`${verb} ${own} ${words}\n`)
    keeper.stdin.write(more)
    const answer = new RegExp(`^MARK ${own} (\\d+)$`, "m")
    await TestChild.until(() => answer.test(output()), `an answer to ${verb}`)
    return Number(answer.exec(output())?.[1])
  }
  let isClosed = false
  keeper.once("close", () => (isClosed = true))
  return { keeper, folder, ask, output, isClosed: () => isClosed }
}

/** Starts a program by a keeper, in a session of its own as sshd does; on pipes a shell waits for it. */
const start = async (
  shell: string,
  { ask, folder, output: told }: Awaited<ReturnType<typeof keep>>,
  { argv, cwd = "/", env = {} }: Partial<SpawnSpec> & Pick<SpawnSpec, "argv">,
) => {
  const id = count++
  const stdio = { kind: "pipe", stdin: false } as const
  const [words, script] = RemoteScripts.spec(id, { argv, cwd, env, stdio })
  expect(await ask("store", words.join(" "), script)).toBe(0)
  const command = RemoteScripts.startCommand(folder, id, stdio)
  const [program = "", ...args] = inShell(shell, command.join(" ")).split(" ")
  const child = spawn(program, args, { detached: true, stdio: ["ignore", "pipe", "inherit"] })
  const output = outputOf(child)
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()))
  const event = new RegExp(`^MARK =${id} (ready|refused) (\\d+) ?(\\d*)`, "m")
  await TestChild.until(() => event.test(told()), "the starter says something")
  const [, word = "", value = "", begun = ""] = event.exec(told()) ?? []
  const exited = () => new RegExp(`^MARK =${id} exited (\\d+)$`, "m").exec(told())?.[1]
  return { word, value, begun, closed, exited, printed: output }
}

for (const [name, shell] of Object.entries(shells)) {
  const isThere = find(name) !== undefined
  describe.skipIf(!isThere)(isThere ? name : `${name}: it was not found in PATH`, () => {
    test("gives a program its arguments, its folder and its environment byte for byte", async () => {
      const keeper = await keep(shell)
      const every = Buffer.from(Array.from({ length: 255 }, (_, at) => at + 1)).toString("latin1")
      // Bytes that are not UTF-8, as the spec has them.
      const text = every.replace(/[\x80-\xff]/g, (byte) => String.fromCharCode(0xdc00 + byte.charCodeAt(0)))
      const env = {
        A: text,
        IFS: "x",
        PWD: "/elsewhere",
        SHLVL: "7",
        LC_ALL: "nowhere",
        "a b": "c'd",
        procwire_at: "1",
      }
      const print = ["/bin/dash", "-c", "printf '[%s]' \"$@\"; pwd", "sh", text, "", "$(id)", "\n"] as const
      const shown = await start(shell, keeper, { argv: print, cwd: "/usr", env })
      await shown.closed
      expect(shown.printed()).toBe(`[${every}][][$(id)][\n]/usr\n`)
      const environ = await start(shell, keeper, { argv: ["cat", "/proc/self/environ"], env })
      await environ.closed
      const expected = Object.entries({ ...env, A: every }).map(([key, value]) => `${key}=${value}`)
      expect(environ.printed().split("\0").filter(Boolean).sort()).toEqual(expected.sort())
      const empty = await start(shell, keeper, { argv: ["cat", "/proc/self/environ"] })
      await empty.closed
      expect(empty.printed()).toBe("")
    })

    test("tells how a program has ended as soon as it has, though a descendant holds the output", async () => {
      const keeper = await keep(shell)
      const script = `sleep ${unique()} & exit 7`
      const child = await start(shell, keeper, { argv: ["/bin/sh", "-c", script], env: { PATH: "/bin" } })
      await TestChild.until(() => child.exited() === "7", "the exit is told")
      const killed = await start(shell, keeper, { argv: ["/bin/sh", "-c", "kill -TERM $$"] })
      await TestChild.until(() => killed.exited() === "143", "the death is told")
      await keeper.ask("signal", `${child.value} ${child.begun} KILL`)
      await child.closed
    })

    test("says why it starts nothing", async () => {
      const keeper = await keep(shell)
      const refused = async (program: string, more: Partial<SpawnSpec> = {}) => {
        const child = await start(shell, keeper, { argv: [program], ...more })
        await child.closed
        expect(child.word).toBe("refused")
        return Number(child.value)
      }
      expect(await refused("/no/such/program")).toBe(2)
      expect(await refused("/etc/passwd/x")).toBe(20)
      expect(await refused("/etc/passwd")).toBe(13)
      expect(await refused("no-such-program", { env: { PATH: "/bin::/usr/bin" } })).toBe(2)
      expect(await refused("true", { cwd: "/no/such" })).toBe(2)
      expect(await refused("true", { cwd: "/etc/passwd" })).toBe(20)
      expect(await refused("x".repeat(256))).toBe(36)
      expect(await refused("true", { env: { A: "x".repeat(200_000), PATH: "/bin" } })).toBe(7)
    })

    test("signals the group of a process, and no stranger who has its number", async () => {
      const keeper = await keep(shell)
      const argument = unique()
      const script = `sleep ${argument} & sleep ${argument}; :`
      const { begun, value } = await start(shell, keeper, {
        argv: ["/bin/sh", "-c", script],
        env: { PATH: "/bin" },
      })
      await TestChild.until(() => Proc.withArgument(argument).length === 2, "both run")
      expect(await keeper.ask("lingers", `${value} ${begun}`)).toBe(0)
      expect(await keeper.ask("signal", `${value} ${Number(begun) - 1} KILL`)).not.toBe(0)
      expect(Proc.withArgument(argument)).toHaveLength(2)
      expect(await keeper.ask("signal", `${value} ${begun} KILL`)).toBe(0)
      await TestChild.until(() => Proc.withArgument(argument).length === 0, "both are dead")
    })

    test.each(["its input ends", "it is killed"])(
      "kills what is left when %s, and removes its folder",
      async (how) => {
        const keeper = await keep(shell)
        const argument = unique()
        const script = `trap '' TERM HUP; setsid sleep ${argument} & sleep ${argument} & sleep ${argument}; :`
        await start(shell, keeper, { argv: ["/bin/sh", "-c", script], env: { PATH: "/usr/bin:/bin" } })
        await TestChild.until(() => Proc.withArgument(argument).length === 3, "all three run")
        if (how === "it is killed") process.kill(keeper.keeper.pid ?? 0, "SIGKILL")
        else keeper.keeper.stdin.end()
        await TestChild.until(() => Proc.withArgument(argument).length === 0, "all are dead")
        await TestChild.until(
          () => !existsSync(keeper.folder) && !existsSync(`${keeper.folder}.end`),
          "no folder is left",
        )
        await TestChild.until(keeper.isClosed, "nobody holds the streams of the keeper")
      },
    )
  })
}
