/** `--spawner` and `procwire spawners`, as a user runs them. */
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { getPriority } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, it } from "vitest"
import { command, platform } from "../../testing/Runtime.ts"
import * as Program from "../Program.ts"

const [program, ...main] = command
// Inside the repository, so that `procwire` and `effect` are found.
const dist = fileURLToPath(new URL("../../../dist", import.meta.url))
mkdirSync(dist, { recursive: true })
const folder = mkdtempSync(join(dist, "spawners-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const procwire = (...args: ReadonlyArray<string>) =>
  new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(program, [...main, ...args], { encoding: "utf8" }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })

const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

/** The output of `nice` after so much was added to the niceness of the tests, of which 19 is the most. */
const niceness = (added: number): number => Math.min(19, getPriority() + added)

const root = process.getuid?.() === 0

describe("procwire run --spawner", () => {
  it("nests spawners, the first one outermost", async () => {
    const nested = ["--spawner", "limits:nofile=200", "--spawner", "limits:nofile=99"]
    const script = ["--", "sh", "-c", "ulimit -n; nice"]
    expect(await procwire("run", ...nested, "--spawner", "nice:7", ...script)).toEqual({
      code: 0,
      stdout: `99\n${niceness(7)}\n`,
      stderr: "",
    })
  })

  it.runIf(root)("becomes another user, and takes the loader's variables to the process alone", async () => {
    const args = [
      "--spawner",
      "user:nobody",
      "-e",
      "LD_DEBUG=libs",
      "--",
      "sh",
      "-c",
      "id -un; echo $LD_DEBUG",
    ]
    const { stdout, stderr } = await procwire("run", ...args)
    expect(stdout).toBe("nobody\nlibs\n")
    expect(stderr).toContain("libc.so")
    expect(stderr).not.toContain("libcap-ng")
  })

  it("serves a module in plain JavaScript, logs the rule that it breaks, and goes on", async () => {
    const handle = "{ signal() {}, kill() {}, abandonOutput() {} }"
    const module = write(
      "plain.mjs",
      `export const spawner = { name: "twice", spawn: ({ argv }, events) => {
        events.output("stdout", new TextEncoder().encode(argv[0]))
        for (const name of ["stdout", "stderr"]) events.end(name)
        for (const code of [3, 4]) events.exit({ kind: "exited", code })
        return ${handle}
      } }`,
    )
    const ran = await procwire("run", "--spawner", module, "--", "anything")
    expect(ran).toMatchObject({ code: 3, stdout: "anything" })
    expect(ran.stderr).toContain("spawner twice breaks the rule exit-twice: a child exits once")
  })

  it("serves a module that exports a layer", async () => {
    const module = write(
      "layer.mjs",
      `import * as Layer from "effect/Layer"
      import { layerSpawner } from "procwire/effect"
      import { layerWrap } from "procwire/effect/sandbox"
      export const layer = layerWrap((spec) => ({ ...spec, argv: ["/usr/bin/env", "WRAPPED=yes", ...spec.argv] }))
        .pipe(Layer.provide(layerSpawner))`,
    )
    const ran = await procwire("run", "--spawner", module, "--", "sh", "-c", "echo $WRAPPED; exit 6")
    expect(ran).toEqual({ code: 6, stdout: "yes\n", stderr: "" })
  })

  it.each([
    ["nise:3", "no spawner is named 'nise': they are .*; did you mean 'nice'\\?"],
    ["nice:x", "the niceness is 'x': expected a whole number from -20 to 19"],
    ["limits:men=3", "there is no option 'men': .*; did you mean 'mem'\\?"],
    ["limits:mem=lots", "mem is 'lots': expected a size such as 512m or 2g"],
    ["bwrap:rw=/no/such", "rw is '/no/such': expected an absolute path of a folder"],
    ["user:no-such-user", "there is no user 'no-such-user' on this machine"],
    ["procwire:here", "'here' is no URL: expected ws://HOST:PORT"],
    ["procwire:unix:/no/such", "cannot connect to unix:/no/such"],
    ["./no-such.mjs", "the module cannot be loaded: .*no-such.mjs"],
  ])("refuses %s in one sentence, and exits with 2", async (text, sentence) => {
    const { code, stderr } = await procwire("run", "--spawner", text, "--", "true")
    expect(code).toBe(2)
    const [first = ""] = stderr.split("\n")
    expect(first).toMatch(new RegExp(`--spawner ${text}: ${sentence}`))
  })

  it("refuses a module that exports no spawner, one that cannot be inside another, and another server", async () => {
    const empty = write("empty.mjs", "export const spawner = { name: 'x' }")
    expect((await procwire("run", "--spawner", empty, "--", "true")).stderr).toContain(
      "the spawner has no function spawn",
    )
    const inside = await procwire(
      "run",
      "--spawner",
      "nice",
      "--spawner",
      empty.replace("empty", "plain"),
      "--",
      "true",
    )
    expect(inside).toMatchObject({ code: 2 })
    expect(inside.stderr).toContain("starts processes by itself, so it has to be the first")
    const remote = await procwire("mcp", "--spawner", "nice", "--server", "ws://127.0.0.1:1")
    expect(remote).toMatchObject({ code: 2 })
    expect(remote.stderr).toContain("--spawner is for the server in this process")
  })
})

describe("in a program", () => {
  const { connect, serve } = Program.make(platform)

  it("takes the same names for a server in memory and for one that listens", async () => {
    const spawner = ["nice:6", "nice:1"]
    await using server = await serve({ listen: ["tcp://127.0.0.1:0"], spawner, onLog: () => {} })
    const [url = ""] = server.addresses
    for (const target of [{ inProcess: true, spawner } as const, { url }]) {
      await using client = await connect(target)
      expect(await client.run({ argv: ["nice"] })).toMatchObject({ stdout: `${niceness(7)}\n`, exitCode: 0 })
    }
  })

  it("refuses a wrong name with the nearest one, and what is no spawner", async () => {
    const wrong = connect({ inProcess: true, spawner: "nise" })
    await expect(wrong).rejects.toMatchObject({
      message: expect.stringMatching(
        /spawner nise: no spawner is named 'nise': .*did you mean 'nice'/,
      ) as string,
    })
    await expect(serve({ listen: [], spawner: "nise" })).rejects.toThrow("did you mean 'nice'")
    const empty = connect({ inProcess: true, spawner: ["nice", ""] })
    await expect(empty).rejects.toThrow("no layer of Spawner, no plain spawner, and no name of one")
  })
})

describe("procwire spawners", () => {
  it("lists what is built in, and what is missing", async () => {
    const { stdout } = await procwire("spawners", "--json")
    const rows = JSON.parse(stdout) as ReadonlyArray<{ name: string; ready: boolean; missing: string | null }>
    expect(rows.map(({ name }) => name)).toEqual([
      "nice",
      "user",
      "limits",
      "bwrap",
      "podman",
      "docker",
      "ssh",
      "procwire",
    ])
    for (const { ready, missing } of rows) expect(missing === null).toBe(ready)
    expect((await procwire("spawners")).stdout).toMatch(
      /^nice\[:N\]\n {2}runs processes with a lower priority/,
    )
  })
})
