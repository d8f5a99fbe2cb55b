// @ts-check
/** The events of the processes of a session: numbered, kept for reads, and sent to the client that is attached. */
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
    while (entry.size > retained) entry.size -= entry.chunks.shift()?.bytes.length ?? 0
  }
  const message = { method, params: { processId: entry.id, seq, ...params } }
  if (bytes === undefined) entry.ends.push(message)
  if (session.connection !== undefined) push(session, entry, message)
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
  }
  for (const stream of [child.stdout, child.stderr]) {
    if (held.length > 0 && child.exitCode === null && child.signalCode === null) stream.pause()
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
  const exited = () => {
    if (status === undefined || entry.exitedSeq > 0) return
    entry.exitCode = parts.exitCode(...status)
    entry.exitedSeq = publish(session, entry, "process/exited", {
      exitCode: entry.exitCode,
      sandboxDenied: false,
    })
    wake(entry)
  }
  const settle = () => {
    if (status === undefined || open > 0) return
    exited()
    entry.closed = true
    publish(session, entry, "process/closed", {})
    wake(entry)
  }
  for (const stream of /** @type {const} */ (["stdout", "stderr"])) {
    child[stream].on("data", (/** @type {Buffer} */ bytes) => {
      publish(session, entry, "process/output", { stream, chunk: parts.encode(bytes, stream) }, bytes)
      wake(entry)
    })
    child[stream].on("close", () => {
      open -= 1
      settle()
    })
  }
  child.on("exit", (code, signal) => {
    status = [code, signal]
    flush(session, entry)
    settle()
    // Timers run before the event loop polls. After one more poll, all that was written before the exit is read, even
    // if the timer is late.
    setTimeout(() => setImmediate(exited), parts.exitPatience)
    if (entry.terminated) setTimeout(() => [child.stdout, child.stderr].forEach((one) => one.destroy()), 100)
  })
}
