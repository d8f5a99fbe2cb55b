// @ts-check
// Messages in forms that a decoder has to judge: members of other types, missing or unknown ones, params by position,
// other ids, envelopes that are no request.
import { exactly, isObject, textOf } from "./values.mjs"

/**
 * @import { Random } from "../../stress/lib/command.mjs"
 * @import { Members } from "./values.mjs"
 */

const odd = [
  null, [], {}, 0, 1, -1, 1.5, "", "text", true, false, [null], { a: 1 }, exactly("1.0"), exactly("1e2"), exactly("-0"),
  exactly("9007199254740993"), exactly("9223372036854775808"), exactly("18446744073709551615"), exactly("1e400"),
  exactly("18446744073709551616"), { interrupt: null }, { read: null }, { core: null }, { none: {} }, [[]], ["x", null],
] // prettier-ignore

/** The members of every struct, in the order in which they may be sent as an array. @type {Record<string, string[]>} */
const fields = {
  initialize: ["clientName", "resumeSessionId"],
  "process/start": [
    "processId", "metadata", "argv", "cwd", "env", "shellSnapshot", "envPolicy", "tty", "pipeStdin", "arg0", "sandbox",
    "enforceManagedNetwork", "managedNetwork", "networkProxy",
  ],
  "process/read": ["processId", "afterSeq", "maxBytes", "waitMs"],
  "process/write": ["processId", "chunk", "writeId"],
  "process/signal": ["processId", "signal"],
  "process/terminate": ["processId"],
  "fs/readFile": ["path", "followSymlinks", "sandbox"],
  "fs/writeFile": ["path", "dataBase64", "followSymlinks", "sandbox"],
  "fs/createDirectory": ["path", "recursive", "followSymlinks", "sandbox"],
  "fs/getMetadata": ["path", "followSymlinks", "sandbox"],
  "fs/canonicalize": ["path", "sandbox"],
  "fs/readDirectory": ["path", "sandbox"],
  "fs/walk": ["path", "options", "sandbox"],
  "fs/remove": ["path", "recursive", "force", "followSymlinks", "sandbox"],
  "fs/copy": ["sourcePath", "destinationPath", "recursive", "sandbox"],
  "fs/open": ["handleId", "path", "mode", "sandbox"],
  "fs/readBlock": ["handleId", "offset", "len"],
  "fs/writeBlock": ["handleId", "offset", "chunk"],
  "fs/close": ["handleId"],
  "fs/watchMissing": ["watchId", "missing", "present"],
  "http/request": [
    "method", "url", "headers", "bodyBase64", "timeoutMs", "redirectPolicy", "requestId", "streamResponse",
  ],
} // prettier-ignore

/** What stands for a member that is left out, where null will not do. @type {Record<string, unknown>} */
const standard = {
  tty: false, pipeStdin: false, enforceManagedNetwork: false, recursive: true, force: true, mode: "read", headers: [],
  redirectPolicy: "follow", streamResponse: false,
} // prettier-ignore

/** An odd value of a member. With a time limit of 1 ms it is the machine that decides. @param {Random} random @param {string} [name] */
const oddOf = (random, name) => {
  const value = random.pick(odd)
  return name === "timeoutMs" && value === 1 ? 0 : value
}

/** @param {string} method @param {Members} params */
const positional = (method, params) =>
  (fields[method] ?? Object.keys(params)).map((name) => params[name] ?? standard[name] ?? null)

/** @param {Random} random @param {unknown} value @param {string} [member] that holds the value @returns {unknown} */
const inside = (random, value, member) => {
  const entries = Object.entries(Object(value))
  if (typeof value === "string" || entries.length === 0 || random.chance(0.5)) return oddOf(random, member)
  const [name] = random.pick(entries)
  if (Array.isArray(value))
    return value.map((one, index) => (String(index) === name ? inside(random, one) : one))
  if (random.chance(0.2)) return Object.fromEntries(entries.filter(([other]) => other !== name))
  return Object.fromEntries(
    entries.map(([other, one]) => [other, other === name ? inside(random, one) : one]),
  )
}

/**
 * Params in another form; as a JSON text, because a member may be there twice.
 * @param {Random} random
 * @param {string} method
 * @param {Members} params
 * @returns {string}
 */
export const params = (random, method, params) => {
  const names = Object.keys(params)
  const known = fields[method] ?? names
  const form = random.below(12)
  const array = positional(method, params)
  if (form === 0) return textOf(random.pick(odd))
  if (form === 1) return textOf(array)
  if (form === 2) return textOf(array.slice(0, random.below(array.length + 1)))
  if (form === 3) return textOf([...array, random.pick(odd)])
  if (form === 4)
    return textOf(
      array.map((one, index) => (index === random.below(array.length) ? oddOf(random, known[index]) : one)),
    )
  if (form === 5 && names.length > 0) {
    const gone = random.pick(names)
    return textOf(Object.fromEntries(Object.entries(params).filter(([name]) => name !== gone)))
  }
  if (form === 6)
    return textOf({ ...params, [random.pick(["more", "Path", "", "é", "__proto__x"])]: random.pick(odd) })
  if (form === 7 && names.length > 0) {
    const twice = random.pick(names)
    return textOf(params).replace(/\}$/, `,${JSON.stringify(twice)}:${textOf(params[twice])}}`)
  }
  if (form <= 9 && names.length > 0) {
    const name = random.pick(names)
    return textOf({ ...params, [name]: inside(random, params[name], name) })
  }
  if (known.length === 0) return textOf(random.pick(odd))
  const name = random.pick(known)
  return textOf({ ...params, [name]: oddOf(random, name) })
}

const ids = [
  '""',
  '"x"',
  "-1",
  "-7",
  "0",
  "-0",
  "9223372036854775807",
  "-9223372036854775808",
  '"\\u0000"',
  '"é\\n"',
  '"-1"',
]
const badIds = ["null", "1.5", "1.0", "1e2", "true", "[]", "{}", "9223372036854775808", "[1]"]
const traces = [
  "null", "{}", '{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}', '{"traceparent":null}',
  '{"traceparent":5}', '{"tracestate":"a=b"}', '{"tracestate":[]}', "[]", "5", '"x"', "[null,null]", '["a","b"]', '{"more":1}',
  '["a"]', "[null]", "[1,2]", '{"traceparent":"bad"}', "false",
] // prettier-ignore

/** The text of a request, mostly plain. @param {Random} random @param {number} id @param {string} method @param {string | undefined} paramsText */
export const request = (random, id, method, paramsText) => {
  const parts = [`"id":${random.chance(0.97) ? id : random.pick(ids)}`, `"method":${JSON.stringify(method)}`]
  if (paramsText !== undefined) parts.push(`"params":${paramsText}`)
  if (random.chance(0.015)) parts.push(`"trace":${random.pick(traces)}`)
  if (random.chance(0.01))
    parts.push(random.pick(['"jsonrpc":"2.0"', '"result":1', '"more":[]', '"error":null', '"jsonrpc":5']))
  if (random.chance(0.02)) parts.reverse()
  return `{${parts.join(random.chance(0.98) ? "," : " ,\t")}}`
}

const call = '"method":"environment/status"'
const deep = (/** @type {number} */ levels) => `${"[".repeat(levels)}${"]".repeat(levels)}`

const unknown = ["shutdown", "ping", "fs/join", "a\nb", "é", "`", "x".repeat(300)]

/** Messages that get one answer at most. @type {readonly ((random: Random) => string)[]} */
const envelopes = [
  () => "{bad", () => "42", () => "null", () => '"s"', () => "[]", () => "{}", () => "true", () => "[1]",
  () => "{]", () => "nul",
  () => `[{"id":1,${call}}]`, () => '{"id":1}', () => '{"id":1,"method":5}', () => '{"id":1,"method":null}',
  () => '{"method":5}',
  () => `{"id":1,"id":2,${call}}`, () => `{"id":1,${call},"method":"x"}`,
  () => `{"id":1,${call},"params":{"a":1,"a":2}}`,
  (random) => `{"id":${random.pick(badIds)},${call}}`, (random) => `{"id":${random.pick(ids)},${call}}`,
  (random) => `{"id":3,${call},"trace":${random.pick(traces)}}`,
  (random) => `{"id":3,${call},"params":${textOf(random.pick(odd))}}`,
  () => `{"id":1,${call}} x`, () => `{"id":1,${call},}`, () => `{'id':1,${call}}`, () => `{"id":01,${call}}`,
  () => `{"id":1,"method":"environment/st\\u0061tus"}`, () => `{"id":1,"method":"\\ud800"}`,
  () => `{"id":1,"method":"a\tb"}`,
  () => '{"id":1,"method":""}', () => '{"id":1,"method":"Environment/Status"}',
  () => '{"id":1,"method":"fs/rename","params":{}}',
  (random) => `{"id":1,"method":${JSON.stringify(random.pick(unknown))}}`,
  () => `{"id":1,${call},"params":${deep(126)}}`, () => `{"id":1,${call},"more":${deep(120)}}`,
  () => `{"id":1,${call},"more":${deep(127)}}`,
  () => `{"id":1,${call},"params":[${"1,".repeat(100)}1]}`, () => `\ufeff{"id":1,${call}}`,
  () => `  {"id":1,${call}}\r`,
  () => `{"id":1,${call},"params":1e400}`, () => `{"id":1,${call},"params":-}`, () => `{"id":1,${call},"params":.5}`,
  () => `{"id":1,"error":{"code":1,"message":"x"},${call}}`, () => `{"id":1,"result":1,${call}}`,
  () => `{"id":1,${call},"params":"\\x"}`,
] // prettier-ignore

/** What no request is, and ends the connection or is ignored. */
const silent = [
  '{"method":"initialized"}', '{"method":"initialized","params":{"x":1}}', '{"method":"initialized","params":null}',
  '{"method":"process/read"}', '{"method":"unknown"}', '{"id":1,"result":{}}', '{"id":"x","error":{"code":1,"message":"m"}}',
  '{"method":"initialize","params":{"clientName":"x"}}', '{"method":"initialized","trace":null}', '{"id":9,"result":null}',
  '{"method":"initialized","params":[1]}', '{"method":"process/output","params":{}}',
] // prettier-ignore

/** @param {Random} random */
export const envelope = (random) => random.pick(envelopes)(random)
/** @param {Random} random */
export const unanswered = (random) => random.pick(silent)

const hellos = [
  { clientName: "x" }, { clientName: "" }, {}, null, [], ["x"], ["x", null], ["x", null, 1], { clientName: 5 },
  "x", undefined,
  { clientName: "x", resumeSessionId: null }, { clientName: "x", resumeSessionId: "" },
  { clientName: "x", resumeSessionId: "none" },
  { clientName: "x", resumeSessionId: "6f5902ac-237e-4f63-8f1e-8f4d3b5d2a11" }, { clientName: "x", resumeSessionId: 5 },
  { clientName: "x", more: 1 }, { client_name: "x" }, { clientName: null }, [5], [null], ["x", ""], ["x", 5],
] // prettier-ignore

/** Params of an `initialize`, as a text. @param {Random} random */
export const hello = (random) => {
  const params = random.chance(0.5) ? { clientName: "x" } : random.pick(hellos)
  return params === undefined ? undefined : textOf(params)
}

/** True for params that have members to change. @param {unknown} params @returns {params is Members} */
export const hasMembers = (params) => isObject(params)
