// @ts-check
// What is done to valid messages: to their values, to their text, to their bytes. The argv of a start stays as it is.
import { untouchable } from "./corpus.mjs"

/**
 * @import { Random } from "./random.mjs"
 * @import { Request } from "./corpus.mjs"
 * @typedef {Record<string, unknown>} Holder an object or an array
 */

/** Text that is written into a message as it is: numbers and escapes that JSON.stringify never writes. */
class Raw {
  /** @type {string} */
  text
  /** @param {string} text */
  constructor(text) {
    this.text = text
  }
}

/** @param {unknown} value @returns {string} */
const stringify = (value) => {
  if (value instanceof Raw) return value.text
  if (Array.isArray(value)) return `[${value.map(stringify).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, one]) => `${JSON.stringify(key)}:${stringify(one)}`)
    .join(",")}}`
}

/** @param {number} levels */
const nested = (levels) => new Raw("[".repeat(levels) + "]".repeat(levels))
/** @param {string} text */
const numbers = (text) => text.split(" ").map((word) => new Raw(word))

/** @type {readonly unknown[]} */
const odd = [
  null,
  true,
  false,
  "",
  " ",
  "\u0000",
  "é😀",
  "__proto__",
  "constructor",
  [],
  {},
  [[]],
  { "": null },
  [null, 1, "x"],
  ...numbers("0 -0 -1 1.5 1e2 1E400 -1e-400 2147483648 65536 9007199254740993 9223372036854775807"),
  ...numbers(
    "9223372036854775808 18446744073709551615 18446744073709551616 0.1e+1 01 +1 .5 1. 0x10 NaN Infinity",
  ),
  ...numbers(`1${"0".repeat(400)} "\\ud800" "\\udc00\\ud800" "\\u12" "\\x" "\t" tru nul undefined ' //`),
]

const names = [
  "x",
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "toString",
  "jsonrpc",
  "id",
  "method",
  "params",
  "result",
  "error",
  "trace",
  "processId",
  "",
]

/** @param {Random} random */
const oddValue = (random) => {
  const kind = random.below(100)
  if (kind === 0) return nested(1 + random.below(300))
  if (kind === 1) return "x".repeat(random.below(20_000))
  if (kind === 2) return Array.from({ length: random.below(1000) }, () => random.below(10))
  if (kind === 3 && random.chance(0.01)) return new Raw(`[${"0,".repeat(262_143)}0]`)
  const value = random.pick(odd)
  return value instanceof Raw ? value : structuredClone(value)
}

/**
 * Members that may be changed, each with the object or array that holds it.
 * @param {unknown} value
 * @returns {[Holder, string][]}
 */
const places = (value) => {
  if (typeof value !== "object" || value === null || value instanceof Raw) return []
  return Object.entries(value)
    .filter(([key]) => !untouchable.has(key))
    .flatMap(([key, member]) => [[/** @type {Holder} */ (value), key], ...places(member)])
}

/** @param {Random} random @param {Request} message @returns {[Holder, string]} */
const somewhere = (random, message) => random.pick([...places(message), [message, "x"]])

/** @param {Holder} holder @param {string} key */
const remove = (holder, key) => (Array.isArray(holder) ? holder.splice(Number(key), 1) : delete holder[key])

/** @param {Holder} holder @param {string} key @param {unknown} value */
const define = (holder, key, value) =>
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true })

/** @type {readonly ((random: Random, message: Request) => unknown)[]} */
const ofValues = [
  (random, message) => {
    const [holder, key] = somewhere(random, message)
    define(holder, key, oddValue(random))
  },
  (random, message) => remove(...somewhere(random, message)),
  (random, message) => {
    const objects = [message, message.params].filter(
      (one) => typeof one === "object" && one !== null && !Array.isArray(one),
    )
    define(/** @type {Holder} */ (random.pick(objects)), random.pick(names), oddValue(random))
  },
  (random, message) => (message.id = oddValue(random)),
  (random, message) => (message.id = random.pick([-1, 0, "", "é", "7", 7])),
  (random, message) => {
    const method = typeof message.method === "string" ? message.method : "x"
    message.method = random.pick([
      `${method} `,
      method.toUpperCase(),
      "",
      "constructor",
      "__proto__",
      "process/output",
      "fs/readFile",
      "http/request",
      "initialized",
    ])
  },
  (random, message) =>
    (message.params = random.pick([
      null,
      [],
      [message.params],
      "x",
      0,
      Object.values(message.params ?? {}).slice(1),
    ])),
  (random, message) =>
    random.pick([
      () => delete message.id,
      () => ((message.result = {}), delete message.method),
      () => (message.error = { code: 1, message: "x" }),
    ])(),
]

/**
 * Where text may change: not between `"argv"` and the end of its array.
 * @param {Random} random
 * @param {string} text
 */
const place = (random, text) => {
  const from = text.indexOf('"argv"')
  if (from < 0) return random.below(text.length + 1)
  const to = text.indexOf("]", from) + 1
  const at = random.below(from + text.length - to + 1)
  return at <= from ? at : at - from + to
}

const bits = [
  '"',
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  "\\",
  "0",
  "-",
  "e",
  " ",
  "\t",
  "\r",
  "\u0000",
  "é",
  "\ufeff",
  "\u2028",
  "null",
  '"id":7,',
  '\\"',
  "/*x*/",
]

/** @param {string} text @param {number} at @param {string} more */
const insert = (text, at, more) => text.slice(0, at) + more + text.slice(at)

/** @type {readonly ((random: Random, text: string) => string)[]} */
const ofText = [
  (random, text) => insert(text, place(random, text), random.pick(bits)),
  (random, text) => {
    const at = place(random, text)
    return text.startsWith('"argv"', at) ? text : text.slice(0, at) + text.slice(at + 1)
  },
  (random, text) => text.slice(0, random.below(text.length)),
  (random, text) => text.slice(random.below(text.length)),
  (random, text) =>
    insert(text, 1, `"${random.pick(["id", "method", "params", "trace"])}":${stringify(random.pick(odd))},`),
  (_random, text) => text.replace('"params":{', `"params":{"processId":"p1",`),
  (random, text) => text + random.pick(["", " ", ",", "\n", "\n\n", "\r\n", "}", "]"]) + text,
  (_random, text) => `[${text}]`,
  (random, text) => random.pick([" ", "\ufeff", "\t\n", "\r", "\u0000", "\u00a0", "\v"]) + text,
  (random) =>
    random.pick([
      "",
      " ",
      "{}",
      "[]",
      "null",
      "0",
      '"x"',
      "{",
      "\u0000",
      "GET / HTTP/1.1",
      "[[[[[[",
      '{"a":',
    ]),
]

const badUtf8 = [[0xff], [0xc0, 0xaf], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0x80]]

/**
 * One request with up to three things wrong with it.
 * @param {Random} random
 * @param {Request} message
 * @returns {{ bytes: Buffer, intact: boolean }} `intact` if nothing was changed
 */
export const mutate = (random, message) => {
  if (random.chance(0.1)) return { bytes: Buffer.from(stringify(message)), intact: true }
  const changed = structuredClone(message)
  for (let round = random.below(3); round >= 0; round -= 1) {
    if (random.chance(0.6)) random.pick(ofValues)(random, changed)
  }
  let text = stringify(changed)
  if (random.chance(0.5)) text = random.pick(ofText)(random, text)
  const bytes = Buffer.from(text)
  if (!random.chance(0.02)) return { bytes, intact: false }
  const at = place(random, bytes.toString("latin1"))
  const bad = Buffer.from(random.chance(0.5) ? random.pick(badUtf8) : [random.below(256)])
  return { bytes: Buffer.concat([bytes.subarray(0, at), bad, bytes.subarray(at)]), intact: false }
}
