/**
 * Client connections through the package `ws`, for every runtime. Unlike the global WebSocket they can send headers,
 * pause reading, and split a message over a server's limit of 16 MiB per frame into fragments.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Scope from "effect/Scope"
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { type ClientOptions, WebSocket } from "real-ws"
import * as HttpHeaders from "../../../core/client/HttpHeaders.ts"
import { cutNotification } from "../../../core/protocol/CutText.ts"
import { giveBack } from "../../../core/protocol/MemoryPool.ts"
import { encodeText } from "../../../core/transport/Framing.ts"
import { maxMessageBytes, type Transport, type TransportError } from "../../../core/transport/Transport.ts"
import type { ClientTls } from "./ClientTls.ts"
import { toNode } from "./Tls.ts"
import { maxFrameBytes } from "./WebSocketFrames.ts"
import * as UpgradeFailure from "./UpgradeFailure.ts"
import * as WebSocketTransport from "../../web/WebSocketTransport.ts"

/** How to connect: TLS, and headers of the upgrade. */
export interface Options extends ClientTls {
  /** Sent with the upgrade, such as `authorization`: all that `fetch` takes. */
  readonly headers?: HttpHeaders.HttpHeaders
  /** Sent with the upgrade as `authorization: Bearer TOKEN`. */
  readonly token?: string
}

/** How parts of a fleet connect to each other. */
export interface PlainOptions extends Options {
  /**
   * Every frame has the mask zero, so that neither end computes with its bytes. Masks keep scripts of web pages from
   * sending bytes of their choice to proxies; programs send JSON, which is no request of HTTP.
   */
  readonly plain?: boolean
}

/** Connects to a `ws://` or `wss://` URL; closing the scope ends the connection. */
export const connect = (
  url: string,
  { headers, token, plain = false, ...tls }: PlainOptions = {},
): Effect.Effect<Transport, TransportError, Scope.Scope> =>
  Effect.suspend(() => {
    const upgrade: { status?: number; words?: string } = {}
    const open = (address: string) => {
      const socket = new FragmentingWebSocket(address, {
        perMessageDeflate: false,
        maxPayload: maxMessageBytes,
        ...toNode(tls),
        ...(plain ? { generateMask: () => {} } : {}),
        headers: {
          ...toRecord(headers),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
      })
      socket.on("unexpected-response", (_, response) => {
        if (response.statusCode !== undefined) upgrade.status = response.statusCode
        readWords(response, (words) => {
          if (words !== "") upgrade.words = words
          socket.terminate()
        })
      })
      return socket
    }
    return Effect.catchAll(
      WebSocketTransport.connect(url, { open, ...(plain ? {} : { cut: cutNotification }) }),
      (error) => UpgradeFailure.explain({ url, ...upgrade, hasToken: token !== undefined }, error),
    )
  })

/** How long the text of a refusal is waited for, in milliseconds, and how many bytes of it are taken. */
const refusal = { millis: 1000, bytes: 1024 }

/** Tells the text with which a server refuses an upgrade; empty if it has none for people. */
const readWords = (response: IncomingMessage, tell: (words: string) => void): void => {
  const isText = /^text\/plain\b/i.test(response.headers["content-type"] ?? "")
  let words = ""
  const done = () => {
    clearTimeout(timer)
    response.off("end", done).off("close", done)
    tell(isText ? words.trim() : "")
  }
  const timer = setTimeout(done, refusal.millis)
  response
    .on("end", done)
    .on("close", done)
    .on("error", () => {})
  response.on("data", (bytes: Buffer) => {
    words = (words + bytes.toString("utf8")).slice(0, refusal.bytes)
  })
}

/** Repeated names are joined, as `Headers` joins them. What is no header was refused before. */
const toRecord = (headers: Options["headers"]): Readonly<Record<string, string>> => {
  const record: Record<string, string> = {}
  for (const { name, value } of Either.getOrElse(HttpHeaders.toList(headers), () => []))
    record[name] = Object.hasOwn(record, name) ? `${record[name]}, ${value}` : value
  return record
}

/** A text of this length fits into one frame: UTF-8 takes at most three bytes per UTF-16 unit. */
const alwaysFits = Math.floor(maxFrameBytes / 3)

class FragmentingWebSocket extends WebSocket {
  #socket: Socket | undefined

  constructor(url: string, options: ClientOptions) {
    super(url, options)
    this.once("upgrade", ({ socket }) => (this.#socket = socket))
  }

  /** Bytes that have come from the server. */
  received(): number {
    return this.#socket?.bytesRead ?? 0
  }

  onMessage(listener: (utf8: Uint8Array) => void): void {
    this.on("message", (data) =>
      listener(data instanceof ArrayBuffer ? new Uint8Array(data) : (data as Buffer)),
    )
  }

  /** Calls the listener when everything that was sent has been written. */
  onDrain(listener: () => void): void {
    this.#socket?.on("drain", listener)
  }

  /** Lets the program end while this connection is open. */
  unref(): void {
    this.#socket?.unref()
  }

  override send(text: string): void {
    if (text.length <= alwaysFits) super.send(text)
    else this.sendText(encodeText(text))
  }

  sendText(utf8: Uint8Array): void {
    const written = (error?: Error) => {
      // Of a stream that has failed the system may still hold some.
      if (!error) giveBack(utf8)
    }
    for (let at = 0; at < utf8.length; at += maxFrameBytes) {
      const end = at + maxFrameBytes
      const isLast = end >= utf8.length
      super.send(utf8.subarray(at, end), { binary: false, fin: isLast }, isLast ? written : undefined)
    }
  }
}
