/**
 * One connection as a case uses it: requests with checked replies, and everything that a proper client never sends.
 *
 * Guarantees: every message is in the transcript, and every wait has a deadline. A wire does nothing by itself: there
 * is no handshake and no order except what the case asks for.
 */
import * as Check from "../Check.ts"
import { pause } from "../Deadline.ts"
import { type Json, type JsonObject, isObject, parse } from "../Json.ts"
import type { Transcript } from "../Transcript.ts"
import type { Channel } from "./Channel.ts"
import * as Inbox from "./Inbox.ts"
import * as Reply from "./Reply.ts"

/** One connection. */
export interface Wire {
  /** The connection below, for what no client sends: malformed frames, pauses, an abrupt end. */
  readonly channel: Channel
  /** Everything that has arrived. */
  readonly inbox: Inbox.Inbox
  /** The deadline of a single wait, in milliseconds. */
  readonly timeoutMs: number
  /** The default environment of a child: a PATH, and the marker by which leftovers are found. */
  readonly childEnv: { readonly [name: string]: string }
  /** Ids that {@link Wire.begin} has made. */
  readonly asked: ReadonlySet<number>
  /** The method of every request that was sent, by id; `undefined` where one id was used for several methods. */
  readonly methods: ReadonlyMap<Json, string | undefined>
  /** Sends a text as one message, whatever it is. */
  readonly sendText: (text: string) => void
  /** Sends a JSON value as one message. */
  readonly send: (message: Json) => void
  /** Sends raw bytes: into the stream, or as one binary frame. */
  readonly sendBytes: (bytes: Uint8Array) => void
  /** Sends a request; the reply comes later. */
  readonly begin: (method: string, params?: Json) => Promise<Reply.Reply>
  /** Sends a request and returns its result, which must be `wanted` if that is given; an error fails the case. */
  readonly ok: (method: string, params?: Json, wanted?: JsonObject) => Promise<JsonObject>
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
  readonly exchange: (text: string) => Promise<Reply.Reply>
  /** `initialize` and `initialized`; returns the result of `initialize`. */
  readonly handshake: (params?: JsonObject) => Promise<JsonObject>
  /**
   * Waits for the end of the connection; no message may come after position `from` (by default: from now on). A server
   * on stdio may wait for EOF, so there it is enough that it does not answer any more and ends at EOF.
   */
  readonly endsSilently: (from?: number) => Promise<void>
  /** Sends `environment/status` and waits for the answer: everything that was sent before has been read. */
  readonly barrier: () => Promise<void>
}

/** The parts of a wire. */
export interface Parts {
  /** The connection. */
  readonly channel: Channel
  /** The inbox of the connection. */
  readonly inbox: Inbox.Inbox
  /** The record of sent messages. */
  readonly transcript: Transcript
  /** The number of the connection within the case, from 1. */
  readonly connection: number
  /** The deadline of a single wait, in milliseconds. */
  readonly timeoutMs: number
  /** The default environment of a child. */
  readonly childEnv: { readonly [name: string]: string }
}

/** The time, in milliseconds, that a server on stdio has for an answer that it must not give. */
const probeMs = 300

/** A connection that is open: nothing has been sent on it. */
export const make = (parts: Parts): Wire => {
  const { channel, inbox, timeoutMs } = parts
  const requests = makeRequests()
  const sendText = (text: string): void => {
    parts.transcript.add(parts.connection, "sent", text)
    requests.learn(text)
    channel.sendText(text)
  }
  const send = (message: Json): void => sendText(JSON.stringify(message))
  const begin = (method: string, params?: Json): Promise<Reply.Reply> => {
    const id = requests.next(method, params)
    let seen = inbox.messages.length
    send(params === undefined ? { id, method } : { id, method, params })
    const what = `the answer to ${method} (id ${id})`
    const reply = inbox.wait(what, timeoutMs, ({ messages }) => {
      // Each message is looked at once, however many requests wait.
      const from = seen
      seen = messages.length
      return Reply.find(messages, from, id)
    })
    reply.catch(() => undefined)
    return reply
  }
  const ok: Wire["ok"] = async (method, params, wanted) => {
    const { error, result } = await begin(method, params)
    if (error !== undefined) return Check.fail(`${method} was refused: ${error.code} ${error.message}`)
    if (wanted !== undefined) Check.equal(result, wanted, `the result of ${method}`)
    return Check.object(result, `the result of ${method}`)
  }
  return {
    channel,
    inbox,
    timeoutMs,
    childEnv: parts.childEnv,
    asked: requests.asked,
    methods: requests.methods,
    sendText,
    send,
    sendBytes: (bytes) => {
      const start = JSON.stringify(Buffer.from(bytes.subarray(0, 200)).toString("latin1"))
      parts.transcript.add(parts.connection, "sent", `${bytes.length} bytes: ${start}`)
      channel.sendBytes(bytes)
    },
    begin,
    ok,
    refused: async (method, params, code, message) => {
      const { error, result } = await begin(method, params)
      if (error === undefined)
        return Check.fail(
          `${method} had to be refused with ${code}, but has the result ${Check.show(result)}`,
        )
      Check.equal(error.code, code, `the code of the error of ${method} ("${error.message}")`)
      if (message !== undefined) Check.equal(error.message, message, `the message of the error of ${method}`)
      return error.message
    },
    terminateAll: () => {
      for (const request of requests.terminations()) channel.sendText(JSON.stringify(request))
    },
    exchange: (text) => {
      const start = inbox.messages.length
      sendText(text)
      const what = `a reply to ${text.slice(0, 80)}`
      return inbox.wait(what, timeoutMs, ({ messages }) => Reply.first(messages, start))
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
      await inbox.wait("the end of the connection", timeoutMs, ({ ended, messages }) => {
        const came = messages.slice(from)
        if (came.length > 0)
          Check.fail(`the connection had to end without a message, but this came: ${Inbox.showAll(came)}`)
        return ended()
      })
    },
    barrier: () => ok("environment/status").then(() => undefined),
  }
}

/** The requests of one connection: ids, the method of each, and the processes that were started. */
export interface Requests {
  /** The ids that `next` has given out. */
  readonly asked: ReadonlySet<number>
  /** The method of every request that was sent, by id; `undefined` where one id was used for several methods. */
  readonly methods: ReadonlyMap<Json, string | undefined>
  /** Gives out the id of another request. */
  readonly next: (method: string, params: Json | undefined) => number
  /** Remembers which method a text asks for, however the text was made. */
  readonly learn: (text: string) => void
  /** The requests that terminate every process that was started with an id of `next`. */
  readonly terminations: () => ReadonlyArray<Json>
}

/** Cases write small ids by hand; these do not meet them. */
const firstId = 1000

/** The method that terminates what a method has started. */
const terminators: ReadonlyMap<string, string> = new Map([
  ["process/start", "process/terminate"],
  ["command/exec", "command/exec/terminate"],
])

/** Longer texts, in characters, are not parsed for their method. */
const longText = 100_000

/** Nothing has been asked yet. */
const makeRequests = (): Requests => {
  const asked = new Set<number>()
  const methods = new Map<Json, string | undefined>()
  const started = new Map<Json, string>()
  return {
    asked,
    methods,
    next: (method, params) => {
      const id = firstId + asked.size
      asked.add(id)
      const terminator = terminators.get(method)
      if (terminator !== undefined && isObject(params)) started.set(params["processId"] ?? null, terminator)
      return id
    },
    learn: (text) => {
      const json = text.length > longText ? undefined : parse(text)
      if (!isObject(json)) return
      const { id, method } = json
      if (id === undefined || typeof method !== "string") return
      methods.set(id, methods.has(id) && methods.get(id) !== method ? undefined : method)
    },
    terminations: () =>
      [...started].map(([processId, method]) => ({ id: "finish", method, params: { processId } })),
  }
}
