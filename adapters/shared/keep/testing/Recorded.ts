/**
 * A talk of a server and a holder, frame by frame: what protocol 1 is, as bytes. A line begins with `>` for the server
 * and `<` for the holder, and has a frame in hexadecimal digits; a line `-` cuts the connection.
 */
import { once } from "node:events"
import * as net from "node:net"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Evidence from "../../../../core/spawn/ProcessEvidence.ts"
import * as SpawnError from "../../../../core/spawn/SpawnError.ts"
import { allCapabilities } from "../../../../core/spawn/Fake.ts"
import type * as Spawner from "../../../../core/spawn/Spawner.ts"
import * as Folder from "../../testing/Folder.ts"
import * as Holder from "../Holder.ts"
import * as HolderLink from "../HolderLink.ts"
import * as HolderWire from "../HolderWire.ts"
import { LinkedChild } from "../LinkedChild.ts"
import { until } from "./Servers.ts"

const { kinds } = HolderWire

/** A child that prints what it reads, and ends at any signal that it knows. All that it does it does at once. */
const spawner: Spawner.SpawnerService = {
  capabilities: { ...allCapabilities, confine: false },
  spawn: ({ argv: [program] }, events) => {
    if (program === "/missing") return SpawnError.notFound()
    return Effect.succeed({
      pid: 4711,
      write: (bytes) =>
        bytes.length === 0
          ? Effect.fail(new SpawnError.StdinError({ reason: "Closed" }))
          : Effect.sync(() => events.output("stdout", bytes)),
      endStdin: Effect.void,
      signal: (name) =>
        name === "SIGTERM"
          ? Effect.sync(() => {
              events.end("stdout")
              events.exit({ kind: "signaled", signal: 15 }, { coreDumped: false, userCpuMicros: 5 })
              events.output("stderr", Buffer.from("last"))
              events.end("stderr")
            })
          : Effect.fail(new SpawnError.SignalError({ reason: "Unsupported", message: `no signal ${name}` })),
      kill: Effect.void,
      abandonOutput: Effect.void,
      lingering: Effect.succeed(false),
      outlived: Effect.succeed(true),
      resize: () => Effect.void,
      pause: () => {},
      resume: () => {},
    })
  },
}

const spec = (program: string): Spawner.SpawnSpec => ({
  argv: [program, "ä"],
  arg0: "zero",
  cwd: "/",
  env: { A: "1" },
  stdio: { kind: "pipe", stdin: true },
})

type Told = ReadonlyArray<string>

/** The events of the server in the talk. */
export const heard: Told = [
  "refused: NotFound No such file or directory (os error 2)",
  "stdout: one",
  "stdout: two",
  "Unsupported",
  "Closed",
  "false true",
  "cut",
  "sessions: one",
  'left: {"about":"about","lost":{"stdout":0,"stderr":0,"pty":0},"pty":false,"writeIds":["id"]}',
  "stdout: one",
  "skip 9",
  "stdout: two",
  "stdout: three",
  "end stdout",
  'exit {"kind":"signaled","signal":15} {"coreDumped":false,"userCpuMicros":5}',
  "stderr: last",
  "end stderr",
]

/** The part of the server; each connection is one of `connect`. */
const talkOver = async (connect: () => Promise<net.Socket>): Promise<Told> => {
  const told: Array<string> = []
  const events: Spawner.SpawnEvents = {
    output: (stream, bytes) => void told.push(`${stream}: ${Buffer.from(bytes).toString()}`),
    end: (stream) => void told.push(`end ${stream}`),
    exit: (...all) => void told.push(["exit", ...all.map((each) => JSON.stringify(each))].join(" ")),
  }
  const open = async () => {
    const socket = await connect()
    return Effect.runPromise(
      HolderLink.make(socket, {
        self: { pid: 12, begin: "34", boot: "server" },
        ttlMillis: 86_400_000,
        helloMillis: 60_000,
        onLost: () => {},
      }),
    )
  }
  const run = Effect.runPromise
  const first = await open()
  const missing = first.take()
  const refused = await run(first.request(kinds.spawn, missing, { spec: spec("/missing") }))
  told.push(`refused: ${refused?.error?.reason} ${refused?.error?.message}`)
  const number = first.take()
  const child = new LinkedChild(first, number, false, events)
  first.listen(number, child)
  const reply = await run(first.request(kinds.spawn, number, { spec: spec("/there") }))
  child.open()
  const handle = child.toHandle(reply!.started!, spawner.capabilities)
  let next = 1
  handle.keep?.("about", 1000, () => next)
  await run(handle.write(Buffer.from("one"), "id"))
  next = 9
  await run(handle.write(Buffer.from("two")))
  told.push(
    await run(
      Effect.match(handle.signal("SIGNONE"), { onSuccess: () => "", onFailure: (error) => error.reason }),
    ),
  )
  told.push(
    await run(
      Effect.match(handle.write(new Uint8Array(0)), {
        onSuccess: () => "",
        onFailure: (error) => error.reason,
      }),
    ),
  )
  handle.pause?.()
  handle.resume?.()
  await run(handle.endStdin)
  await run(handle.resize!({ rows: 1, columns: 2 }))
  told.push(`${await run(handle.lingering)} ${await run(handle.outlived!)}`)
  await run(handle.abandonOutput)
  await run(handle.kill)
  first.session("one", true)
  first.session("two", true)
  first.session("two", false)
  await run(first.request(kinds.flush, 0))
  await run(first.close)
  told.push("cut")
  const second = await open()
  told.push(`sessions: ${(await run(second.sessions)).join()}`)
  const [[left, about] = [0, undefined]] = await run(second.list)
  told.push(`left: ${JSON.stringify(about)}`)
  const again = new LinkedChild(second, left, false, events)
  again.beginAdoption((seq) => void told.push(`skip ${seq}`))
  second.listen(left, again)
  const adopted = await run(second.request(kinds.adopt, left))
  const taken = again.toHandle(adopted!.started!, spawner.capabilities)
  await run(taken.write(Buffer.from("three")))
  await run(taken.signal("SIGTERM"))
  await run(second.request(kinds.forget, left))
  await run(second.close)
  return told
}

/** Runs `use` beside a holder of those children. */
const withHolder = async <A>(use: (path: string) => Promise<A>): Promise<A> => {
  const path = Folder.make().at("s")
  const scope = Effect.runSync(Scope.make())
  await new Promise<void>((resolve) => {
    const self = { pid: 56, begin: "78", boot: "holder" }
    Effect.runFork(
      Scope.provide(
        Holder.run({ path, self, spawner, evidence: Evidence.unknown, listening: resolve }),
        scope,
      ),
    )
  })
  return use(path).finally(() => Effect.runPromise(Scope.close(scope, Exit.void)))
}

const connectTo = async (path: string): Promise<net.Socket> => {
  const socket = net.connect({ path })
  socket.pause()
  await once(socket, "connect")
  return socket
}

/** Calls `line` with each frame that is pushed, as a line. */
const liner = (sign: string, line: (text: string) => void) => {
  const reader = new HolderWire.FrameReader()
  return (bytes: Buffer) =>
    reader.push(bytes, ({ kind, child, payload }) =>
      line(`${sign} ${HolderWire.frame(kind as HolderWire.Kind, child, payload).toString("hex")}`),
    )
}

/** The talk with a holder of this release. */
export const talk = (): Promise<string> =>
  withHolder(async (path) => {
    const lines: Array<string> = []
    const push = (line: string) => void lines.push(line)
    await talkOver(async () => {
      const socket = await connectTo(path)
      const [sent, came] = [liner(">", push), liner("<", push)]
      const write = socket.write.bind(socket)
      socket.write = ((bytes: Buffer) => {
        sent(bytes)
        return write(bytes)
      }) as typeof socket.write
      socket.on("data", came)
      socket.once("close", () => lines.push("-"))
      return socket
    })
    return lines.join("\n") + "\n"
  })

/** A recorded talk, with the frames of a holder of this release in place of the recorded ones. */
export const play = (text: string): Promise<string> =>
  withHolder(async (path) => {
    const lines: Array<string> = []
    let socket: net.Socket | undefined
    let [came, expected] = [0, 0]
    for (const line of text.trim().split("\n")) {
      if (socket === undefined) {
        socket = await connectTo(path)
        const read = liner("<", (line) => {
          lines.push(line)
          came += 1
        })
        socket.on("data", read)
        socket.resume()
      }
      if (line === "-") {
        socket.end()
        await once(socket, "close")
        socket = undefined
        lines.push(line)
      } else if (line.startsWith(">")) {
        lines.push(line)
        socket.write(Buffer.from(line.slice(2), "hex"))
      } else {
        // As many frames as were recorded, whatever they are.
        expected += 1
        await until(() => came >= expected)
      }
    }
    return lines.join("\n") + "\n"
  })

/** The events of a server of this release with a recorded holder, which answers only what was recorded. */
export const hear = async (text: string): Promise<Told> => {
  const path = Folder.make().at("s")
  const talks = text.split("-\n").map((part) => part.trim().split("\n"))
  const server = net.createServer((socket) => {
    const script = talks.shift() ?? []
    const answer = () => {
      while (script[0]?.startsWith("<") === true) socket.write(Buffer.from(script.shift()!.slice(2), "hex"))
    }
    const came = liner(">", (line) => {
      if (script.shift() !== line) return void socket.destroy()
      answer()
    })
    socket.on("data", came)
    socket.on("error", () => {})
    answer()
  })
  server.listen(path)
  await once(server, "listening")
  return talkOver(() => connectTo(path)).finally(() => void server.close())
}
