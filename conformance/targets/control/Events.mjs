// @ts-check
/** The events of the processes of a session: numbered, kept for reads, and sent to the client that is attached. */
import { createHash } from "node:crypto"
import { constants } from "node:os"
import * as Attached from "./Attached.mjs"
import * as History from "./History.mjs"
import * as Marks from "./Marks.mjs"

/**
 * @typedef {import("./Parts.mjs").Entry} Entry
 * @typedef {import("./Parts.mjs").Message} Message
 * @typedef {import("./Parts.mjs").Session} Session
 */

/** How many bytes of output are kept for reads, for each process. */
const retained = 1024 * 1024

/**
 * Numbers an event, keeps output, and notifies the client if one is attached. Returns the seq.
 * @param {Session} session
 * @param {Entry} entry
 * @param {string} method
 * @param {any} params
 * @param {Buffer} [bytes]
 */
const publish = (session, entry, method, params, bytes) => {
  const seq = session.parts.seq(entry, method)
  if (bytes !== undefined) {
    entry.chunks.push({ seq, stream: params.stream, bytes, chunk: params.chunk })
    entry.size += bytes.length
    if (entry.history !== undefined) {
      History.keep(entry.history, { seq, stream: params.stream, bytes, chunk: params.chunk })
      session.parts.drops(entry.history)
    }
    entry.written += bytes.length
    const { account } = entry
    if (account !== undefined) session.parts.written(account, params.stream, seq, bytes)
    while (entry.size > retained) {
      const oldest = entry.chunks.shift()
      if (oldest === undefined) break
      entry.size -= oldest.bytes.length
      if (account !== undefined) session.parts.evicted(account, oldest.stream, oldest.seq, oldest.bytes)
    }
  }
  const message = { method, params: { processId: entry.id, seq, ...params } }
  if (bytes === undefined) entry.ends.push(message)
  if (session.connection !== undefined) push(session, entry, message)
  for (const one of entry.attachments) Attached.pump(session, one)
  if (entry.attachments.size > 0) flush(session, entry)
  return seq
}

/**
 * Sends an event within the credit of its process, behind those that wait for more.
 * @param {Session} session
 * @param {Entry} entry
 * @param {Message} message
 */
const push = (session, entry, message) => {
  const { chunk } = message.params
  const { parts } = session
  if (!parts.queues(message)) return session.connection?.send(message)
  entry.held.push({
    message,
    size: chunk === undefined ? 0 : parts.counts(Buffer.byteLength(chunk, "base64")),
  })
  return flush(session, entry)
}

/**
 * Sends what the credit of a process allows. While something is left, a child that runs is not read from.
 * @param {Session} session
 * @param {Entry} entry
 */
export const flush = (session, entry) => {
  const { child, held } = entry
  for (
    let [next] = held;
    next !== undefined && session.parts.fits(entry, next.size, session);
    [next] = held
  ) {
    entry.credit -= next.size
    held.shift()
    session.connection?.send(next.message)
    const { account } = entry
    if (account !== undefined) account.told = Math.max(account.told, next.message.params.seq)
  }
  for (const stream of [child.stdout, child.stderr]) {
    if ((held.length > 0 || Attached.stalls(entry)) && child.exitCode === null && child.signalCode === null)
      stream.pause()
    else stream.resume()
  }
}

/**
 * Begins on a new connection: what was held for the old one is forgotten, and what is still kept of the events after
 * these seqs is sent again, within this credit.
 * @param {Session} session
 * @param {Record<string, number>} after
 * @param {Record<string, number>} credit
 */
export const replay = (session, after, credit) => {
  const { parts, processes } = session
  for (const entry of processes.values()) {
    entry.held = []
    entry.credit = parts.anew(credit[entry.id] ?? Infinity, entry)
    flush(session, entry)
    const seen = after[entry.id]
    if (seen === undefined || !Object.hasOwn(after, entry.id)) continue
    const output = entry.chunks.map(({ seq, stream, chunk }) => ({
      method: "process/output",
      params: { processId: entry.id, seq, stream, chunk },
    }))
    const events = [...output, ...entry.ends].sort((a, b) => a.params.seq - b.params.seq)
    for (const event of parts.replayed(events, seen)) push(session, entry, event)
  }
}

/** The account of a process. @param {number} startedAtMs @returns {import("./Parts.mjs").Account} */
export const account = (startedAtMs) => {
  const empty = () => ({ bytes: 0, hash: createHash("sha256"), chunks: 0, unreadBytes: 0 })
  return { startedAtMs, told: 0, streams: { stdout: empty(), stderr: empty() } }
}

/**
 * @param {Session} session
 * @param {Entry} entry
 * @param {number} endedAtMs
 * @param {NodeJS.Signals | null} signal
 * @param {boolean} killed
 */
const receiptOf = ({ parts }, { account, asked }, endedAtMs, signal, killed) => {
  if (account === undefined) return undefined
  const streams = Object.entries(account.streams).map(([name, { hash, ...rest }]) => [
    name,
    { ...rest, sha256: hash.digest("hex") },
  ])
  return parts.receipt({
    streams: Object.fromEntries(streams),
    endedBy: asked ?? parts.endedBy(killed, signal),
    ...(signal === null ? {} : { signal: constants.signals[signal] }),
    startedAtMs: account.startedAtMs,
    endedAtMs,
  })
}

/**
 * Lets the reads that wait look again.
 * @param {Entry} entry
 */
const wake = (entry) => {
  for (const look of entry.waiting) look()
}

/**
 * Turns the events of a child that has been started into notifications, exited and closed after its output.
 * @param {Session} session
 * @param {Entry} entry
 */
export const follow = (session, entry) => {
  const { child } = entry
  const { parts } = session
  let open = 2
  /** @type {[code: number | null, signal: NodeJS.Signals | null] | undefined} */
  let status
  let endedAtMs = 0
  let killed = false
  const exited = () => {
    if (status === undefined || entry.exitedSeq > 0) return
    entry.exitCode = parts.exitCode(...status)
    const signal = status[1]
    entry.ending = entry.told
      ? {
          endedBy: entry.asked ?? parts.endedBy(killed, signal),
          ...(signal === null ? {} : { signal: constants.signals[signal] }),
        }
      : {}
    entry.exitedSeq = publish(session, entry, "process/exited", {
      exitCode: entry.exitCode,
      sandboxDenied: false,
      ...entry.ending,
    })
    wake(entry)
  }
  const settle = () => {
    if (status === undefined || open > 0) return
    exited()
    entry.closed = true
    entry.receipt = receiptOf(session, entry, endedAtMs, status[1], killed)
    publish(session, entry, "process/closed", entry.receipt === undefined ? {} : { receipt: entry.receipt })
    if (entry.removing) Attached.remove(session, entry)
    wake(entry)
  }
  for (const stream of /** @type {const} */ (["stdout", "stderr"])) {
    child[stream].on("data", (/** @type {Buffer} */ all) => {
      const pieces =
        stream === "stdout" && entry.scan ? Marks.pieces(session, entry.scan, all) : [{ bytes: all }]
      for (const { bytes, mark } of pieces) {
        if (bytes.length > 0)
          publish(session, entry, "process/output", { stream, chunk: parts.encode(bytes, stream) }, bytes)
        if (mark !== undefined)
          entry.marks.push({ seq: publish(session, entry, "process/mark", mark), ...mark })
      }
      wake(entry)
    })
    child[stream].on("close", () => {
      open -= 1
      settle()
    })
  }
  child.on("exit", (code, signal) => {
    status = [code, signal]
    endedAtMs = Date.now()
    killed = entry.terminated
    flush(session, entry)
    settle()
    // Timers run before the event loop polls. After one more poll, all that was written before the exit is read, even
    // if the timer is late.
    setTimeout(() => setImmediate(exited), parts.exitPatience)
    if (entry.terminated) setTimeout(() => [child.stdout, child.stderr].forEach((one) => one.destroy()), 100)
  })
}
