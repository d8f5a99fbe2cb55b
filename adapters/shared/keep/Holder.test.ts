/** Servers over a real holder with real children: what outlives a server, what the next one gets, and what is left. */
import * as fs from "node:fs"
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { describe, expect, test } from "vitest"
import * as Proc from "../testing/Proc.ts"
import * as HolderLink from "./HolderLink.ts"
import * as HolderLook from "./HolderLook.ts"
import * as HolderProcess from "./HolderProcess.ts"
import * as HolderWire from "./HolderWire.ts"
import * as Servers from "./testing/Servers.ts"
import { until } from "./testing/Servers.ts"

const write = (child: Servers.Child, text: string) => Effect.runPromise(child.handle.write(Buffer.from(text)))

const note = (child: Servers.Child, about: string) =>
  child.handle.keep?.(about, undefined, () => child.told.length + 1)

/** A note whose seqs are those that the test's servers count. */
const noteSeqs = (child: Servers.Child, about: string, skips: () => number = () => 0) =>
  child.handle.keep?.(
    about,
    undefined,
    () => child.told.filter(({ kind }) => kind === "output").length + 1 + skips(),
  )

describe("a child of a holder", () => {
  test("gets input, and its output, ends and exit are told in order", async () => {
    const server = await Servers.make().start()
    const child = await server.spawn("cat; echo oops >&2; exit 7")
    await write(child, "hello\n")
    await until(() => child.text() === "hello\n")
    await Effect.runPromise(child.handle.endStdin)
    await until(() => child.told.length === 5)
    expect(child.text()).toBe("hello\noops\n")
    expect(child.exit()).toEqual({ kind: "exited", code: 7 })
    await child.close()
  })

  test("has a terminal that can be resized", async () => {
    const server = await Servers.make().start()
    const child = await server.spawn("stty size; read line; stty size; kill -KILL $$", {
      stdio: { kind: "pty", size: { rows: 11, columns: 22 } },
    })
    await until(() => child.text().includes("11 22"))
    await Effect.runPromise(child.handle.resize?.({ rows: 33, columns: 44 }) ?? Effect.void)
    await write(child, "go\n")
    await until(() => child.exit() !== undefined)
    expect(child.text()).toContain("33 44")
    expect(child.exit()).toEqual({ kind: "signaled", signal: 9 })
  })
})

describe("the next server", () => {
  test("gets no secret, wherever the output was cut and whoever was there", async () => {
    const servers = Servers.make()
    const first = await servers.start()
    const secrets = [{ name: "TOKEN", value: "hunter22" }]
    const script = "printf '! hunt'; read line; printf 'er22 hunt'; read line; printf er22; exit 3"
    const child = await first.spawn(script, { secrets })
    child.handle.keep?.("one", undefined, () => child.told.length + 1)
    await until(() => child.text() === "! ")
    await write(child, "a\n")
    await until(() => child.text() === "! ***TOKEN*** ")
    await first.leave()
    const again = await (await servers.start()).adopt("one")
    await write(again, "b\n")
    await until(() => again.exit() !== undefined && again.text() === "! ***TOKEN*** ***TOKEN***")
  })

  test("gets the same chunks with the same seqs, and what came meanwhile", async () => {
    const servers = Servers.make()
    const first = await servers.start()
    const child = await first.spawn("while read line; do echo $line; done; echo end; exit 3")
    // The server has given seqs to other things before the second output.
    let skipped = 0
    noteSeqs(child, "one", () => skipped)
    await write(child, "a\n")
    await until(() => child.text() === "a\n")
    skipped = 5
    await write(child, "b\n")
    await until(() => child.text() === "a\nb\n")
    await first.leave()
    const second = await servers.start()
    expect(await second.left()).toEqual(["one"])
    const again = await second.adopt("one")
    expect(again.handle.pid).toBe(child.handle.pid)
    expect(again.told).toEqual([
      { kind: "output", stream: "stdout", text: "a\n", seq: 1 },
      { kind: "output", stream: "stdout", text: "b\n", seq: 7 },
    ])
    expect(await second.left()).toEqual([])
    await write(again, "c\n")
    await until(() => again.text() === "a\nb\nc\n")
    await Effect.runPromise(again.handle.endStdin)
    await until(() => again.told.length === 7)
    expect(again.told[2]).toEqual({ kind: "output", stream: "stdout", text: "c\n", seq: 8 })
    expect(again.exit()).toEqual({ kind: "exited", code: 3 })
    await second.leave()
    const third = await servers.start()
    expect((await third.adopt("one")).told).toEqual(again.told)
  })

  test("gets the end of a child that has ended meanwhile", async () => {
    const servers = Servers.make()
    const first = await servers.start()
    const child = await first.spawn("read line; echo $line; exit 42")
    const killed = await first.spawn("read line; kill -TERM $$")
    note(child, "code")
    note(killed, "signal")
    await write(child, "later\n")
    await write(killed, "later\n")
    await first.leave()
    const second = await servers.start()
    const [one, other] = [await second.adopt("code"), await second.adopt("signal")]
    await until(() => one.told.length === 4 && other.told.length === 3)
    expect(one.text()).toBe("later\n")
    expect(one.exit()).toEqual({ kind: "exited", code: 42 })
    expect(other.exit()).toEqual({ kind: "signaled", signal: 15 })
  })

  test("is told what was lost to a flood, to the byte", async () => {
    const servers = Servers.make()
    const first = await servers.start()
    const mebibytes = 5
    const child = await first.spawn(
      `read line; sleep 0.2; head -c ${mebibytes * 1024 * 1024} /dev/zero; echo done >&2; exit 0`,
    )
    note(child, "flood")
    await write(child, "go\n")
    await first.leave()
    await until(() => !Proc.isAlive(child.handle.pid ?? 0))
    const third = await servers.start()
    const [left] = await Effect.runPromise(third.keeper.left)
    const rest = await third.adopt("flood")
    await until(() => rest.told.length > 3 && rest.exit() !== undefined)
    const kept = rest.text().length
    expect((left?.lost.stdout ?? 0) + kept).toBe(mebibytes * 1024 * 1024 + "done\n".length)
    expect(kept).toBeGreaterThan(1024 * 1024)
    expect(kept).toBeLessThan(1024 * 1024 + 400 * 1024)
    const [chunk] = rest.told
    // Chunks are numbered from the first byte, wherever what is retained begins.
    expect(chunk?.kind === "output" && chunk.seq).toBeGreaterThan(1)
  })

  test("finds a child that floods as it was told of it, however late it takes it over", async () => {
    const servers = Servers.make()
    const first = await servers.start()
    const child = await first.spawn("read line; exec seq 1 100000000")
    note(child, "flood")
    await write(child, "go\n")
    await until(() => child.text().length > 4 * 1024 * 1024)
    await first.leave()
    const second = await servers.start()
    const [left = expect.unreachable()] = await Effect.runPromise(second.keeper.left)
    const before = left.lost.stdout
    for (let round = 0; round < 20; round++) await (await second.spawn("true")).close()
    let text = ""
    const events = { output: (_: string, bytes: Uint8Array) => void (text += Buffer.from(bytes).toString()) }
    const scope = Effect.runSync(Scope.make())
    const adopted = left.adopt({ ...events, end: () => {}, exit: () => {} }, () => {})
    await Effect.runPromise(Scope.provide(adopted, scope))
    await until(() => text.length > 2 * 1024 * 1024)
    // The first whole line tells how many bytes were before it.
    const line = text.indexOf("\n") + 1
    const number = Number.parseInt(text.slice(line))
    const bytes = (to: number) =>
      Array.from(
        { length: 9 },
        (_, digits) => (digits + 2) * Math.max(0, Math.min(to, 10 ** (digits + 1)) - 10 ** digits),
      )
    expect(before + line).toBe(bytes(number).reduce((sum, each) => sum + each, 0))
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  test("finds no child that was not noted", async () => {
    const servers = Servers.make()
    const first = await servers.start()
    const [kept, ended] = [await first.spawn("sleep 1000"), await first.spawn("sleep 1000")]
    note(kept, "kept")
    await first.leave()
    await until(() => !Proc.isAlive(ended.handle.pid ?? 0))
    expect(Proc.isAlive(kept.handle.pid ?? 0)).toBe(true)
    const second = await servers.start()
    expect(await second.left()).toEqual(["kept"])
    const [left] = await Effect.runPromise(second.keeper.left)
    await Effect.runPromise(left?.end ?? Effect.void)
    await until(() => !Proc.isAlive(kept.handle.pid ?? 0))
  })

  test("is refused in words while the first one is there", async () => {
    const servers = Servers.make()
    await servers.start()
    await expect(servers.start()).rejects.toThrow(`the server ${process.pid} uses this holder`)
  })
})

describe("a holder", () => {
  test("lets a child go on that its server has paused", async () => {
    const servers = Servers.make()
    const first = await servers.start()
    const child = await first.spawn("read line; head -c 3000000 /dev/zero; exit 0")
    note(child, "paused")
    child.handle.pause?.()
    await write(child, "go\n")
    await first.leave()
    await until(() => !Proc.isAlive(child.handle.pid ?? 0))
  })

  test("lets no child write more than its server can read soon", async () => {
    const servers = Servers.make()
    const socket = await Effect.runPromise(HolderProcess.connect(servers.options))
    const self = HolderProcess.self()
    const onLost = () => {}
    const link = await Effect.runPromise(
      HolderLink.make(socket, { self, ttlMillis: 0, helloMillis: 10_000, onLost }),
    )
    const beats = servers.folder.at("beats")
    const script = `while :; do head -c 65536 /dev/zero; printf . >>'${beats}'; done`
    const spec = {
      argv: ["/bin/sh", "-c", script],
      cwd: "/",
      env: { PATH: process.env["PATH"] ?? "" },
      stdio: { kind: "pipe", stdin: false },
    } as const
    const number = link.take()
    await Effect.runPromise(link.request(HolderWire.kinds.spawn, number, { spec }))
    socket.pause()
    const size = () => (fs.existsSync(beats) ? fs.statSync(beats).size : 0)
    // It stands still when it has not moved for as long as it has taken to get there.
    const began = performance.now()
    let [last, since] = [-1, began]
    await until(() => {
      if (size() !== last) [last, since] = [size(), performance.now()]
      return last > 0 && performance.now() - since > 200 + (since - began)
    })
    expect(last * 65536).toBeLessThan(8 * 1024 * 1024)
    socket.resume()
    await until(() => size() > last + 100)
    await Effect.runPromise(link.close)
  })

  test("ends with the last child, and leaves nothing", async () => {
    const servers = Servers.make()
    const first = await servers.start()
    const child = await first.spawn("exit 5")
    note(child, "x")
    await until(() => child.told.length === 3)
    const pid = servers.holder()
    await first.leave()
    expect(servers.holder()).toBe(pid)
    const second = await servers.start()
    await (await second.adopt("x")).close()
    await second.close()
    await until(() => servers.holder() === undefined && servers.files().length === 0)
  })

  test("ends children that nobody takes over within their time", async () => {
    const servers = Servers.make()
    const first = await servers.start({ ttlMillis: 200 })
    const [running, ended] = [await first.spawn("sleep 1000"), await first.spawn("exit 0")]
    note(running, "running")
    note(ended, "ended")
    await first.leave()
    await until(() => servers.holder() === undefined && servers.files().length === 0)
    expect(Proc.isAlive(running.handle.pid ?? 0)).toBe(false)
  })

  test("keeps its children for the time that their server has said, whoever looks at them meanwhile", async () => {
    const servers = Servers.make()
    const first = await servers.start({ ttlMillis: 2000 })
    const child = await first.spawn("while [ ! -e go ]; do sleep 0.01; done", { cwd: servers.folder.path })
    note(child, "waits")
    await first.leave()
    await Effect.runPromise(Effect.scoped(HolderLook.left(servers.options)))
    fs.writeFileSync(servers.folder.at("go"), "")
    await until(() => servers.holder() === undefined)
  })

  test.each(["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"])(
    "that gets %s takes its children with it",
    async (signal) => {
      const servers = Servers.make()
      const server = await servers.start()
      const pipes = await server.spawn("sleep 1000 & wait")
      const pty = await server.spawn("sleep 1000 & wait", {
        stdio: { kind: "pty", size: { rows: 1, columns: 1 } },
      })
      for (const child of [pipes, pty]) note(child, "kept")
      process.kill(servers.holder() ?? 0, signal)
      await until(() => pipes.exit() !== undefined && pty.exit() !== undefined)
      for (const child of [pipes, pty]) {
        await until(() => !Proc.isAlive(child.handle.pid ?? 0))
        if (signal === "SIGKILL") expect(child.exit()).toEqual({ kind: "signaled", signal: 9 })
      }
      expect(pipes.told.filter(({ kind }) => kind === "end")).toHaveLength(2)
      // The server goes on with another holder.
      const next = await server.spawn("echo again")
      await until(() => next.text() === "again\n")
    },
  )
})
