import * as fs from "node:fs"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { platform } from "../../../testing/Runtime.ts"
import * as Folder from "../../testing/Folder.ts"
import * as Contexts from "./Contexts.ts"
import * as FileLock from "../../process/FileLock.ts"
import * as OwnFolder from "./OwnFolder.ts"
import * as ServerName from "./ServerName.ts"
import * as OwnCommands from "../OwnCommands.ts"

const contexts = { contexts: { build: { server: "ssh://me@build:2222" }, ci: { server: "ws://ci:7000" } } }

describe("the name of a server", () => {
  it("is a URL, a host behind ssh, a context or one's own", () => {
    expect(ServerName.resolve("unix:/run/x", contexts)).toEqual({ url: "unix:/run/x" })
    expect(ServerName.resolve("own", contexts)).toEqual({ own: true })
    expect(ServerName.resolve("ci", contexts)).toMatchObject({ url: "ws://ci:7000" })
    expect(ServerName.resolve("build", contexts)).toEqual({
      command: "ssh",
      args: ["-T", "-p", "2222", "-l", "me", "--", "build", "procwire", "dial"],
    })
  })

  it("is never an option of ssh", () => {
    for (const text of ["ssh://-oProxyCommand=x", "ssh://-l@host", "ssh://a b", "ssh://", "ssh://h/path"])
      expect(ServerName.resolveAddress(text), text).toBeUndefined()
  })

  it("is refused with what was meant", () => {
    expect(ServerName.resolve("biuld", contexts)).toEqual({
      refused: expect.stringContaining("or the name of a context; did you mean 'build'?") as string,
    })
    expect(ServerName.resolve("toString", contexts)).toHaveProperty("refused")
  })
})

describe("the folder of the server of one's own", () => {
  it("is made for its owner alone", () => {
    const env = { XDG_RUNTIME_DIR: Folder.make().path }
    const path = Effect.runSync(OwnFolder.make(env))
    expect(path).toBe(`${env.XDG_RUNTIME_DIR}/procwire`)
    expect(fs.statSync(path).mode & 0o777).toBe(0o700)
    fs.chmodSync(path, 0o755)
    Effect.runSync(OwnFolder.make(env))
    expect(fs.statSync(path).mode & 0o777).toBe(0o700)
  })

  it("is not used where others may write, or where it is none", () => {
    const folder = Folder.make(
      "mkdir -m 777 open open/procwire; chmod 777 open/procwire; mkdir file; >file/procwire",
    )
    const refusal = (name: string) =>
      Effect.runSync(Effect.flip(OwnFolder.make({ XDG_RUNTIME_DIR: folder.at(name) }))).message
    expect(refusal("open")).toContain("others may write to it")
    expect(refusal("file")).toMatch(/it is no directory|File exists/)
  })

  it("has a place of its user where no runtime folder is named, or not by an absolute path", () => {
    for (const env of [{}, { XDG_RUNTIME_DIR: "" }, { XDG_RUNTIME_DIR: "run" }])
      expect(OwnFolder.runtimePath(env)).toMatch(/procwire-\d+$/)
  })
})

describe("contexts", () => {
  it("are kept in a file that only their owner reads", () => {
    const env = { XDG_CONFIG_HOME: Folder.make().at("config") }
    expect(Effect.runSync(Contexts.read(env))).toEqual({ contexts: {} })
    Effect.runSync(Contexts.write(env, { current: "ci", ...contexts }))
    expect(Effect.runSync(Contexts.read(env))).toEqual({ current: "ci", ...contexts })
    expect(fs.statSync(Contexts.fileOf(env)).mode & 0o777).toBe(0o600)
  })

  it("are refused with the name of the file where it has something else", () => {
    const env = {
      XDG_CONFIG_HOME: Folder.make('mkdir procwire; echo \'{"contexts": {"a": 1}}\' >procwire/contexts.json')
        .path,
    }
    expect(Effect.runSync(Effect.flip(Contexts.read(env))).message).toBe(
      `cannot read ${env.XDG_CONFIG_HOME}/procwire/contexts.json: expected {"contexts": {NAME: {"server": URL}}}; ` +
        "mend it, or remove it",
    )
  })
})

describe("the pid of a server", () => {
  it("counts while that very process runs", () => {
    const { path, at } = Folder.make()
    OwnFolder.writePid(path, process.pid)
    expect(OwnFolder.readPid(path)).toBe(process.pid)
    if (process.platform !== "linux") return
    fs.writeFileSync(at("server.pid"), `${process.pid} 1\n`)
    expect(OwnFolder.readPid(path)).toBeUndefined()
    fs.rmSync(at("server.pid"))
    expect(OwnFolder.readPid(path)).toBeUndefined()
  })
})

describe("a lock", () => {
  it("has one holder at a time", async () => {
    const file = Folder.make().at("lock")
    let holders = 0
    const most: Array<number> = []
    const hold = Effect.scoped(
      Effect.gen(function* () {
        yield* FileLock.take(file, platform.openFfi)
        most.push((holders += 1))
        yield* Effect.yieldNow
        holders -= 1
      }),
    )
    await Effect.runPromise(Effect.all([hold, hold, hold], { concurrency: "unbounded" }))
    expect(most).toEqual([1, 1, 1])
  })
})

describe("the units of systemd", () => {
  it("name the program as systemd reads it", () => {
    const { "procwire.service": service = "", "procwire.socket": socket = "" } = OwnCommands.units([
      "/a b/node",
      "50%",
    ])
    expect(service).toContain('ExecStart="/a b/node" 50%%\n')
    expect(socket).toContain("ListenStream=%t/procwire/server.sock\nDirectoryMode=0700\nSocketMode=0600\n")
  })
})
