// @ts-check
// Faults as data: a wire that changes what passes it. They stand between the player and our own server, so that each
// shows whether the tester would see a server that is wrong in this way.
import { readFileSync } from "node:fs"
import { members, parsed } from "./values.mjs"

/**
 * @import { Wire } from "../../stress/lib/wires.mjs"
 * @import { Members } from "./values.mjs"
 *
 * @typedef {object} Change what happens to a message; those to which it does not apply pass as they are
 * @property {"request" | "answer" | "notice"} on
 * @property {string} do `set`, `add` (if it is absent), `delete`, `plus`, `not`, `cut` (the last byte of a base64
 *   text), `pop`, `push`, `reverse`, `replace` (a part of a text), `become` (another message), `drop`, `twice`, `also`
 *   (one more)
 * @property {string} [at] a path: `result.entries.0.kind`
 * @property {unknown} [to]
 * @property {string} [from] the part that is replaced
 * @property {string} [when] an expression that the text of the message must match
 * @property {string} [unless]
 *
 * @typedef {object} Fault
 * @property {string} id
 * @property {string} plays methods of the sequences that show it, with commas
 * @property {string} method an expression for the method of the request or the notification
 * @property {readonly Change[]} changes
 */

/** @param {string} path @returns {Fault[]} */
export const read = (path) => JSON.parse(readFileSync(path, "utf8"))

/** @typedef {{ holder: Members, name: string }} Spot */

/** @param {Members} message @param {string} at @returns {Spot | undefined} */
const spotOf = (message, at) => {
  const names = at.split(".")
  const name = names.pop() ?? ""
  /** @type {unknown} */
  let holder = message
  for (const step of names) holder = Object(holder)[step]
  return typeof holder === "object" && holder !== null
    ? { holder: /** @type {Members} */ (holder), name }
    : undefined
}

/** @param {unknown} base64 */
const withoutLast = (base64) => Buffer.from(String(base64), "base64").subarray(0, -1).toString("base64")

/** What happens at a place; true if it did. @type {Record<string, (spot: Spot, change: Change) => boolean>} */
const edits = {
  set: ({ holder, name }, { to }) => name in holder && ((holder[name] = to), true),
  add: ({ holder, name }, { to }) => !(name in holder) && ((holder[name] = to), true),
  delete: ({ holder, name }) => name in holder && delete holder[name],
  plus: ({ holder, name }, { to }) =>
    typeof holder[name] === "number" && ((holder[name] = Number(holder[name]) + Number(to)), true),
  not: ({ holder, name }) => typeof holder[name] === "boolean" && ((holder[name] = holder[name] === false), true),
  cut: ({ holder, name }) =>
    typeof holder[name] === "string" && holder[name] !== "" && ((holder[name] = withoutLast(holder[name])), true),
  replace: ({ holder, name }, { from = "", to }) =>
    typeof holder[name] === "string" &&
    holder[name].includes(from) &&
    ((holder[name] = holder[name].replace(from, String(to))), true),
  pop: ({ holder, name }) => Array.isArray(holder[name]) && holder[name].pop() !== undefined,
  push: ({ holder, name }, { to }) => Array.isArray(holder[name]) && holder[name].push(to) > 0,
  reverse: ({ holder, name }) => {
    const list = holder[name]
    if (!Array.isArray(list) || list.length < 2) return false
    holder[name] = list.map((_, index) => list[list.length - 1 - index])
    return true
  },
} // prettier-ignore

/**
 * The messages that pass in place of one.
 * @param {Members} message
 * @param {Change} change
 * @returns {Members[] | undefined} undefined if it does not apply
 */
export const applied = (message, change) => {
  if (change.do === "drop") return []
  if (change.do === "twice") return [message, message]
  if (change.do === "also") return [message, members(change.to)]
  if (change.do === "become") {
    const { result: _, error: __, ...rest } = message
    return [{ ...rest, ...members(change.to) }]
  }
  const copy = structuredClone(message)
  const spot = spotOf(copy, change.at ?? "")
  return spot && edits[change.do]?.(spot, change) ? [copy] : undefined
}

/** @param {string} text @param {Change} change */
const meant = (text, { when, unless }) =>
  (when === undefined || new RegExp(when, "s").test(text)) &&
  (unless === undefined || !new RegExp(unless, "s").test(text))

/**
 * A wire with a fault.
 * @param {Fault} fault
 * @returns {(wire: Wire) => Wire}
 */
export const planted = ({ method: wanted, changes }) => {
  const test = new RegExp(`^(?:${wanted})$`)
  return (wire) => {
    /** The method of each request, by the text of its id. @type {Map<string, string>} */
    const methods = new Map()
    /** @param {Change["on"]} on @param {string} method @param {string} text @returns {string[]} */
    const passed = (on, method, text) => {
      const change = changes.find((one) => one.on === on && test.test(method) && meant(text, one))
      const json = parsed(text)
      if (change === undefined || json === undefined) return [text]
      return applied(members(json), change)?.map((one) => JSON.stringify(one)) ?? [text]
    }
    /** @type {Wire} */
    const faulty = {
      ...wire,
      take: () => {},
      send: (message) => {
        const text = String(message)
        const { id, method = "none" } = members(parsed(text))
        methods.set(JSON.stringify(id), String(method))
        for (const one of passed("request", String(method), text)) wire.send(one)
      },
      get ended() {
        return wire.ended
      },
    }
    wire.take = (bytes) => {
      const text = bytes.toString()
      const { id, method } = members(parsed(text))
      const out =
        method === undefined
          ? passed("answer", methods.get(JSON.stringify(id)) ?? "none", text)
          : passed("notice", String(method), text)
      for (const one of out) faulty.take(Buffer.from(one))
    }
    return faulty
  }
}
