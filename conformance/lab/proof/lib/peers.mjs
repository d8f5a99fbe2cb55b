// A client of the wire without any recovery: requests that are awaited with a deadline, notifications as they come.
import * as Wires from "./wires.mjs"
import { within } from "./command.mjs"

const deadline = 60_000

/** A connection before the handshake. `notified(method, params)` hears what was not asked for. */
export const connect = async (server, { notified = () => {}, ca } = {}) => {
  const wire = await Wires.open(server, { ca })
  const waiting = new Map()
  let last = 0
  wire.take = (bytes) => {
    const { id, method, params, result, error } = JSON.parse(bytes.toString())
    if (method !== undefined) return notified(method, params)
    const [resolve, reject] = waiting.get(id) ?? []
    waiting.delete(id)
    return error === undefined ? resolve?.(result) : reject?.(new Error(error.message))
  }
  wire.over.then(() => {
    for (const [, reject] of waiting.values()) reject(new Error("the connection ended"))
    waiting.clear()
  })
  const call = (method, params) => {
    const id = (last += 1)
    const answer = new Promise((resolve, reject) => waiting.set(id, [resolve, reject]))
    wire.send(JSON.stringify({ id, method, params }))
    return within(answer, deadline, `the answer to ${method}`)
  }
  const handshake = async (more = {}) => {
    const { sessionId } = await call("initialize", { clientName: "proof", ...more })
    wire.send('{"method":"initialized"}')
    return sessionId
  }
  return { wire, call, handshake }
}

/** Params of a start with what nobody varies. */
export const start = (processId, argv, more = {}) => ({
  processId,
  argv,
  cwd: "file:///tmp",
  env: { PATH: process.env.PATH ?? "/usr/bin:/bin" },
  tty: false,
  ...more,
})
