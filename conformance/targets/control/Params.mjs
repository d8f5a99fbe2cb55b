// @ts-check
/** The params of every method: which fields there are, and what they hold. */
import { constants } from "node:os"
import { fileURLToPath } from "node:url"
import { invalidParams, Refused } from "./Refused.mjs"

/** @typedef {(value: any) => boolean} Test */

/** @type {Test} */
const isText = (value) => typeof value === "string"
/** @type {Test} */
const isFlag = (value) => typeof value === "boolean"
/** @type {Test} */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value)
/** @type {Test} */
const isNumber = (value) => Number.isInteger(value) && value >= 0
/** @type {Test} */
const isCount = (value) => isNumber(value) && Number.isSafeInteger(value)
/** @type {Test} */
const isTexts = (value) => Array.isArray(value) && value.every(isText)
/** @type {Test} */
const isTextMap = (value) => isObject(value) && Object.values(value).every(isText)
/** @type {Test} */
const isBase64 = (value) => isText(value) && Buffer.from(value, "base64").toString("base64") === value

/**
 * A field that may be absent or null.
 * @type {(test: Test) => Test}
 */
const optional = (test) => (value) => value === undefined || value === null || test(value)
/**
 * A field that may be absent.
 * @type {(test: Test) => Test}
 */
const absent = (test) => (value) => value === undefined || test(value)

/**
 * The signals of `process/signal` by their names.
 * @type {Record<string, NodeJS.Signals>}
 */
export const signals = { interrupt: "SIGINT", terminate: "SIGTERM", hangup: "SIGHUP", quit: "SIGQUIT" }

/**
 * The signal of a word, a name or a number.
 * @param {string | number} signal
 * @returns {NodeJS.Signals}
 */
export const toSignal = (signal) => {
  const found = Object.entries(constants.signals).find(
    ([name, number]) => signal === number || signal === name || signal === name.slice(3),
  )
  return signals[signal] ?? /** @type {NodeJS.Signals} */ (found?.[0] ?? "SIGINT")
}

/** @type {Test} */
const isSignal = (value) =>
  Object.hasOwn(signals, value) ||
  Object.entries(constants.signals).some(
    ([name, number]) => value === number || value === name || value === name.slice(3),
  )

/** @type {Test} */
const isPoint = (value) => isObject(value) && Object.values(value).every(optional(isCount))

/** @type {Test} */
const isTime = (value) => isCount(value) && value >= 1 && value < 2 ** 31

/** @type {Test} */
const isName = (value) => isText(value) && value.length >= 1 && value.length <= 256
/** @type {Test} */
const isLabels = (value) =>
  isTextMap(value) &&
  Object.keys(value).length <= 64 &&
  Object.entries(value).every(([key, { length }]) => isName(key) && length <= 1024)

const states = ["starting", "running", "exited", "closed"]

const listed = {
  sessions: optional((value) => value === "own" || value === "all"),
  limit: optional((value) => isNumber(value) && value > 0),
  cursor: optional(isText),
}

/** @type {Record<string, Record<string, Test>>} */
export const fields = {
  initialize: {
    clientName: isText,
    resumeSessionId: optional(isText),
    replayAfter: optional((value) => isObject(value) && Object.values(value).every(isNumber)),
    credit: optional((value) => isObject(value) && Object.values(value).every(isCount)),
    takeover: optional(isFlag),
  },
  "process/start": {
    processId: isText,
    argv: isTexts,
    cwd: isText,
    env: isTextMap,
    tty: isFlag,
    pipeStdin: absent(isFlag),
    enforceManagedNetwork: absent(isFlag),
    arg0: optional(isText),
    envPolicy: optional(isObject),
    metadata: optional(isObject),
    managedNetwork: optional(isObject),
    networkProxy: optional(isObject),
    sandbox: optional(isObject),
    credit: optional((value) => isCount(value) && value >= 65_536),
    receipt: optional(isFlag),
    timeoutMs: optional(isTime),
    idleTimeoutMs: optional(isTime),
    killGraceMs: optional((value) => value === 0 || isTime(value)),
    signalOnTimeout: optional(isSignal),
    ending: optional(isFlag),
    history: optional((value) => isObject(value) && isCount(value.maxBytes)),
    name: optional(isName),
    labels: optional(isLabels),
    marks: optional(isFlag),
    keep: optional(isFlag),
  },
  "process/read": {
    processId: isText,
    afterSeq: optional(isNumber),
    maxBytes: optional(isNumber),
    waitMs: optional(isNumber),
  },
  "process/write": { processId: isText, chunk: isBase64, writeId: (value) => isText(value) && value !== "" },
  "process/signal": { processId: isText, signal: isSignal },
  "process/terminate": {
    processId: isText,
    signal: optional(isSignal),
    graceMs: optional((value) => value === 0 || isTime(value)),
    remove: optional(isFlag),
  },
  "process/attach": {
    processId: optional(isText),
    name: optional(isText),
    session: optional(isCount),
    sessionId: optional(isText),
    as: optional(isText),
    afterSeq: optional(isNumber),
    role: optional((value) => value === "viewer" || value === "writer"),
    take: optional(isFlag),
    policy: optional((value) => ["block", "skip", "screen"].includes(value)),
    credit: optional((value) => isCount(value) && value >= 65_536),
  },
  "process/detach": { processId: isText },
  "process/credit": { processId: isText, bytes: isCount },
  "process/wait": {
    processId: isText,
    afterSeq: optional(isNumber),
    until: (value) => Array.isArray(value) && value.every(isObject),
    timeoutMs: optional(isNumber),
    maxBytes: optional(isNumber),
  },
  "process/history": {
    processId: isText,
    from: optional(isPoint),
    to: optional(isPoint),
    maxBytes: optional(isNumber),
    tail: optional(isCount),
  },
  "process/grep": {
    processId: isText,
    pattern: isText,
    flags: optional(isText),
    from: optional(isPoint),
    to: optional(isPoint),
    before: optional(isCount),
    after: optional(isCount),
    maxMatches: optional(isCount),
  },
  "process/list": {
    ...listed,
    name: optional(isText),
    labels: optional(isTextMap),
    states: optional(
      (value) => isTexts(value) && value.every((/** @type {string} */ one) => states.includes(one)),
    ),
  },
  "session/list": listed,
  "environment/info": {},
  "environment/status": {},
}

/**
 * Refuses params that lack a field or hold something else in one.
 * @param {string} method
 * @param {any} params
 * @param {(name: string) => boolean} tolerates
 */
export const check = (method, params, tolerates) => {
  const known = fields[method] ?? {}
  const wanted = Object.entries(known)
  if (wanted.length === 0) return {}
  if (!isObject(params)) throw new Refused(invalidParams, "the params are no object")
  for (const [name, test] of wanted) {
    if (params[name] === undefined && !test(undefined))
      throw new Refused(invalidParams, `missing field \`${name}\``)
    if (!test(params[name])) throw new Refused(invalidParams, `the field ${name} has the wrong type`)
  }
  const stranger = Object.keys(params).find((name) => !(name in known) && !tolerates(name))
  if (stranger !== undefined) throw new Refused(invalidParams, `unknown field \`${stranger}\``)
  return params
}

/**
 * The path of a `file:` URI.
 * @param {string} uri
 */
export const path = (uri) => {
  const wrong = new Refused(invalidParams, `'${uri}' is no path`)
  if (!/^file:/i.test(uri) || /[?#]/.test(uri) || /^file:\/{2,3}[a-z]:/i.test(uri)) throw wrong
  try {
    return fileURLToPath(uri)
  } catch {
    throw wrong
  }
}
