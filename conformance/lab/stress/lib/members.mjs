// @ts-check
// A member of a crowd: a connection that sends lines through a `cat`, and whose floods are compared byte by byte.
import * as Peers from "./wires.mjs"

/**
 * The output of a process: its bytes, the first wrong one, and a promise of its end.
 * @typedef {{ bytes: number, wrong: string | undefined, ended: Promise<void> }} Counted
 * @typedef {Awaited<ReturnType<typeof connect>>} Member
 */

/** Every line of a flood is the same, so each byte is known by its place. */
const line = Buffer.from("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ\n")
const pattern = Buffer.concat(Array.from({ length: 2049 }, () => line))

/** The bytes of a block. */
export const block = 4096 * line.length
const step = `yes '${line.toString().trim()}' | head -c ${block}; i=$((i+1))`

/** @param {Parameters<typeof Peers.connect>[0]} server */
export const connect = async (server) => {
  /** Of each process, who waits for its next output, and for its end. @type {Record<string, Map<string, () => void>>} */
  const { echoes = new Map(), ends = new Map() } = {}
  /** @type {Map<string, Counted>} */
  const floods = new Map()
  /** @type {Peers.Notified} */
  const notified = (method, { processId, chunk }) => {
    if (method === "process/closed") ends.get(processId)?.()
    if (method !== "process/output") return
    const counted = floods.get(processId)
    if (counted === undefined) {
      echoes.get(processId)?.()
      echoes.delete(processId)
      return
    }
    const bytes = Buffer.from(chunk, "base64")
    const from = counted.bytes % line.length
    if (!pattern.subarray(from, from + bytes.length).equals(bytes)) counted.wrong ??= `byte ${counted.bytes}`
    counted.bytes += bytes.length
  }
  /** @param {Map<string, () => void>} map @param {string} id @returns {Promise<void>} */
  const next = (map, id) => new Promise((resolve) => map.set(id, resolve))
  const { call, wire, handshake } = await Peers.connect(server, notified)
  await handshake()
  const chunk = Buffer.from("a line of some length\n").toString("base64")
  return {
    wire,
    /** Starts a process that sends its input back. @param {string} id */
    cat: (id) => call("process/start", Peers.start(id, ["cat"], { pipeStdin: true })),
    /** Sends a line through a `cat`; the milliseconds until it is back. @param {string} id */
    echo: async (id) => {
      const back = next(echoes, id)
      const began = performance.now()
      await Promise.all([call("process/write", { processId: id, chunk, writeId: `${began}` }), back])
      return performance.now() - began
    },
    /** Starts a process that writes so many blocks, as fast as it can. @param {string} id @param {number} blocks */
    flood: async (id, blocks) => {
      /** @type {Counted} */
      const counted = { bytes: 0, wrong: undefined, ended: next(ends, id) }
      floods.set(id, counted)
      const script = `i=0; while [ $i -lt ${blocks} ]; do ${step}; done`
      await call("process/start", Peers.start(id, ["sh", "-c", script]))
      return counted
    },
  }
}
