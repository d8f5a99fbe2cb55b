// @ts-check
// One connection to a server: its answers in the order in which they come, and what it says unasked.
import * as Notices from "./notices.mjs"
import { members, parsed } from "./values.mjs"

/**
 * @import { Wire } from "../../stress/lib/wires.mjs"
 * @import { Server } from "./server.mjs"
 * @import { Members } from "./values.mjs"
 *
 * @typedef {(wire: Wire) => Wire} Wrap what stands between the player and a server
 *
 * @typedef {object} Way
 * @property {Server} server
 * @property {Wrap} wrap
 * @property {(text: string) => string} plain makes the places of both sides equal
 * @property {number} patience how long an answer may take, in milliseconds
 *
 * @typedef {Awaited<ReturnType<typeof connect>>} Link
 */

/** The id of a message as it was written, because it may not fit a number. @param {Members} message @param {string} text */
const withExactId = (message, text) => {
  const { id } = message
  if (typeof id !== "number" || Number.isSafeInteger(id)) return message
  return { ...message, id: /"id":\s*(-?\d+)/.exec(text)?.[1] ?? id }
}

/** Connects, without a handshake. @param {Way} way */
export const connect = async ({ server, wrap, plain, patience }) => {
  const wire = wrap(await server.connect())
  /** @type {Members[]} */
  const answers = []
  const notices = Notices.make(plain)
  /** @type {Set<() => void>} */
  const waiting = new Set()
  const wake = () => {
    for (const one of waiting) one()
  }
  wire.take = (bytes) => {
    const text = bytes.toString()
    const message = members(parsed(text) ?? { notJson: text })
    if (message["method"] === undefined) answers.push(withExactId(message, text))
    else notices.notice(message)
    wake()
  }
  wire.over.then(wake).catch(() => {})

  /** True once it holds, false if it never did. @param {() => boolean} holds @param {number} [longest] milliseconds */
  const until = (holds, longest = patience) =>
    new Promise((/** @type {(held: boolean) => void} */ resolve) => {
      const finish = (/** @type {boolean} */ held) => {
        clearTimeout(timer)
        waiting.delete(look)
        resolve(held)
      }
      const look = () => {
        if (holds()) finish(true)
        else if (wire.ended) finish(false)
      }
      const timer = setTimeout(() => finish(holds()), longest)
      waiting.add(look)
      look()
    })

  /** The next answer. @returns {Promise<Members | string>} */
  const answer = async () => {
    if (await until(() => answers.length > 0)) return answers.shift() ?? {}
    return wire.ended ? "the connection ended" : "no answer"
  }
  return { wire, notices, answers, until, answer }
}

/** Opens a session, or resumes one; the answer. @param {Link} link @param {string} [resume] */
export const handshake = async ({ wire, answer }, resume) => {
  const params = { clientName: "differential", ...(resume !== undefined && { resumeSessionId: resume }) }
  wire.send(JSON.stringify({ id: 0, method: "initialize", params }))
  const first = await answer()
  if (typeof first !== "string" && first["result"] !== undefined) wire.send('{"method":"initialized"}')
  return first
}

/** How often a session may still be attached to the connection before. */
const attachedTries = 200

/** Connects to a session again, once the connection before has been given up. @param {Way} way @param {string} session */
export const resumed = async (way, session) => {
  for (let tries = 0; ; tries += 1) {
    const link = await connect(way)
    const first = members(await handshake(link, session))
    if (members(first["error"])["code"] !== -32010 || tries > attachedTries) return { link, first }
    link.wire.close()
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Kills the processes that have not closed, and waits until they have. @param {Link} link @param {Iterable<string>} ids */
export const kill = async ({ wire, notices, answer, until }, ids) => {
  for (const id of ids) {
    if (wire.ended || notices.closed(id)) continue
    wire.send(JSON.stringify({ id: 1, method: "process/terminate", params: { processId: id } }))
    if (members(members(await answer())["result"])["running"] !== true) continue
    await until(() => notices.closed(id))
  }
}
