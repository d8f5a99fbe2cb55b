// @ts-check
/** When a process has to end, and how it is asked to. */

/**
 * @typedef {import("./Parts.mjs").Entry} Entry
 * @typedef {import("./Parts.mjs").Session} Session
 * @typedef {(session: Session, entry: Entry, signal: NodeJS.Signals) => void} Kill
 */

/**
 * Asks a process that runs to end, and kills what is left after the grace.
 * @param {Session} session
 * @param {Entry} entry
 * @param {string} asked
 * @param {{ signal: NodeJS.Signals, millis: number }} grace
 * @param {Kill} kill
 */
export const end = (session, entry, asked, grace, kill) => {
  if (entry.exitCode !== null) return
  entry.asked ??= asked
  entry.told = true
  if (grace.millis > 0) kill(session, entry, grace.signal)
  setTimeout(() => {
    if (entry.closed || !session.parts.killsAfterGrace()) return
    entry.terminated = true
    kill(session, entry, "SIGKILL")
  }, grace.millis)
}

/**
 * Begins the deadlines of a process.
 * @param {Session} session
 * @param {Entry} entry
 * @param {{ timeoutMs?: number | null, idleTimeoutMs?: number | null }} times
 * @param {Kill} kill
 */
export const begin = (session, entry, { timeoutMs, idleTimeoutMs }, kill) => {
  const { parts } = session
  const { child } = entry
  const fire = (/** @type {string} */ asked) => {
    if (parts.fires(session)) end(session, entry, asked, entry.grace, kill)
  }
  if (timeoutMs != null) {
    const timer = setTimeout(() => fire("timeout"), timeoutMs)
    child.on("exit", () => clearTimeout(timer))
  }
  if (idleTimeoutMs != null) {
    const timer = setTimeout(() => fire("idleTimeout"), idleTimeoutMs)
    const refresh = () => parts.outputCounts() && timer.refresh()
    for (const stream of [child.stdout, child.stderr]) stream.on("data", refresh)
    child.on("exit", () => {
      for (const stream of [child.stdout, child.stderr]) stream.off("data", refresh)
      clearTimeout(timer)
    })
  }
}
