/**
 * `podman:IMAGE` and `docker:IMAGE` with real containers: bytes that a shell could change, what is refused, and that
 * nothing is left. Skipped where podman runs no containers. The suites prove the rest.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import * as TestContainers from "../../../conformance/testing/TestContainers.ts"
import * as NativePath from "../../../core/protocol/NativePath.ts"
import { Spawner } from "../../../core/spawn/Spawner.ts"
import { layerNamed } from "../../sandbox/NamedSpawners.ts"
import { connect } from "../../testing/Client.ts"
import { command, platform } from "../../testing/Runtime.ts"
import * as Proc from "../testing/Proc.ts"
import * as TestChild from "../testing/TestChild.ts"

const folder = realpathSync(mkdtempSync(join(tmpdir(), "procwire-test-")))
const containers = TestContainers.open()
/** Ends the rest of a test. */
const ends: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})
afterAll(() => {
  containers.close()
  rmSync(folder, { recursive: true, force: true })
})

const { image, missing, podman } = containers
const name = `podman:${image},rw=${folder}`
const [program, ...main] = command
const count = () => podman("ps", "--all", "--quiet").split("\n").filter(Boolean).length

const procwire = (...args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(program, [...main, ...args], { encoding: "utf8" })
  return { status, stdout, stderr }
}

/** A server that says where it listens. */
const serve = async (...args: ReadonlyArray<string>) => {
  const socket = `unix:${join(folder, `${Math.trunc(performance.now())}.sock`)}`
  const server: ChildProcess = spawn(
    program,
    [...main, "serve", "--listen", socket, "--spawner", name, ...args],
    {
      stdio: ["ignore", "pipe", "pipe"],
    },
  )
  let log = ""
  server.stderr?.on("data", (bytes: Buffer) => (log += bytes.toString()))
  const ended = new Promise<void>((resolve) => void server.once("exit", () => resolve()))
  ends.push(() => {
    server.kill("SIGTERM")
    return ended
  })
  await Promise.race([new Promise((resolve) => server.stdout?.once("data", resolve)), ended])
  const client = await connect({ url: socket }, { reconnect: false })
  return { server, client, ended, log: () => log }
}

if (missing !== undefined)
  it.skip(`no containers: ${missing.what}; ${missing.remedy}`, { tags: ["podman"] }, () => {})
else
  describe("a container as a spawner", () => {
    it("takes words, variables and directories of any bytes, and tells exits exactly", async () => {
      const cwd = join(folder, `a 'b" $(c)\n${NativePath.fromBytes(Uint8Array.of(0xff, 0xc3, 0x41))}`)
      // Not every runtime makes such a folder.
      execFileSync("/bin/sh", [
        "-c",
        `mkdir "$(printf '${[...NativePath.toBytes(cwd)].map((byte) => `\\${byte.toString(8)}`).join("")}')"`,
      ])
      const scope = Effect.runSync(Scope.make())
      ends.push(() => Effect.runPromise(Scope.close(scope, Exit.void)))
      const built = Layer.buildWithScope(layerNamed([name], platform.layerSpawner), scope)
      const spawner = Context.get(await Effect.runPromise(built), Spawner)
      const words = ["", "-n", "a'b\"c\\d", "`x`$(y)${z}", "line\n\nend\n", "ü😀\u0081", "a=b"]
      const env = { PATH: "/bin", "x y": "'\n'", "a.b-c": "$HOME" }
      const script = [
        "/bin/sh",
        "-c",
        'pwd; printf "%s\\0" "$@"; cat /proc/$$/environ; echo err >&2; exit 130',
        "sh",
      ] as const
      const child = await TestChild.run(spawner, { argv: [...script, ...words], cwd, env })
      const printed = child.bytes("stdout")
      const head = Buffer.concat([NativePath.toBytes(cwd), Buffer.from("\n")])
      expect(printed.subarray(0, head.length).equals(head)).toBe(true)
      const rest = printed.subarray(head.length).toString().split("\0")
      expect(rest.slice(0, words.length)).toEqual(words)
      expect(rest).toContain("x y='\n'")
      expect(rest).toContain("a.b-c=$HOME")
      expect(child.text("stderr")).toBe("err\n")
      expect(child.status()).toEqual({ kind: "exited", code: 130 })
      const killed = await TestChild.run(spawner, { argv: ["/bin/sh", "-c", "kill -INT $$"] })
      expect(killed.status()).toEqual({ kind: "exited", code: 130 })
      await ends.pop()?.()
      expect(count()).toBe(0)
    })

    it.each(["podman", "docker"])("is named %s", (engine) => {
      const run = ["run", "--cwd", "/", "--spawner", `${engine}:${image},net=none`, "--"]
      expect(procwire(...run, "sh", "-c", "cat /proc/1/comm; exit 7")).toEqual({
        status: 7,
        stdout: "sh\n",
        stderr: "",
      })
      expect(procwire(...run, "no-such-program").status).toBe(127)
      expect(count()).toBe(0)
    })

    it.each([
      ["localhost/no-such-image", "podman has no such image; podman pull localhost/no-such-image"],
      [`${image},rw=/no/such`, "rw is '/no/such': expected an absolute path of a folder"],
      [`${image},net=`, "net is '': expected a network, such as none"],
      [`${image},nte=none`, "there is no option 'nte': .*; did you mean 'net'\\?"],
      ["-x", "'-x' is no name of an image: expected one such as debian:stable-slim"],
    ])("refuses %s in one sentence", (text, sentence) => {
      const { status, stderr } = procwire("run", "--spawner", `podman:${text}`, "--", "true")
      expect(status).toBe(2)
      expect(stderr).toMatch(new RegExp(`--spawner podman:${text}: ${sentence}`))
    })

    it.each(["auto", "none"])(
      "leaves nothing when its server is killed, with --contain %s",
      async (contain) => {
        const seconds = `700.${process.pid}`
        const { client, ended, server } = await serve("--contain", contain)
        // The monitor of podman waits for a terminal that takes no input.
        const stuck = await client.start({
          argv: ["sh", "-c", `stty raw; echo up; sleep ${seconds}`],
          cwd: "/",
          tty: true,
        })
        await until(() => Proc.withArgument(seconds).length > 0)
        void stuck.write(new Uint8Array(1 << 20)).catch(() => {})
        const other = await client.start({ argv: ["setsid", "sleep", seconds], cwd: "/", pipeStdin: true })
        await until(() => Proc.withArgument(seconds).length > 1)
        expect(count()).toBe(1)
        server.kill("SIGKILL")
        await ended
        await until(() => Proc.withArgument(seconds).length === 0 && count() === 0)
        await Promise.allSettled([stuck.exitCode, other.exitCode, client.close()])
      },
    )

    it("makes another container when one has ended, and says so", async () => {
      const { client, ended, log, server } = await serve()
      const lost = await client.start({ argv: ["sleep", "600"], cwd: "/" })
      podman("kill", podman("ps", "--quiet"))
      expect(await lost.exitCode).toBe(137)
      const ran = await client.start({ argv: ["sh", "-c", "exit 5"], cwd: "/" })
      expect(await ran.exitCode).toBe(5)
      expect(log()).toContain(`the container of ${image} has ended, and its processes with it`)
      await client.close()
      server.kill("SIGTERM")
      await ended
      expect(count()).toBe(0)
    })
  })

const until = (holds: () => boolean) => TestChild.until(holds, "what the test waits for")
