// @ts-check
/** What attachments are told: every event, within their credit, or a gap. */

/**
 * @typedef {import("./Parts.mjs").Attachment} Attachment
 * @typedef {import("./Parts.mjs").Entry} Entry
 * @typedef {import("./Parts.mjs").Session} Session
 */

/**
 * Every event above the last one that an attachment has, and gaps between them, within its credit.
 * @param {Session} session
 * @param {Attachment} one
 */
export const pump = ({ parts }, one) => {
  const { entry, connection } = one
  const output = entry.chunks.map(({ seq, stream, chunk }) => ({
    method: "process/output",
    params: { processId: one.id, seq, stream, chunk },
  }))
  const events = [
    ...output,
    ...entry.ends.map((event) => ({ ...event, params: { ...event.params, processId: one.id } })),
  ]
  for (const event of events.sort((a, b) => a.params.seq - b.params.seq)) {
    const { seq, chunk } = event.params
    if (seq <= one.last) continue
    if (seq > one.last + 1) {
      if (one.credit < 65_536) return
      const gap = { processId: one.id, from: one.last + 1, to: seq - 1 }
      if (parts.tellsGap()) connection.send({ method: "process/gap", params: gap })
    }
    const size = chunk === undefined ? 0 : parts.counts(Buffer.byteLength(chunk, "base64"))
    if (size > one.credit) return
    one.credit -= size
    one.last = seq
    connection.send(event)
  }
}

/**
 * True if the process waits for one of its attachments.
 * @param {Entry} entry
 */
export const stalls = ({ attachments, next }) =>
  [...attachments].some(({ holds, last }) => holds && last < next - 1)

/**
 * Forgets a process; what is attached to it ends.
 * @param {Session} session
 * @param {Entry} entry
 */
export const remove = (session, entry) => {
  session.processes.delete(entry.id)
  for (const one of entry.attachments) {
    one.connection.attachments.delete(one.id)
    pump(session, one)
  }
}
