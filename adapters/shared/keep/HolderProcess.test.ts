/** Finding and starting a holder: whatever is in the way, none that lives is touched, and one is started. */
import { once } from "node:events"
import * as fs from "node:fs"
import * as net from "node:net"
import process from "node:process"
import * as Effect from "effect/Effect"
import { describe, expect, onTestFinished, test } from "vitest"
import * as Folder from "../testing/Folder.ts"
import * as Proc from "../testing/Proc.ts"
import * as HolderPlace from "./HolderPlace.ts"
import * as HolderProcess from "./HolderProcess.ts"
import * as HolderWire from "./HolderWire.ts"
import * as Servers from "./testing/Servers.ts"
import { until } from "./testing/Servers.ts"

const placeOf = (folder: string) => Effect.runSync(HolderPlace.make(folder))

const probe = (place: HolderPlace.HolderPlace) =>
  Effect.runPromise(HolderProcess.probe(place, { connectMillis: 300 }))

/** A socket without a listener. */
const leaveSocket = async (path: string) => {
  const server = net.createServer().listen(`${path}-`)
  await once(server, "listening")
  fs.linkSync(`${path}-`, path)
  server.close()
  await once(server, "close")
}

const noteOf = ({ begin, boot, pid }: HolderWire.Identity) => `${pid} ${begin} ${boot}\n`

/** A server that says this to each connection. */
const listening = async (path: string, hello: Buffer) => {
  const server = net.createServer((socket) => {
    socket.on("error", () => {})
    socket.write(hello)
  })
  server.listen(path)
  await once(server, "listening")
  onTestFinished(() => void server.close())
}

describe("a holder is", () => {
  test("dead without socket and process", async () => {
    expect(await probe(placeOf(Folder.make().path))).toEqual({ kind: "dead" })
  })

  const self = HolderPlace.self()
  const gone = [
    ["of another boot", { ...self, boot: "another" }],
    ["of another start", { ...self, begin: `${Number(self.begin) - 1}` }],
    ["of no process", { ...self, pid: 2 ** 22 + 1 }],
  ] as const

  test.each(gone)("dead if the connection is refused and the note is %s", async (_, identity) => {
    const place = placeOf(Folder.make().path)
    await leaveSocket(place.socket)
    fs.writeFileSync(place.identity, noteOf(identity))
    expect(await probe(place)).toEqual({ kind: "dead" })
  })

  test.each([true, false])("unknown if its process runs, but does not listen (socket: %s)", async (there) => {
    const place = placeOf(Folder.make().path)
    if (there) await leaveSocket(place.socket)
    fs.writeFileSync(place.identity, noteOf(self))
    expect(await probe(place)).toEqual({
      kind: "unknown",
      why: `its process ${process.pid} runs, but does not listen`,
    })
    expect(fs.existsSync(place.socket)).toBe(there)
  })

  test("unknown if the connection fails otherwise", async () => {
    const place = placeOf(Folder.make().path)
    fs.symlinkSync(place.socket, place.socket)
    expect(await probe(place)).toMatchObject({ kind: "unknown" })
    expect(fs.lstatSync(place.socket).isSymbolicLink()).toBe(true)
  })
})

describe("a holder that has stopped", () => {
  test("is left alone, and goes on with its children", async () => {
    const servers = Servers.make()
    const first = await servers.start()
    const child = await first.spawn("cat")
    child.handle.keep?.("cat", undefined, () => 1)
    await first.leave()
    const pid = servers.holder() ?? 0
    process.kill(pid, "SIGSTOP")
    const { socket } = placeOf(servers.options.folder)
    await expect(servers.start({ helloMillis: 300 })).rejects.toThrow("has said nothing within 300 ms")
    // Its queue is full now, so that the system refuses connections without a listener's fault.
    const waiting: Array<net.Socket> = []
    let full = false
    while (!full && waiting.length < 5000) {
      const one = net.connect({ path: socket })
      waiting.push(one)
      full = await new Promise((resolve) =>
        one.once("connect", () => resolve(false)).once("error", () => resolve(true)),
      )
    }
    expect(full).toBe(true)
    const refused = servers.start({ helloMillis: 300, connectMillis: 300 })
    await expect(refused).rejects.toThrow("nothing was touched")
    expect(fs.existsSync(socket)).toBe(true)
    for (const one of waiting) one.destroy()
    process.kill(pid, "SIGCONT")
    const second = await servers.start()
    expect(await second.left()).toEqual(["cat"])
    expect(servers.holder()).toBe(pid)
  }, 60_000)
})

describe("a server", () => {
  test("takes the place of a holder that was killed", async () => {
    const servers = Servers.make()
    const first = await servers.start()
    const pid = servers.holder() ?? 0
    process.kill(pid, "SIGKILL")
    await until(() => !Proc.isAlive(pid))
    await first.close()
    expect(servers.files()).toContainEqual(expect.stringMatching(/\.sock$/))
    const second = await servers.start()
    expect(servers.holder()).not.toBe(pid)
    const child = await second.spawn("echo there")
    await until(() => child.text() === "there\n")
  })

  test("is the only one of several that start at once", async () => {
    const servers = Servers.make()
    const ends = await Promise.allSettled([servers.start(), servers.start(), servers.start()])
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
    for (const end of ends) {
      if (end.status === "rejected") expect(String(end.reason)).toContain("uses this holder")
    }
    expect(Proc.withArgument(`--folder=${servers.options.folder}`)).toEqual([servers.holder()])
    expect(servers.files().filter((name) => name.endsWith(".lock"))).toEqual([])
  })

  test("leaves a newer holder alone", async () => {
    const servers = Servers.make()
    const { socket } = placeOf(servers.options.folder)
    const hello = { protocol: 2, features: 1, pid: 99, begin: "1", boot: "x" }
    await listening(socket, HolderWire.json(HolderWire.kinds.hello, 0, hello))
    await expect(servers.start()).rejects.toThrow(
      "the holder 99 was started by a newer release: it speaks protocol 2, this server 1; " +
        "it was left alone with its processes",
    )
    expect(fs.existsSync(socket)).toBe(true)
  })

  test("says what listens there if that is no holder", async () => {
    const servers = Servers.make()
    await listening(placeOf(servers.options.folder).socket, Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n"))
    await expect(servers.start()).rejects.toThrow(
      "what listens there is no holder: a frame of 1213486160 bytes",
    )
  })

  test("says why a holder does not start", async () => {
    const servers = Servers.make()
    const program = () => ["/bin/sh", "-c", "echo not today >&2; exit 3"]
    await expect(servers.start({ program })).rejects.toThrow(
      "the holder of processes did not start: not today; see ",
    )
  })

  test("uses no folder that others may write to", async () => {
    const folder = Folder.make("mkdir open; chmod 777 open")
    const made = HolderPlace.make(folder.at("open"))
    await expect(Effect.runPromise(made)).rejects.toThrow("others may write to it")
  })

  test("finds a short path for the socket of a long one", () => {
    const folder = Folder.make()
    const deep = folder.at("d".repeat(120))
    const { socket } = placeOf(deep)
    expect(Buffer.byteLength(socket)).toBeLessThan(97)
    expect(socket).not.toContain(deep)
    expect(fs.statSync(deep).mode & 0o777).toBe(0o700)
  })
})

test("a holder lives on beside whoever does not speak its protocol", async () => {
  const servers = Servers.make()
  const server = await servers.start()
  const stranger = net.connect({ path: placeOf(servers.options.folder).socket })
  let said = Buffer.alloc(0)
  stranger.on("data", (bytes: Buffer) => (said = Buffer.concat([said, bytes])))
  stranger.write("GET / HTTP/1.1\r\n\r\n")
  await once(stranger, "close")
  expect(said.toString()).toContain("this is not the protocol of a holder: a frame of 1195725856 bytes")
  const child = await server.spawn("echo there")
  await until(() => child.text() === "there\n")
})
