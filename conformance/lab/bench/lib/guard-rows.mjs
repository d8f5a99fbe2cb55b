// @ts-check
// What the guard measures: for each row, a piece of work that a client asks a running server for.
import { once } from "node:events"
import { connect, start } from "../../stress/lib/wires.mjs"

/**
 * @import { Address } from "../../stress/lib/wires.mjs"
 *
 * @typedef {Awaited<ReturnType<typeof connect>>} Peer
 * @typedef {(method: string, processId: string) => Promise<void>} Until
 *
 * @typedef {object} Bench what a row's work gets
 * @property {Address} server
 * @property {Peer} peer
 * @property {() => string} fresh an id for a process or a write
 * @property {Until} until resolves at a notification about a process; must be called before it can come
 * @property {(processId: string, bytes: number) => Promise<void>} flooded resolves when so much output more has come
 *
 * @typedef {object} GuardRow
 * @property {string} id
 * @property {string} says
 * @property {"stdio" | "ws"} transport
 * @property {(bench: Bench) => Promise<() => Promise<number[] | void>>} prepare gives the work, which may give the
 * times of its rounds in milliseconds: then a row of the quickest of them is compared as well
 */

/** A client with what the rows wait for. @param {Address} server @returns {Promise<Bench>} */
export const bench = async (server) => {
  /** @type {Map<string, () => void>} */
  const awaited = new Map()
  /** @type {Map<string, { left: number, done: () => void }>} */
  const floods = new Map()
  let last = 0
  const peer = await connect(server, (method, { processId, chunk }) => {
    const flood = method === "process/output" ? floods.get(processId) : undefined
    if (flood !== undefined) {
      flood.left -= Buffer.byteLength(chunk, "base64")
      if (flood.left <= 0) flood.done()
      return
    }
    const key = `${method} ${processId}`
    awaited.get(key)?.()
    awaited.delete(key)
  })
  await peer.handshake()
  return {
    server,
    peer,
    fresh: () => `g${(last += 1)}`,
    until: (method, processId) => new Promise((resolve) => awaited.set(`${method} ${processId}`, resolve)),
    flooded: (processId, bytes) =>
      new Promise((resolve) => {
        const done = () => {
          floods.delete(processId)
          resolve()
        }
        floods.set(processId, { left: bytes, done })
      }),
  }
}

/** @param {Bench} bench */
const spawned = async ({ peer, fresh, until }) => {
  const id = fresh()
  const closed = until("process/closed", id)
  await peer.call("process/start", start(id, ["/bin/true"]))
  await closed
}

/** @param {number} count @param {() => Promise<void>} act */
const times = async (count, act) => {
  for (let index = 0; index < count; index += 1) await act()
}

/** @param {number} mebibytes @returns {GuardRow["prepare"]} */
const output = (mebibytes) => async (bench) => async () => {
  const id = bench.fresh()
  const bytes = mebibytes * 2 ** 20
  const all = bench.flooded(id, bytes)
  await bench.peer.call("process/start", start(id, ["head", "-c", String(bytes), "/dev/zero"]))
  await all
}

/** @param {number} mebibytes @returns {GuardRow["prepare"]} */
const input = (mebibytes) => async (bench) => async () => {
  const [id, size, window] = [bench.fresh(), 65_536, 16]
  const closed = bench.until("process/closed", id)
  const bytes = mebibytes * 2 ** 20
  const argv = ["sh", "-c", `head -c ${bytes} >/dev/null`]
  await bench.peer.call("process/start", start(id, argv, { pipeStdin: true }))
  const chunk = Buffer.alloc(size, "x").toString("base64")
  let sent = 0
  const send = async () => {
    while (sent < bytes / size) {
      sent += 1
      await bench.peer.call("process/write", { processId: id, writeId: `w${sent}`, chunk })
    }
  }
  await Promise.all(Array.from({ length: window }, send))
  await closed
}

/** A process that gives back what it gets. @param {Bench} bench */
const cat = async ({ peer, fresh }) => {
  const id = fresh()
  await peer.call("process/start", start(id, ["cat"], { pipeStdin: true }))
  return id
}

const line = Buffer.from("fifteen letters\n").toString("base64")

/** @param {number} rounds @returns {GuardRow["prepare"]} */
const echo = (rounds) => async (bench) => {
  const { peer, until } = bench
  const id = await cat(bench)
  return async () => {
    /** @type {number[]} */
    const took = []
    await times(rounds, async () => {
      const back = until("process/output", id)
      const began = performance.now()
      await Promise.all([
        back,
        peer.call("process/write", { processId: id, writeId: bench.fresh(), chunk: line }),
      ])
      took.push(performance.now() - began)
    })
    return took
  }
}

/** @param {number} rounds @returns {GuardRow["prepare"]} */
const longPoll = (rounds) => async (bench) => {
  const { peer } = bench
  const id = await cat(bench)
  let afterSeq = 0
  return async () => {
    /** @type {number[]} */
    const took = []
    await times(rounds, async () => {
      const began = performance.now()
      const waiting = peer.call("process/read", { processId: id, afterSeq, maxBytes: 65_536, waitMs: 10_000 })
      const write = peer.call("process/write", { processId: id, writeId: bench.fresh(), chunk: line })
      const [{ nextSeq }] = await Promise.all([waiting, write])
      afterSeq = Number(nextSeq) - 1
      took.push(performance.now() - began)
    })
    return took
  }
}

/** @param {number} rounds @returns {GuardRow["prepare"]} */
const ringReads = (rounds) => async (bench) => {
  const { peer, fresh, flooded } = bench
  const id = fresh()
  const full = flooded(id, 2 ** 20)
  const argv = ["sh", "-c", "head -c 1048576 /dev/zero; exec sleep 600"]
  await peer.call("process/start", start(id, argv))
  await full
  return () =>
    times(rounds, async () => {
      for (let afterSeq = 0, more = true; more;) {
        const read = await peer.call("process/read", { processId: id, afterSeq, maxBytes: 65_536, waitMs: 0 })
        more = Number(read["nextSeq"]) - 1 > afterSeq
        afterSeq = Number(read["nextSeq"]) - 1
      }
    })
}

/** @param {number} rounds @returns {GuardRow["prepare"]} */
const connections =
  (rounds) =>
  async ({ server }) =>
  () =>
    times(rounds, async () => {
      const { wire, handshake } = await connect(server)
      await handshake()
      const over = once(/** @type {import("node:events").EventEmitter} */ (wire.ws), "close")
      wire.close()
      await over
    })

/** @type {readonly GuardRow[]} */
export const guardRows = [
  {
    id: "spawn",
    says: "W2 start to closed, one at a time",
    transport: "stdio",
    prepare: async (bench) => () => times(20, () => spawned(bench)),
  },
  {
    id: "spawns",
    says: "W3 spawns, 32 in flight",
    transport: "stdio",
    prepare: async (bench) => () =>
      times(1, async () => void (await Promise.all(Array.from({ length: 32 }, () => spawned(bench))))),
  },
  { id: "output", says: "W4 output, pipe, stdio", transport: "stdio", prepare: output(16) },
  { id: "output-ws", says: "W4 output, pipe, WebSocket", transport: "ws", prepare: output(16) },
  { id: "echo", says: "W5 echo, pipe, stdio", transport: "stdio", prepare: echo(400) },
  { id: "echo-ws", says: "W5 echo, pipe, WebSocket", transport: "ws", prepare: echo(400) },
  { id: "reads", says: "W7 reads of a full ring", transport: "stdio", prepare: ringReads(12) },
  { id: "long-poll", says: "W7 wake-up of a long poll", transport: "stdio", prepare: longPoll(300) },
  { id: "connect", says: "W8 connecting", transport: "ws", prepare: connections(40) },
  { id: "input", says: "W9 into stdin, stdio", transport: "stdio", prepare: input(4) },
  { id: "input-ws", says: "W9 into stdin, WebSocket", transport: "ws", prepare: input(4) },
]
