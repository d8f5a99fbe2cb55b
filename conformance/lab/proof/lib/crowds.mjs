// @ts-check
// Many connections to one server, each with processes of its own: connecting them all, lines through them, their end.
import * as Peers from "./peers.mjs"

/**
 * What came from a process: its bytes, the first wrong one, and a promise of its end.
 * @typedef {{ bytes: number, wrong: string | undefined, ended: Promise<void> }} Counted
 *
 * How much a process writes: for ever, so many bytes, or blocks, which it counts in a file.
 * @typedef {{ bytes?: number, blocks?: number, counter?: string }} Amount
 *
 * @typedef {Awaited<ReturnType<typeof member>>} Member
 */

/** Every line of a flood is the same, so each byte is known by its place. */
const line = Buffer.from("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ\n")
const pattern = Buffer.concat(Array.from({ length: 2049 }, () => line))
const flood = `yes '${line.toString().trim()}'`

/** The bytes of a block. After each block the child writes into the file how many it has written. */
export const block = 4096 * line.length

/** @param {Amount} amount */
const scriptOf = ({ bytes, blocks, counter }) => {
  if (blocks === undefined) return bytes === undefined ? flood : `${flood} | head -c ${bytes}`
  const step = `${flood} | head -c ${block}; i=$((i+1)); echo $i > '${counter}'`
  return `i=0; while [ $i -lt ${blocks} ]; do ${step}; done`
}

/** @param {readonly number[]} list @param {number} share */
export const quantile = (list, share) =>
  [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))] ?? Number.NaN

/** Notifications of one connection: answers to `echo`, bytes of floods, and ends. */
const inbox = () => {
  /** @type {Map<string, () => void>} */
  const echoes = new Map()
  /** @type {Map<string, Counted>} */
  const floods = new Map()
  /** @type {Map<string, () => void>} */
  const ends = new Map()
  /** @param {Counted} counted @param {Buffer} bytes */
  const count = (counted, bytes) => {
    const from = counted.bytes % line.length
    if (!pattern.subarray(from, from + bytes.length).equals(bytes)) counted.wrong ??= `byte ${counted.bytes}`
    counted.bytes += bytes.length
  }
  /** @type {Peers.Notified} */
  const notified = (method, { processId, chunk }) => {
    if (method === "process/closed") return ends.get(processId)?.()
    if (method !== "process/output") return undefined
    const counted = floods.get(processId)
    if (counted !== undefined) return count(counted, Buffer.from(chunk, "base64"))
    const back = echoes.get(processId)
    echoes.delete(processId)
    return back?.()
  }
  /** @param {Map<string, () => void>} map @param {string} id @returns {Promise<void>} */
  const next = (map, id) => new Promise((resolve) => map.set(id, resolve))
  return {
    notified,
    /** The next output of a process. @param {string} id */
    echo: (id) => next(echoes, id),
    /** @param {string} id */
    end: (id) => next(ends, id),
    /** Counts the output of a process from now on. @param {string} id */
    count: (id) => {
      /** @type {Counted} */
      const counted = { bytes: 0, wrong: undefined, ended: next(ends, id) }
      floods.set(id, counted)
      return counted
    },
  }
}

/**
 * One connection.
 * @param {Parameters<typeof Peers.connect>[0]} server
 * @param {{ ca?: Buffer }} [options]
 */
export const member = async (server, options = {}) => {
  const box = inbox()
  const peer = await Peers.connect(server, { ...options, notified: box.notified })
  await peer.handshake()
  const { call, wire } = peer
  const chunk = Buffer.from("a line of some length\n").toString("base64")
  return {
    wire,
    /** Starts a process that sends its input back. @param {string} id */
    cat: (id) => call("process/start", Peers.start(id, ["cat"], { pipeStdin: true })),
    /** Sends a line through a `cat`; the milliseconds until it is back. @param {string} id */
    echo: async (id) => {
      const back = box.echo(id)
      const began = performance.now()
      await Promise.all([call("process/write", { processId: id, chunk, writeId: `${began}` }), back])
      return performance.now() - began
    },
    /** Starts a process that writes as fast as it can. @param {string} id @param {Amount & { tty?: boolean }} [how] */
    flood: async (id, { tty = false, ...amount } = {}) => {
      const counted = box.count(id)
      const script = `${tty ? "stty raw -echo; " : ""}${scriptOf(amount)}`
      await call("process/start", Peers.start(id, ["sh", "-c", script], { tty }))
      return counted
    },
    /** Kills a process and waits until it is closed. @param {string} id */
    end: async (id) => {
      const over = box.end(id)
      await call("process/terminate", { processId: id })
      await over
    },
  }
}

/**
 * Runs `work` for each, at most `width` at a time; the results in order.
 * @template T, R
 * @param {readonly T[]} list
 * @param {number} width
 * @param {(one: T, index: number) => Promise<R>} work
 * @returns {Promise<R[]>}
 */
export const each = async (list, width, work) => {
  /** @type {R[]} */
  const results = []
  const entries = list.entries()
  const lane = async () => {
    for (const [index, one] of entries) results[index] = await work(one, index)
  }
  await Promise.all(Array.from({ length: width }, lane))
  return results
}
