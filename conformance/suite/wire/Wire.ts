/**
 * One connection in the hands of a case: requests with checked replies, and everything that a proper client never sends.
 *
 * Guarantees: every message is in the transcript, every wait has a deadline. It does not follow the protocol by itself:
 * there is no handshake and no order except what the case asks for.
 */
import * as Check from "../Check.ts"
import { pause } from "../Deadline.ts"
import { isObject, parse, type Json, type JsonObject } from "../Json.ts"
import type { Transcript } from "../Transcript.ts"
import * as WireInvariants from "../WireInvariants.ts"
import type { Channel } from "./Channel.ts"
import * as Inbox from "./Inbox.ts"

export interface Refusal {
  readonly code: number
  readonly message: string
}

export interface Reply {
  readonly result?: Json
  readonly error?: Refusal
  readonly message: Inbox.Message
}

export interface Wire {
  readonly channel: Channel
  readonly inbox: Inbox.Inbox
  readonly timeoutMs: number
  /** Variables that every child gets unless the case says otherwise: a PATH, and the mark by which it is found again. */
  readonly childEnv: { readonly [name: string]: string }
  /** Ids that {@link Wire.begin} has made. */
  readonly asked: ReadonlySet<number>
  /** The method of every request that was sent, by id; `undefined` where one id was used for several methods. */
  readonly methods: ReadonlyMap<Json, string | undefined>
  readonly sendText: (text: string) => void
  readonly send: (message: Json) => void
  readonly sendBytes: (bytes: Uint8Array) => void
  /** Sends a request and goes on at once. */
  readonly begin: (method: string, params?: Json) => Promise<Reply>
  /** Sends a request and returns its result; an error fails the case. */
  readonly ok: (method: string, params?: Json) => Promise<JsonObject>
  /** Sends a request that must fail with `code`, and with exactly `message` if it is given. */
  readonly refused: (
    method: string,
    params: Json | undefined,
    code: number,
    message?: string,
  ) => Promise<string>
  /** Asks the server to end every process that was started here, without waiting. */
  readonly terminateAll: () => void
  /** Sends a raw text and returns the next reply, whatever its id. */
  readonly exchange: (text: string) => Promise<Reply>
  /** `initialize` and `initialized`; returns the result of `initialize`. */
  readonly handshake: (params?: JsonObject) => Promise<JsonObject>
  /**
   * Waits for the end of the connection; no message may come after position `from` (from now on, by default). A server on
   * stdio may wait for the end of its input, so there it is enough that it answers no more and ends with its input.
   */
  readonly endsSilently: (from?: number) => Promise<void>
  /** Waits until an answer shows that everything sent before has been looked at. */
  readonly barrier: () => Promise<void>
}

export interface Parts {
  readonly channel: Channel
  readonly inbox: Inbox.Inbox
  readonly transcript: Transcript
  readonly connection: number
  readonly timeoutMs: number
  readonly childEnv: { readonly [name: string]: string }
}

/** Cases write small ids by hand; the ones made here stay clear of them. */
const firstId = 1000

/** What ends the process that a method has started. */
const ends: ReadonlyMap<string, string> = new Map([
  ["process/start", "process/terminate"],
  ["command/exec", "command/exec/terminate"],
])

/** How long a server on stdio gets for an answer that it must not give. */
const probeMs = 300

const replyOf = (message: Inbox.Message): Reply | undefined => {
  const { json } = message
  if (!isObject(json) || json["method"] !== undefined) return undefined
  const { error, result } = json
  if (result !== undefined) return { result, message }
  if (!isObject(error)) return Check.fail(`a reply has neither result nor error: ${Check.show(json)}`)
  const code = Check.integer(error["code"], "the code of an error")
  return { error: { code, message: Check.text(error["message"], "the message of an error") }, message }
}

/** Longer texts are not looked into for the method that they ask for. */
const longText = 100_000

/** Keeps in mind which method a text asks for, however it was made. */
const learn = (methods: Map<Json, string | undefined>, text: string): void => {
  const json = text.length > longText ? undefined : parse(text)
  if (!isObject(json)) return
  const { id, method } = json
  if (id === undefined || typeof method !== "string") return
  methods.set(id, methods.has(id) && methods.get(id) !== method ? undefined : method)
}

/** The same id in another JSON type: a certain error, and one that would otherwise be a silent wait. */
const looksLike = (message: Inbox.Message, id: number): boolean =>
  isObject(message.json) && message.json["method"] === undefined && message.json["id"] === String(id)

export const make = (parts: Parts): Wire => {
  const { channel, inbox, timeoutMs } = parts
  const asked = new Set<number>()
  const methods = new Map<Json, string | undefined>()
  const started = new Map<Json, string>()
  let nextId = firstId
  const sendText = (text: string): void => {
    parts.transcript.add(parts.connection, "sent", text)
    learn(methods, text)
    channel.sendText(text)
  }
  const send = (message: Json): void => sendText(JSON.stringify(message))
  const begin = (method: string, params?: Json): Promise<Reply> => {
    const id = nextId++
    asked.add(id)
    const end = ends.get(method)
    if (end !== undefined && isObject(params)) started.set(params["processId"] ?? null, end)
    const from = inbox.messages.length
    send(params === undefined ? { id, method } : { id, method, params })
    const reply = inbox.wait(`the answer to ${method} (id ${id})`, timeoutMs, ({ messages }) => {
      for (let at = from; at < messages.length; at++) {
        const message = messages[at]
        if (message === undefined) continue
        if (WireInvariants.answers(message, id)) return replyOf(message)
        if (looksLike(message, id)) Check.fail(`the id ${id} came back as the string "${id}"`)
      }
      return undefined
    })
    reply.catch(() => undefined)
    return reply
  }
  const ok = async (method: string, params?: Json): Promise<JsonObject> => {
    const { error, result } = await begin(method, params)
    if (error !== undefined) return Check.fail(`${method} was refused: ${error.code} ${error.message}`)
    return Check.object(result, `the result of ${method}`)
  }
  return {
    channel,
    inbox,
    timeoutMs,
    childEnv: parts.childEnv,
    asked,
    methods,
    sendText,
    send,
    sendBytes: (bytes) => {
      const start = Buffer.from(bytes.subarray(0, 200)).toString("latin1")
      parts.transcript.add(parts.connection, "sent", `${bytes.length} bytes: ${JSON.stringify(start)}`)
      channel.sendBytes(bytes)
    },
    begin,
    ok,
    refused: async (method, params, code, message) => {
      const { error, result } = await begin(method, params)
      if (error === undefined) {
        return Check.fail(
          `${method} had to be refused with ${code}, but gave the result ${Check.show(result)}`,
        )
      }
      Check.equal(error.code, code, `the code of the error of ${method} ("${error.message}")`)
      if (message !== undefined) Check.equal(error.message, message, `the message of the error of ${method}`)
      return error.message
    },
    terminateAll: () => {
      for (const [processId, method] of started) {
        channel.sendText(JSON.stringify({ id: "finish", method, params: { processId } }))
      }
    },
    exchange: (text) => {
      const from = inbox.messages.length
      sendText(text)
      return inbox.wait(`a reply to ${text.slice(0, 80)}`, timeoutMs, ({ messages }) => {
        for (const message of messages.slice(from)) {
          const reply = replyOf(message)
          if (reply !== undefined) return reply
        }
        return undefined
      })
    },
    handshake: async (params = { clientName: "procwire-conformance" }) => {
      const result = await ok("initialize", params)
      send({ method: "initialized" })
      return result
    },
    endsSilently: async (from = inbox.messages.length) => {
      if (channel.kind === "stdio") {
        send({ id: "probe", method: "environment/status" })
        await pause(probeMs)
        channel.close()
      }
      await inbox.wait("the end of the connection", timeoutMs, (box) => {
        const came = box.messages.slice(from)
        if (came.length > 0)
          Check.fail(`the connection had to end without a word, but this came: ${Inbox.showAll(came)}`)
        return box.ended()
      })
    },
    barrier: async () => {
      await ok("environment/status")
    },
  }
}
