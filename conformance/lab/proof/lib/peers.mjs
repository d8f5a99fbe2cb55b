// @ts-check
// A client of the wire that recovers from nothing: requests with a deadline, notifications as they come.
import { within } from "./command.mjs"
import * as Wires from "./wires.mjs"

/**
 * The params of a notification about a process; only output has a `chunk`.
 * @typedef {{ processId: string, seq: number, chunk: string }} Told
 *
 * @typedef {(method: string, params: Told) => void} Notified
 * @typedef {Record<string, unknown>} Params
 * @typedef {{ notified?: Notified, ca?: Buffer | undefined }} Options
 */

const deadline = 60_000

/**
 * A connection before the handshake.
 * @param {Wires.Address} server
 * @param {Options} [options] `notified` gets every notification
 */
export const connect = async (server, { notified = () => {}, ca } = {}) => {
  const wire = await Wires.open(server, { ca })
  /** @type {Map<number, { resolve: (result: Params) => void, reject: (error: Error) => void }>} */
  const waiting = new Map()
  let last = 0
  wire.take = (bytes) => {
    const { id, method, params, result, error } = JSON.parse(bytes.toString())
    if (method !== undefined) return notified(method, params)
    const request = waiting.get(id)
    waiting.delete(id)
    return error === undefined ? request?.resolve(result) : request?.reject(new Error(error.message))
  }
  void wire.over.then(() => {
    for (const { reject } of waiting.values()) reject(new Error("the connection ended"))
    waiting.clear()
  })
  /** @param {string} method @param {Params} params */
  const call = (method, params) => {
    const id = (last += 1)
    /** @type {Promise<Params>} */
    const answer = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }))
    wire.send(JSON.stringify({ id, method, params }))
    return within(answer, deadline, `the answer to ${method}`)
  }
  /** The id of the session. @param {Params} [more] */
  const handshake = async (more = {}) => {
    const { sessionId } = await call("initialize", { clientName: "proof", ...more })
    wire.send('{"method":"initialized"}')
    return String(sessionId)
  }
  return { wire, call, handshake }
}

/**
 * Params of a start.
 * @param {string} processId
 * @param {readonly string[]} argv
 * @param {Params} [more]
 */
export const start = (processId, argv, more = {}) => ({
  processId,
  argv,
  cwd: "file:///tmp",
  env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
  tty: false,
  ...more,
})
