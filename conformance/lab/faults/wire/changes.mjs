// @ts-check
// The parts of faults: changes of one kind of message.

/** @import { Connection, Fault, Hooks, Instead, Message } from "./relay.mjs" */

/**
 * A server that is wrong in one thing: ours behind a relay.
 * @typedef {object} WireFault
 * @property {string} name unique, in kebab-case
 * @property {string} says one sentence
 * @property {Fault} relay
 * @property {readonly string[]} cases the ids of the cases that must fail
 * @property {"stdio"} [over] what its cases are about, if not sockets
 * @property {(args: readonly string[]) => readonly string[]} [args] the arguments of the server, by those of the case
 * @property {true} [everywhere] it is in every message, so that nothing is unrelated
 * @property {true} [kernel] its cases need /proc
 * @property {number} [maxPayload] the most bytes of a message
 */

/** Notes on the process that a message is about. @typedef {Message} Known */

/**
 * Other params of a request.
 * @param {string} method
 * @param {(params: Message, known: Known) => Message} change
 * @returns {Hooks}
 */
export const params = (method, change) => ({
  asked: (m, known) => (m.method === method ? { ...m, params: change(m.params, known) } : undefined),
})

/**
 * Another result of a request.
 * @param {string} method
 * @param {(result: Message, params: Message, known: Known) => Message} change
 * @returns {Hooks}
 */
export const result = (method, change) => ({
  answered: (m, r, known) =>
    r.method === method && m.result !== undefined
      ? { ...m, result: change(m.result, r.params, known) }
      : undefined,
})

/**
 * Other params of a notification.
 * @param {string} method
 * @param {(params: Message, known: Known) => Message} change
 * @returns {Hooks}
 */
export const event = (method, change) => ({
  told: (m, known) => (m.method === method ? { ...m, params: change(m.params, known) } : undefined),
})

/** Notifications that never leave. @param {(told: Message, known: Known) => unknown} which @returns {Hooks} */
export const untold = (which) => ({ told: (m, known) => (which(m, known) ? [] : undefined) })

/** Errors that are answered instead. @param {number} code @param {(m: Message) => Instead} change @returns {Hooks} */
export const error = (code, change) => ({ answered: (m) => (m.error?.code === code ? change(m) : undefined) })

/** @param {Message} message @param {number} code */
export const coded = (message, code) => ({ ...message, error: { ...message.error, code } })

/** Every message of the server. @param {(message: Message) => Instead} change @returns {Hooks} */
export const sent = (change) => ({ answered: change, told: change })

/** The chunks of output, pushed and read. @param {(base64: string) => string} change @returns {Hooks} */
export const chunks = (change) => {
  const changed = (/** @type {Message} */ one) => ({ ...one, chunk: change(one.chunk) })
  return {
    ...event("process/output", changed),
    ...result("process/read", (read) => ({ ...read, chunks: read.chunks.map(changed) })),
  }
}

/** Receipts, sent and read. @param {(receipt: Message, known: Known) => Message} change @returns {Hooks} */
export const receipts = (change) => {
  const changed = (/** @type {Message} */ one, /** @type {Known} */ known) =>
    one.receipt === undefined ? one : { ...one, receipt: change(one.receipt, known) }
  return {
    ...event("process/closed", changed),
    ...result("process/read", (read, _, known) => changed(read, known)),
  }
}

/** @param {Message} of @param {(value: any, name: string) => any} change @returns {Message} */
export const mapped = (of, change) =>
  Object.fromEntries(Object.entries(of).map(([name, value]) => [name, change(value, name)]))

/** @param {Message} of @param {readonly string[]} names @returns {Message} */
export const less = (of, ...names) =>
  Object.fromEntries(Object.entries(of ?? {}).filter(([name]) => !names.includes(name)))

/** @param {string} base64 */
export const bytesOf = (base64) => Buffer.from(base64, "base64")

/** True if the last output ends within a line. @type {Hooks} */
export const openLines = {
  told: ({ method, params: { chunk } }, known) =>
    void (method === "process/output" && (known.open = bytesOf(chunk).at(-1) !== 10)),
}

/** The params of a resume. @param {(params: Message) => Message} change */
export const resume = (change) =>
  params("initialize", (asked) => (typeof asked?.resumeSessionId === "string" ? change(asked) : asked))

/** Ends the processes of a session. @param {Connection} c */
export const endAll = (c) => {
  const ids = [...(c.server.processes.get(c.session) ?? [])]
  return Promise.all(ids.map((processId) => c.ask("process/terminate", { processId })))
}

/** The same event with the seq of another one. @param {Message} one @param {Message} other */
export const at = (one, other) => ({ ...one, params: { ...one.params, seq: other.params.seq } })

/** The longest time, in milliseconds. */
export const longest = 2 ** 31 - 1

/** @template A @param {number} millis @param {A} value @returns {Promise<A>} */
export const later = (millis, value) => new Promise((resolve) => setTimeout(() => resolve(value), millis))

/** Several faults, one behind the other. @param {ReadonlyArray<Fault>} faults @returns {Fault} */
export const all =
  (...faults) =>
  (c) => {
    const every = faults.map((fault) => (typeof fault === "function" ? fault(c) : fault))
    /** @param {Message} message @param {(hooks: Hooks, message: Message) => any} change @returns {Instead} */
    const through = (message, change) =>
      every.reduce(
        (found, hooks) => found.flatMap((one) => change(hooks, one) ?? one),
        /** @type {Message[]} */ ([message]),
      )
    return {
      asked: (m, known) => through(m, (hooks, one) => hooks.asked?.(one, known)),
      answered: (m, r, known) => through(m, (hooks, one) => hooks.answered?.(one, r, known)),
      told: (m, known) => through(m, (hooks, one) => hooks.told?.(one, known)),
      left: () => Promise.all(every.map((hooks) => hooks.left?.())),
    }
  }

/** Other capabilities of the server. @param {Message} flags @returns {Hooks} */
export const announced = (flags) => {
  const changed = (/** @type {Message} */ info) => ({
    ...info,
    capabilities: { ...info.capabilities, ...flags },
  })
  return {
    answered: (m, { method }) => {
      if (m.result === undefined) return undefined
      if (method === "environment/info") return { ...m, result: changed(m.result) }
      if (method !== "initialize") return undefined
      return { ...m, result: { ...m.result, environmentInfo: changed(m.result.environmentInfo) } }
    },
  }
}

/**
 * The pid of a process on this machine, as lists have it.
 * @param {Connection} c
 * @param {string} id
 */
export const pidOf = async (c, id) => {
  const { result } = await c.ask("process/list", {})
  return result?.processes.find((/** @type {Message} */ row) => row.processId === id)?.pid
}

/** Signals one process, if it is there. @param {number} pid @param {NodeJS.Signals | 0} signal */
export const signalled = (pid, signal) => {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

const caseId = /^[\w-]+(\/[\w-]+)+$/

/**
 * A fault by its name, what it is, and the cases that notice it: ``fault`name: Says what. some/case other/case` ``.
 * One of its methods says how the relay does that.
 * @param {TemplateStringsArray} text
 */
export const fault = ({ raw: [text = ""] }) => {
  const [head = "", ...words] = text.split(/\s+/)
  const first = words.findLastIndex((word) => !caseId.test(word)) + 1
  return made({ name: head.slice(0, -1), says: words.slice(0, first).join(" "), cases: words.slice(first) })
}

/** @param {Omit<WireFault, "relay">} row */
const made = (row) => {
  const by = (/** @type {Fault} */ relay) => ({ ...row, relay })
  return {
    /** @param {Partial<WireFault>} more */
    with: (more) => made({ ...row, ...more }),
    by,
    /** @param {Parameters<typeof params>} args */
    params: (...args) => by(params(...args)),
    /** @param {Parameters<typeof result>} args */
    result: (...args) => by(result(...args)),
    /** @param {Parameters<typeof event>} args */
    event: (...args) => by(event(...args)),
    /** @param {Parameters<typeof untold>} args */
    untold: (...args) => by(untold(...args)),
    /** @param {Parameters<typeof error>} args */
    error: (...args) => by(error(...args)),
    /** @param {Parameters<typeof sent>} args */
    sent: (...args) => by(sent(...args)),
    /** @param {Parameters<typeof chunks>} args */
    chunks: (...args) => by(chunks(...args)),
    /** @param {Parameters<typeof receipts>} args */
    receipts: (...args) => by(receipts(...args)),
  }
}
