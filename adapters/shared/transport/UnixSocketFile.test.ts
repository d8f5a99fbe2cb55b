/** Tests UnixSocketFile.ts with a socket of node:net. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import { connect, createServer } from "node:net"
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { expect, it, onTestFinished } from "vitest"
import * as Folder from "../testing/Folder.ts"
import * as UnixSocketFile from "./UnixSocketFile.ts"

it("binds in a hidden folder beside the path, since what is above it may not be writable", async () => {
  const { at, path: folder } = Folder.make()
  const server = createServer()
  let bound = ""
  const bind = (path: string) =>
    Effect.callback<void>((resume) => {
      bound = path
      server.listen(path, () => resume(Effect.void))
    })
  await Effect.runPromise(Effect.scoped(UnixSocketFile.listen(at("s"), bind)))
  server.close()
  expect(dirname(dirname(bound))).toBe(folder)
  expect(bound).toMatch(/\/\.[^/]{6}\/s$/)
})

it("replaces a socket that is served only when it is asked to, and then for good", async () => {
  const { at } = Folder.make()
  const served = async (name: string, replaces: boolean) => {
    const server = createServer((socket) => socket.on("error", () => {}).end(name))
    onTestFinished(() => void server.close())
    const bind = (path: string) =>
      Effect.callback<void>((resume) => void server.listen(path, () => resume(Effect.void)))
    const scope = Scope.makeUnsafe()
    const exit = await Effect.runPromiseExit(
      Scope.provide(UnixSocketFile.listen(at("s"), bind, replaces), scope),
    )
    return { exit, close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
  }
  const answer = () =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(at("s"))
      socket.on("data", (bytes) => resolve(bytes.toString()))
      socket.on("error", reject)
    })
  const first = await served("first", false)
  expect(Exit.isFailure((await served("second", false)).exit)).toBe(true)
  expect(await answer()).toBe("first")
  expect((await served("third", true)).exit).toEqual(Exit.void)
  expect(await answer()).toBe("third")
  await first.close()
  expect(await answer()).toBe("third")
  fs.writeFileSync(at("other"), "")
  fs.renameSync(at("other"), at("s"))
  expect(Exit.isFailure((await served("fourth", true)).exit)).toBe(true)
  expect(fs.readFileSync(at("s"), "utf8")).toBe("")
})

it("leaves the socket of a server whose queue of connections is full", async () => {
  const { at } = Folder.make()
  const script = `require("net").createServer().listen({ path: process.argv[1], backlog: 1 }, () => {
    require("fs").writeSync(1, "up")
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })`
  const server = spawn("node", ["-e", script, at("s")], { stdio: ["ignore", "pipe", "inherit"] })
  onTestFinished(() => void server.kill("SIGKILL"))
  await once(server.stdout, "data")
  const isTaken = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(at("s"))
      onTestFinished(() => void socket.destroy())
      socket.on("connect", () => resolve(true))
      socket.on("error", () => resolve(false))
    })
  while (await isTaken());
  const { ino } = fs.statSync(at("s"))
  const exit = await Effect.runPromiseExit(
    Effect.scoped(UnixSocketFile.listen(at("s"), (path) => Effect.sync(() => fs.writeFileSync(path, "")))),
  )
  expect(String(exit)).toContain("Address in use")
  expect(fs.statSync(at("s")).ino).toBe(ino)
  server.kill("SIGKILL")
  await once(server, "exit")
  const next = Effect.scoped(
    UnixSocketFile.listen(at("s"), (path) => Effect.sync(() => fs.writeFileSync(path, ""))),
  )
  expect(await Effect.runPromiseExit(next)).toEqual(Exit.void)
})
