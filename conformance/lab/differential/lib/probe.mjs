// @ts-check
// Which methods a server knows: one that it does not know is answered with -32601, whatever the params are.
import { members, parsed } from "./values.mjs"

/** @param {import("./server.mjs").Server} server @param {readonly string[]} methods @returns {Promise<Set<string>>} */
export const knownBy = async (server, methods) => {
  if (methods.length === 0) return new Set()
  const wire = await server.connect()
  /** @type {Map<unknown, unknown>} */
  const codes = new Map()
  const all = new Promise((/** @type {(value: void) => void} */ resolve) => {
    wire.take = (bytes) => {
      const { id, error } = members(parsed(bytes.toString()))
      codes.set(id, members(error)["code"])
      if (codes.size === methods.length) resolve()
    }
  })
  for (const [id, method] of methods.entries()) wire.send(JSON.stringify({ id, method, params: 5 }))
  await Promise.race([all, wire.over])
  wire.close()
  return new Set(methods.filter((_, id) => codes.has(id) && codes.get(id) !== -32601))
}
