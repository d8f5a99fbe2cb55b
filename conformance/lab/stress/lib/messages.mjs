// @ts-check
// Valid messages of every method, from the schema and its examples, and what is done to them: to their values, their
// text and their bytes. They do no harm: starts run `true`, or `cat`, which ends with its connection; paths lead
// nowhere; the HTTP address has no listener. `harmless` decides whether a mutated message may be sent.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../../../../.ci/setup.mjs"

/** @import { Random } from "./command.mjs" */
/** @typedef {{ [name: string]: any }} Json */

/** @returns {Json} */
const read = (/** @type {string} */ name) => JSON.parse(readFileSync(join(root, "dist/schema", name), "utf8"))
const schema = read("procwire.schema.json")
const { methods } = read("procwire.meta.json")
const requests = Object.keys(methods).filter((name) => /to server, answered/.test(methods[name].direction))
const exampleOf = Object.fromEntries(
  Object.entries(schema["$defs"]).map(([name, { examples = [] }]) => [name, examples.at(-1)]),
)

/** Programs that may be started, and two that no server accepts. */
const programs = [["/bin/true"], ["/bin/true"], ["/bin/true"], ["/bin/cat"], ["/nonexistent/program"], []]
const allowed = new Set(programs.map((argv) => JSON.stringify(argv)))
const chunk = Buffer.from("a line\n").toString("base64")
/** Paths where nothing can be found, made, changed or removed, an address without a listener, and content. */
const places = ["file:///dev/null/a", "file:///dev/null/b/c"]
const strings = [...places, "http://127.0.0.1:1/", chunk]

/** Members whose value no mutation may touch, and what they have. */
const twoPaths = { path: places, sourcePath: places, destinationPath: places }
const addresses = { ...twoPaths, missing: [places], present: [null], url: strings.slice(2, 3) }
const untouchable = { argv: programs, arg0: [null, "true"], ...addresses }
const ids = ["p0", "p1", "p2", "p3", "p4", "p5"]
const names = { processId: ids, as: [null, ...ids], name: [null, "n"], handleId: ["h0"], requestId: ["r0"] }
const env = [{ PATH: "/usr/bin:/bin", A: "é" }, {}]
const content = { chunk: [chunk, ""], dataBase64: [chunk], bodyBase64: [chunk], headers: [[]] }
const patterns = { pattern: ["a|[b-d]+$", "(", "", "x"], flags: ["", "i", "im", "l", "q"] }
const bounds = { timeoutMs: [1, 5, 29], credit: [null, 65_536], cursor: [null, "1.0", "1.4", "x"] }
const linked = { target: ["a", "p1", ""] }
const signal = ["interrupt", "terminate", "hangup", "quit", "SIGUSR1", "WINCH", 1, 64]
const unused = { sandbox: [null], shellSnapshot: [null], networkProxy: [null], managedNetwork: [null] }
const started = { cwd: ["file:///tmp"], env, rows: [24], columns: [80], keep: [null], ...unused }
/** Members that have one of these values: ids that meet, small bounds, nothing that outlives its session. @type {Json} */
const pinned = { ...untouchable, ...names, ...started, ...content, ...patterns, ...bounds, ...linked, signal }

/**
 * A value of a schema, which a member of this name has: often a part of its example, where there is one.
 * @param {Random} random @param {Json} type @param {any} example @param {string} [name] @returns {any}
 */
const sample = (random, type, example, name = "") => {
  if (Object.hasOwn(pinned, name)) return structuredClone(random.pick(pinned[name]))
  const to = String(type["$ref"]).split("/").at(-1) ?? ""
  if (to in schema["$defs"]) return sample(random, schema["$defs"][to], example ?? exampleOf[to])
  if ("const" in type) return type["const"]
  if (type["enum"] !== undefined) return random.pick(type["enum"])
  // Null is one of the kinds of most members that may be absent, and rarer than the others.
  const choices = type["anyOf"] ?? [type["type"]].flat().map((kind) => ({ type: kind }))
  const others = choices.filter((/** @type {Json} */ one) => one["type"] !== "null")
  const chosen = random.pick(random.chance(0.2) || others.length === 0 ? choices : others)
  if (type["anyOf"] !== undefined) return sample(random, chosen, example)
  const most = type["x-unit"] === "ms" ? 30 : random.pick([3, 100, 100_000])
  if (chosen.type === "integer" || chosen.type === "number") return random.below(most)
  if (chosen.type === "boolean") return random.chance(0.5)
  if (chosen.type === "string") return typeof example === "string" && random.chance(0.5) ? example : "p1"
  const item = () => sample(random, type["items"], random.pick([undefined, ...[example].flat()]))
  if (chosen.type === "array") return Array.from({ length: random.pick([0, 1, 1, 2]) }, item)
  if (chosen.type !== "object") return null
  const more = type["additionalProperties"]
  if (typeof more === "object") return { p0: sample(random, more, null) }
  const all = Object.entries(type["properties"] ?? {})
  // A wait without a bound would keep its place among the requests that may run.
  const required = [...(type["required"] ?? []), "timeoutMs"]
  const one = required.length === 1 && all.length > 0 && random.chance(0.5) ? random.pick(all)[0] : undefined
  const share = one === undefined ? Math.min(0.4, 3 / all.length) : 0
  // In the order of their declaration, because params may be sent as an array.
  const members = all.filter(([key]) => required.includes(key) || key === one || random.chance(share))
  return Object.fromEntries(members.map(([key, one]) => [key, sample(random, one, example?.[key], key)]))
}

/** One valid request, or a cancel of an earlier one. */
const valid = (/** @type {Random} */ random, /** @type {number} */ id) => {
  if (random.chance(0.1)) return { method: "request/cancel", params: { id: id - random.below(5) } }
  const method = random.pick(requests)
  const named = sample(random, methods[method].params, undefined) ?? {}
  const positional = !/^(process\/start|fs\/|http\/)/.test(method) && random.chance(0.05)
  const params = positional ? Object.values(named) : named
  const trace = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" }
  return { id, method, params, ...(random.chance(0.05) && { trace }) }
}

/** @returns {string[]} */
const stringsOf = (/** @type {unknown} */ value) =>
  typeof value === "string" ? [value] : Object.values(value ?? {}).flatMap(stringsOf)

/** True if a text about files or HTTP names no places but those above, however a server may parse it. */
const stays = (/** @type {string} */ text, /** @type {Json} */ message) =>
  !text.includes("\\") &&
  text.split('"params"').length === 2 &&
  Object.keys(addresses).every((name) => text.split(`"${name}"`).length <= 2) &&
  stringsOf(message["params"]).every((one) => !/[/:]/.test(one) || strings.includes(one))

/** @returns {any} undefined if it is no JSON */
const parsed = (/** @type {string} */ text) => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * False if a server could take this text for a start of another program, for a request about another place, or for the
 * end of the session, which valid requests need.
 */
export const harmless = (/** @type {string} */ text) => {
  const json = parsed(text)
  if (json === undefined) return !/fs|http/i.test(text)
  return [json].flat().every((one) => {
    const { method, params } = Object(one)
    if (/fs|http/i.test(text) || /^(fs|http)/.test(method)) return Object(one) === one && stays(text, one)
    const argv = Array.isArray(params) ? params[2] : Object(params).argv
    if (String(method) === "session/end") return false
    return String(method) !== "process/start" || !Array.isArray(argv) || allowed.has(JSON.stringify(argv))
  })
}

/** Marks a text that is written into a message as it is: numbers and escapes that JSON.stringify never writes. */
const raw = (/** @type {string} */ text) => `\u0001${text}`
const stringify = (/** @type {unknown} */ value) =>
  JSON.stringify(value).replaceAll(/"\\u0001(?:[^"\\]|\\.)*"/g, (quoted) => JSON.parse(quoted).slice(1))

const numbers =
  "0 -0 -1 1.5 1e2 1E400 -1e-400 2147483648 65536 9007199254740993 9223372036854775807 9223372036854775808 " +
  "18446744073709551615 18446744073709551616 0.1e+1 01 +1 .5 1. 0x10 NaN Infinity " +
  `1${"0".repeat(400)} "\\ud800" "\\udc00\\ud800" "\\u12" "\\x" "\t" tru nul undefined ' //`
const plain = [null, true, false, "", " ", "\u0000", "é😀", "__proto__", [], {}, [[]], { "": null }]
const odd = [...plain, "constructor", [null, 1, "x"], ...numbers.split(" ").map(raw)]
const members =
  " x __proto__ constructor hasOwnProperty toString jsonrpc id method params result error trace processId"
const others = " PROCESS/READ constructor __proto__ process/output fs/readFile http/request initialized"

/** @param {Random} random @returns {unknown} */
const oddValue = (random) => {
  const [kind, size] = [random.below(100), 1 + random.below(300)]
  if (kind === 0) return raw("[".repeat(size) + "]".repeat(size))
  if (kind === 1) return "x".repeat(size * 60)
  if (kind === 2) return raw(`[${"0,".repeat(random.chance(0.01) ? 262_143 : size)}0]`)
  return structuredClone(random.pick(odd))
}

/** Members that may be changed, each with the object or array that holds it. @returns {[Json, string][]} */
const holdersOf = (/** @type {Json} */ value) =>
  Object.keys(Object(typeof value === "string" ? null : value))
    .filter((key) => !Object.hasOwn(untouchable, key))
    .flatMap((key) => [[value, key], ...holdersOf(value[key])])

/** @param {Random} random @param {Json} message @returns {[Json, string]} */
const somewhere = (random, message) => random.pick([...holdersOf(message), [message, "x"]])

/** @param {Json} holder @param {string} key @param {unknown} value */
const define = (holder, key, value) =>
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true })

/** @type {readonly ((random: Random, message: Json) => unknown)[]} */
const ofValues = [
  (random, message) => define(...somewhere(random, message), oddValue(random)),
  (random, message) => {
    const [holder, key] = somewhere(random, message)
    delete holder[key]
  },
  (random, message) => define(message, random.pick(members.split(" ")), oddValue(random)),
  (random, message) => define(Object(message["params"]), random.pick(members.split(" ")), oddValue(random)),
  (random, message) => (message["id"] = random.pick([oddValue(random), -1, 0, "", "é", "7", 7])),
  (random, message) => (message["method"] = random.pick([`${random.pick(requests)} `, ...others.split(" ")])),
  (random, message) => (message["params"] = random.pick([null, [], [message["params"]], "x", 0])),
  (_random, message) => (message["params"] = Object.values(message["params"] ?? {}).slice(1)),
  (_random, message) => delete message["id"],
  (_random, message) => (message["error"] = { code: 1, message: "x" }),
  (_random, message) => delete message["method"] && (message["result"] = {}),
]

const bits = [...'"{}[],:\\0-e \t\r\u0000é\ufeff\u2028', "null", '"id":7,', '\\"', "/*x*/"]
const heads = ["id", "method", "params", "trace"]
const between = [
  "",
  " ",
  ",",
  "\n",
  "\n\n",
  "\r\n",
  "}",
  "]",
  "\ufeff",
  "\t\n",
  "\r",
  "\u0000",
  "\u00a0",
  "\v",
]
const noMessages = '| |{}|[]|null|0|"x"|{|\u0000|GET / HTTP/1.1|[[[[[[|{"a":'.split("|")
const insert = (/** @type {string} */ text, /** @type {number} */ at, /** @type {string} */ more, over = 0) =>
  text.slice(0, at) + more + text.slice(at + over)

/** @type {readonly ((random: Random, text: string) => string)[]} */
const ofText = [
  (random, text) => insert(text, random.below(text.length + 1), random.pick(bits)),
  (random, text) => insert(text, random.below(text.length), "", 1),
  (random, text) => text.slice(0, random.below(text.length)),
  (random, text) => text.slice(random.below(text.length)),
  (random, text) => insert(text, 1, `"${random.pick(heads)}":${stringify(random.pick(odd))},`),
  (_random, text) => text.replace('"params":{', `"params":{"processId":"p1",`),
  (random, text) => text + random.pick(between) + text,
  (_random, text) => `[${text}]`,
  (random, text) => random.pick(between) + text,
  (random) => random.pick(noMessages),
]

const badUtf8 = [[0xff], [0xc0, 0xaf], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0x80]]

/** A message with up to three things wrong with it, now and then with none. */
export const message = (/** @type {Random} */ random, /** @type {number} */ id) => {
  /** @type {Json} */
  const made = valid(random, id)
  if (random.chance(0.1)) return Buffer.from(stringify(made))
  for (let round = random.below(3); round >= 0; round -= 1)
    if (random.chance(0.6)) random.pick(ofValues)(random, made)
  let text = stringify(made)
  if (random.chance(0.5)) text = random.pick(ofText)(random, text)
  const bytes = Buffer.from(text)
  if (!random.chance(0.02)) return bytes
  const at = random.below(bytes.length + 1)
  const bad = Buffer.from(random.chance(0.5) ? random.pick(badUtf8) : [random.below(256)])
  return Buffer.concat([bytes.subarray(0, at), bad, bytes.subarray(at)])
}
