/**
 * An extension that a server may announce as `processPort` in `environmentInfo.capabilities`: `process/port` opens an
 * address on the server's host that leads to a port on which a process listens.
 */
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { Check, Child, table, within, type JsonObject } from "../../Vocabulary.ts"

// The suite connects to the address, so it has to be on the server's host.
const ports = { requires: ["process-port", "procfs"] } as const

/** A child of the process listens; a connection gets `hello`, then what it sends, and the end when it ends. */
const listening = async (wire: Child.Child["wire"]) => {
  const script = `
    const server = require("net").createServer({ allowHalfOpen: true }, (socket) => {
      socket.on("error", () => {})
      socket.write("hello ")
      socket.pipe(socket)
    })
    server.listen(0, "127.0.0.1", () => console.log("port " + server.address().port + "."))`
  const argv = ["/bin/sh", "-c", '"$@" & wait', "sh", process.execPath, "-e", script]
  const child = await Child.start(wire, { argv })
  await child.says("port ")
  await child.says(".")
  return { child, port: Number(/port (\d+)\./.exec(child.text())?.[1]) }
}

const open = async (child: Child.Child, port: number) => {
  const way: JsonObject = await child.wire.ok("process/port", { processId: child.id, port })
  return { host: Check.text(way["host"], "host"), port: Check.integer(way["port"], "port") }
}

/** The answer to this text, whose end is sent; the error of the connection if there is none. */
const ask = (child: Child.Child, to: { readonly host: string; readonly port: number }, said: string) => {
  const socket = connect({ ...to, allowHalfOpen: true })
  socket.end(said)
  const answer = text(socket).catch((error: Error) => error.message)
  return within(answer, child.wire.timeoutMs, "the answer over the address")
}

export const processPort = table("process/port", ports, {
  "leads-to-a-descendant": {
    says: `The address leads to the port on which a descendant of the process listens; each direction of a
      connection ends alone.`,
    play: async (wire) => {
      const { child, port } = await listening(wire)
      const way = await open(child, port)
      const said = "x".repeat(300_000)
      for (const each of ["one", "", said])
        Check.equal(await ask(child, way, each), `hello ${each}`, "what comes back")
    },
  },
  "is-the-same-for-all": {
    says: "A port of a process has one address, whoever asks, and however often.",
    play: async (wire) => {
      const { child, port } = await listening(wire)
      Check.equal(await open(child, port), await open(child, port), "the second address")
    },
  },
  "refuses-what-does-not-listen": {
    says: `A port on which neither the process nor a descendant listens is refused (-32600), also one on which
      another process does; 0 is no port (-32602).`,
    play: async (wire) => {
      const { port } = await listening(wire)
      const other = await Child.start(wire, { argv: ["sleep", "600"] })
      const refused = await wire.refused("process/port", { processId: other.id, port }, -32600)
      Check.contains(refused, `port ${port}`, "the message")
      await wire.refused("process/port", { processId: other.id, port: 0 }, -32602)
    },
  },
  "ends-with-the-process": {
    says: "When the process has ended the address takes no connection, and a connection that was open has ended.",
    play: async (wire) => {
      const { child, port } = await listening(wire)
      const way = await open(child, port)
      const held = connect({ ...way })
      const over = new Promise<void>((resolve) => {
        held.on("error", () => {})
        held.once("close", () => resolve())
      })
      held.resume()
      Check.equal(await ask(child, way, "x"), "hello x", "what comes back")
      await child.terminate()
      await child.ended()
      await within(over, wire.timeoutMs, "the end of the connection")
      Check.contains(await ask(child, way, "x"), "ECONNREFUSED", "a connection afterwards")
      await wire.refused("process/port", { processId: child.id, port }, -32600)
    },
  },
})
