/** `--confine` as users meet it: in programs, from every source of options, below spawners of their own, and refused. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { afterEach, describe, expect, it } from "vitest"
import type { SpawnSpec } from "../../../core/spawn/Spawner.ts"
import { connect } from "../../testing/Client.ts"
import { command, platform, spawner as inner } from "../../testing/Runtime.ts"
import { layerPlain } from "../../sandbox/DefineSpawner.ts"
import * as Bubblewrap from "../confine/Bubblewrap.ts"
import * as Program from "../Program.ts"
import type { Options } from "../serve/Options.ts"
import type { RunningServer } from "../serve/Serve.ts"
import * as Folder from "../testing/Folder.ts"

const program = Program.make(platform)
const canConfine = Bubblewrap.make(inner).capabilities.confine

const running: Array<RunningServer> = []
afterEach(() => Promise.all(running.splice(0).map((server) => server.close({ graceMs: 0 }))))

const clientOf = async (options: Options) => {
  const server = await program.serve(options)
  running.push(server)
  return connect({ url: server.addresses[0] ?? "" }, { reconnect: false })
}

const root = { path: { type: "special", value: { kind: "root" } }, access: "write" } as const
const sandbox = {
  permissions: {
    type: "managed",
    file_system: { type: "restricted", entries: [root] },
    network: "restricted",
  },
  windowsSandboxLevel: "disabled",
  windowsSandboxProxySettingsMode: null,
} as const

/** A spawner in plain JavaScript whose children end at once; `got` are the specs. */
const plain = (confine: boolean) => {
  const got: Array<SpawnSpec> = []
  const nothing = () => {}
  const spawner = layerPlain({
    name: "plain",
    capabilities: { confine },
    spawn: (spec, { end, exit }) => {
      got.push(spec)
      end("stdout")
      end("stderr")
      exit({ kind: "exited", code: 0 })
      return { signal: nothing, kill: nothing, abandonOutput: nothing }
    },
  })
  return { spawner, got }
}

describe("a spawner of one's own", () => {
  it("gets what a request is confined to, if it declares that it confines", async () => {
    const { spawner, got } = plain(true)
    const client = await clientOf({ spawner })
    await client.run({ argv: ["/bin/true"], sandbox })
    await client.run({ argv: ["/bin/true"] })
    expect(got.map(({ confinement }) => confinement)).toEqual([
      { places: [{ path: "/", access: "write" }], network: false },
      undefined,
    ])
  })

  // guards: confine-floor
  it("gets the floor of the server with every request", async () => {
    const { spawner, got } = plain(true)
    const client = await clientOf({ spawner, confine: ["read-only", "network"] })
    await client.run({ argv: ["/bin/true"] })
    await client.run({ argv: ["/bin/true"], sandbox })
    expect(got.map(({ confinement }) => confinement)).toEqual([
      { places: [{ path: "/", access: "read" }], network: true },
      { places: [{ path: "/", access: "read" }], network: false },
    ])
  })

  it("is asked for nothing confined if it does not confine, and no server with a floor starts on it", async () => {
    const { spawner, got } = plain(false)
    const client = await clientOf({ spawner })
    await expect(client.run({ argv: ["/bin/true"], sandbox })).rejects.toThrow(
      "restricted `sandbox` permissions need bubblewrap (bwrap), which this server does not have",
    )
    await expect(program.serve({ spawner, confine: "read-only" })).rejects.toMatchObject({
      reason: "Configuration",
      message: expect.stringContaining(
        "confine: this server cannot confine processes: its spawner does not confine",
      ),
    })
    expect(got).toEqual([])
  })
})

describe.runIf(canConfine)("serve", { tags: ["bubblewrap"] }, () => {
  it("confines processes, files and HTTP requests in a program as in the command", async () => {
    const folder = Folder.make("mkdir work")
    const client = await clientOf({ confine: `workspace:${folder.at("work")}` })
    const script = `echo in >${folder.at("work/in")}; echo out >${folder.at("out")}`
    expect((await client.run({ argv: ["/bin/sh", "-c", script] })).stderr).toContain("Read-only file system")
    await client.fs.writeFile(folder.at("work/file"), "x")
    await expect(client.fs.writeFile(folder.at("out"), "x")).rejects.toThrow("read-only file system")
    await expect(client.http.request({ url: "http://127.0.0.1:9/" })).rejects.toThrow("--confine")
    expect(["work/in", "work/file", "out"].map((name) => existsSync(folder.at(name)))).toEqual([
      true,
      true,
      false,
    ])
  })

  const serve = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) => {
    const [runtime, ...main] = command
    const { status, stderr } = spawnSync(runtime, [...main, "serve", "--listen", "stdio", ...args], {
      env: { ...process.env, ...env },
      input: "",
      encoding: "utf8",
    })
    return { status, stderr }
  }

  it("is refused by the flag, the variable and the line of the file that is wrong", () => {
    const file = Folder.make()
    writeFileSync(file.at("conf"), "confine read-only\nconfine readonly\n")
    const wrong = "there is no profile 'readonly'; did you mean 'read-only'?"
    for (const { status, stderr } of [
      serve(["--confine", "readonly"]),
      serve([], { PROCWIRE_CONFINE: "no-network readonly" }),
      serve(["--config", file.at("conf")]),
    ]) {
      expect(status).toBe(2)
      expect(stderr).toContain(wrong)
    }
    expect(serve(["--confine", "workspace:/tmp"])).toEqual({ status: 0, stderr: "" })
  })

  it("does not start where nothing can confine", () => {
    const folder = Folder.make()
    mkdirSync(folder.at("empty"))
    const missing = serve(["--confine", "read-only"], { PATH: folder.at("empty") })
    expect(missing.status).toBe(2)
    expect(missing.stderr).toContain(
      "--confine: this server cannot confine processes: bubblewrap is missing; install",
    )
    writeFileSync(folder.at("bwrap"), "#!/bin/sh\necho 'bwrap: no namespaces' >&2\nexit 1\n", { mode: 0o755 })
    const broken = serve(["--confine", "read-only", "--bwrap", folder.at("bwrap")])
    expect(broken.status).toBe(2)
    expect(broken.stderr).toContain("bwrap: no namespaces")
  })
})
