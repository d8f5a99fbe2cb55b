// Many connections to one server, each with processes of its own: connecting them all, lines through them, their end.
import * as Peers from "./peers.mjs"

/** Bytes of a child's endless or counted output: each line says the same, so any byte is known by its place. */
const line = Buffer.from("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ\n")
const pattern = Buffer.concat(Array.from({ length: 2049 }, () => line))
const flood = `yes '${line.toString().trim()}'`

/** The bytes of a block, after which a counting child says in a file how many it has written. */
export const block = 4096 * line.length
const counting = (blocks, counter) =>
  `i=0; while [ $i -lt ${blocks} ]; do ${flood} | head -c ${block}; i=$((i+1)); echo $i > '${counter}'; done`

const scriptOf = ({ bytes, blocks, counter }) => {
  if (blocks !== undefined) return counting(blocks, counter)
  return bytes === undefined ? flood : `${flood} | head -c ${bytes}`
}

export const quantile = (list, share) =>
  [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))] ?? Number.NaN

/** One connection. `echo(id)` sends a line through a `cat` and answers with the milliseconds that it took. */
export const member = async (server, options = {}) => {
  const echoes = new Map()
  const floods = new Map()
  const closed = new Map()
  const notified = (method, { processId, chunk }) => {
    if (method === "process/closed") return closed.get(processId)?.()
    if (method !== "process/output") return
    const counted = floods.get(processId)
    if (counted === undefined) {
      const back = echoes.get(processId)
      echoes.delete(processId)
      return back?.()
    }
    const bytes = Buffer.from(chunk, "base64")
    const from = counted.bytes % line.length
    if (!pattern.subarray(from, from + bytes.length).equals(bytes)) counted.wrong ??= `byte ${counted.bytes}`
    counted.bytes += bytes.length
  }
  const peer = await Peers.connect(server, { ...options, notified })
  await peer.handshake()
  const { call, wire } = peer
  const end = (id) => new Promise((resolve) => closed.set(id, resolve))
  return {
    wire,
    call,
    /** A process that gives back what it is sent. */
    cat: (id) => call("process/start", Peers.start(id, ["cat"], { pipeStdin: true })),
    echo: async (id) => {
      const back = new Promise((resolve) => echoes.set(id, resolve))
      const began = performance.now()
      const chunk = Buffer.from("a line of some length\n").toString("base64")
      await Promise.all([call("process/write", { processId: id, chunk, writeId: `${began}` }), back])
      return performance.now() - began
    },
    /** A process that writes as fast as it is let: for ever, so many bytes, or blocks that it counts; then `ended`. */
    flood: async (id, { tty = false, ...much } = {}) => {
      const counted = { bytes: 0, wrong: undefined, ended: end(id) }
      floods.set(id, counted)
      const script = `${tty ? "stty raw -echo; " : ""}${scriptOf(much)}`
      await call("process/start", Peers.start(id, ["sh", "-c", script], { tty }))
      return counted
    },
    /** Kills a process and waits until it is closed. */
    end: async (id) => {
      const over = end(id)
      await call("process/terminate", { processId: id })
      await over
    },
  }
}

/** Runs `work` for each, at most `width` at a time, in order. */
export const each = async (list, width, work) => {
  const results = []
  let next = 0
  const lane = async () => {
    while (next < list.length) {
      const index = next
      next += 1
      results[index] = await work(list[index], index)
    }
  }
  await Promise.all(Array.from({ length: width }, lane))
  return results
}
