// @ts-check
// Faults in messages whatever they are about, in the handshake, and in cancels.
import { coded, fault } from "./changes.mjs"

/** @import { WireFault } from "./changes.mjs" */
/** @import { Connection, Fault, Message } from "./relay.mjs" */

const cancelled = -32800

/** Every cancel. @param {(id: unknown, c: Connection, m: Message) => any} change @returns {Fault} */
const cancel = (change) => (c) => ({
  asked: (m) => (m.method === "request/cancel" ? change(m.params?.id, c, m) : undefined),
})

/** @param {unknown} id */
const cancelOf = (id) => ({ method: "request/cancel", params: { id } })

/** @param {Connection} c @param {unknown} id the method of the request with that id which waits */
const waits = (c, id) => c.waiting.get(JSON.stringify(id))?.method

/** @param {Connection} c @param {unknown} id */
const refuse = (c, id) => c.refuse({ id }, cancelled, "request was cancelled")

/** @type {readonly WireFault[]} */
export const envelopes = [
  fault`answered-twice: Every request is answered twice.
    environment/status-is-ready handshake/second-initialize-refused`
    .with({ everywhere: true })
    .by({ answered: (m) => [m, m] }),
  fault`id-as-string: The id of every answer is a text.
    envelope/integer-ids-echoed environment/status-is-ready`
    .with({ everywhere: true })
    .by({ answered: (m) => ({ ...m, id: String(m.id) }) }),
  fault`big-id-rounded: Ids are numbers of JavaScript, which hold 53 bits.
    envelope/64-bit-ids-echoed`.by({ answered: (m) => ({ ...m }) }),
  fault`error-as-text: An error is a text instead of an object with a code.
    process/read/missing-process-id-is-named handshake/second-initialize-refused
    process/read/unknown-process-refused`.by({
    answered: (m) => (m.error ? { ...m, error: m.error.message } : undefined),
  }),
  fault`error-code-wrong: Wrong params are refused with -32600.
    process/read/missing-process-id-is-named`.error(-32602, (m) => coded(m, -32600)),
  fault`unknown-method-ignored: A request with an unknown method has no answer.
    handshake/unknown-method-needs-no-handshake`.error(-32601, () => []),
  fault`violation-tolerated: Unknown notifications are ignored.
    handshake/violation/unknown-notification`.by({
    asked: ({ id, method }) =>
      id === undefined && !["initialized", "request/cancel"].includes(method) ? [] : undefined,
  }),
  fault`bad-json-ignored: A text that is no message has no answer.
    envelope/malformed-text-answered-with-minus-one envelope/batch-refused`.by({
    answered: ({ id }) => (id === -1 ? [] : undefined),
  }),
  fault`half-characters-mended: Half of a surrogate pair is taken for U+FFFD.
    envelope/half-character-refused`.by({
    asked: ({ params, ...m }) =>
      typeof params?.processId === "string" && /\p{Surrogate}/u.test(params.processId)
        ? { ...m, params: { ...params, processId: params.processId.replace(/\p{Surrogate}/gu, "\ufffd") } }
        : undefined,
  }),
  fault`dies-of-bad-json: A text that is no message ends the server.
    envelope/malformed-text-answered-with-minus-one`
    .with({ over: "stdio" })
    .by(({ server }) => ({ malformed: () => (server.die(), []) })),
  fault`input-as-latin1: What comes in is taken for Latin-1, a character for each byte.
    framing/split-and-joined-writes envelope/unicode-escapes-and-text`
    .with({ over: "stdio" })
    .by({ bytes: (bytes) => bytes.toString("latin1") }),
  fault`log-on-stdout: A line for people stands on the standard output.
    environment/status-is-ready`
    .with({ over: "stdio", everywhere: true })
    .by((c) => ({ opened: () => c.tell("the server is ready") })),
  fault`gate-open: Requests are answered before initialize.
    handshake/process-methods-refused-before-initialize`.by((c) => ({
    asked: (m) => {
      if (m.id === undefined || c.greeting.clientName !== undefined) return undefined
      c.greeting.clientName = "relay"
      return c.ask("initialize", c.greeting).then(() => [{ method: "initialized" }, m])
    },
  })),
  fault`cancel-for-initialized: A cancel stands for initialized.
    request/cancel/does-not-stand-for-initialized`.by(
    cancel((_id, c, m) => (c.ready ? undefined : [{ method: "initialized" }, m])),
  ),
  fault`cancel-ignored: A request that is cancelled waits on.
    request/cancel/ends-a-long-poll request/cancel/many-at-once`.by(cancel(() => [])),
  fault`cancel-of-all: A cancel ends every read that waits on its connection.
    request/cancel/many-at-once`.by(
    cancel((_id, { waiting }) => [...waiting.keys()].map((id) => cancelOf(JSON.parse(id)))),
  ),
  fault`cancel-of-everybody: A cancel reaches the requests of that id on every connection.
    request/cancel/of-its-connection-only`.by(
    cancel((id, c) => {
      for (const other of c.server.connections) if (other !== c) other.push(cancelOf(id))
    }),
  ),
  fault`cancel-of-unknown-ids: A cancel of a request that does not wait is answered with an error.
    request/cancel/other-ids-are-ignored`.by(cancel((id, c) => (waits(c, id) ? undefined : refuse(c, id)))),
  fault`cancel-of-writes: Whatever waits can be cancelled, also a write.
    request/cancel/what-has-an-effect-goes-on`.by((c) => {
    const gone = new Set()
    return {
      asked: ({ method, params }) => {
        if (method !== "request/cancel" || !waits(c, params?.id)) return undefined
        gone.add(params.id)
        return refuse(c, params.id)
      },
      answered: ({ id }) => (gone.delete(id) ? [] : undefined),
    }
  }),
  fault`cancel-remembered: A cancel also ends the request that comes later with its id.
    request/cancel/before-its-request`.by((c) => {
    const remembered = new Set()
    return {
      asked: ({ id, method, params }) => {
        if (method === "request/cancel" && !waits(c, params?.id)) remembered.add(params?.id)
        return id !== undefined && remembered.delete(id) ? refuse(c, id) : undefined
      },
    }
  }),
  fault`cancel-with-two-answers: A request that was cancelled is answered again when what it waited for comes.
    request/cancel/ends-a-long-poll`.by(cancel((id, c) => (waits(c, id) ? refuse(c, id) : undefined))),
  fault`cancel-wrong-code: A request that is cancelled is answered with -32600.
    request/cancel/ends-a-long-poll`.error(cancelled, (m) => coded(m, -32600)),
]
