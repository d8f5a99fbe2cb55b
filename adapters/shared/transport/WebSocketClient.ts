/**
 * Client connections through the package `ws`, for every runtime. Unlike the global WebSocket they can send headers,
 * pause reading, and split a message over a server's limit of 16 MiB per frame into fragments.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { type ClientOptions, WebSocket } from "real-ws"
import * as HttpHeaders from "../../../core/client/HttpHeaders.ts"
import { cutNotification } from "../../../core/protocol/CutText.ts"
import { giveBack } from "../../../core/protocol/MemoryPool.ts"
import { encodeText } from "../../../core/transport/Framing.ts"
import { maxMessageBytes, type Transport, TransportError } from "../../../core/transport/Transport.ts"
import type { ClientTls } from "./ClientTls.ts"
import { toNode } from "./Tls.ts"
import { maxFrameBytes } from "./WebSocketFrames.ts"
import * as WebSocketTransport from "../../web/WebSocketTransport.ts"
import * as net from "node:net"
import * as nodeTls from "node:tls"

/** Options of a connection: TLS, and headers of the upgrade. */
export interface Options extends ClientTls {
  /** Sent with the upgrade, such as `authorization`: all that `fetch` takes. */
  readonly headers?: HttpHeaders.HttpHeaders
  /** Sent with the upgrade as `authorization: Bearer TOKEN`. */
  readonly token?: string
}

/** Options of a connection between parts of a fleet. */
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
    return Effect.catch(
      WebSocketTransport.connect(url, { open, ...(plain ? {} : { cut: cutNotification }) }),
      (error) => explain({ url, ...upgrade, hasToken: token !== undefined }, error),
    )
  })

/** The longest wait for the text of a refusal, in milliseconds, and the most bytes of it. */
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

/** Repeated names are joined, as `Headers` joins them. Invalid headers were refused before. */
const toRecord = (headers: Options["headers"]): Readonly<Record<string, string>> => {
  const record: Record<string, string> = {}
  for (const { name, value } of Result.getOrElse(HttpHeaders.toList(headers), () => []))
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

interface Attempt {
  readonly url: string
  /** The HTTP status that the server has answered with. */
  readonly status?: number
  readonly words?: string
  readonly hasToken: boolean
}

/** The longest time of the port to show its protocol. */
const probeDeadline = "2 seconds"

/**
 * Fails with the explanation, or with the error itself if there is none: the server wants a token, answers otherwise,
 * or the port speaks TLS and the URL does not, or the other way round. The errors of the runtimes for the last two
 * differ and say little, so the port is asked.
 */
const explain = (attempt: Attempt, error: TransportError): Effect.Effect<never, TransportError> =>
  Effect.gen(function* () {
    const { url, status, words, hasToken } = attempt
    const because = (why: string, reason: TransportError["reason"] = "Open") =>
      Effect.fail(new TransportError({ reason, message: `cannot connect to ${url}: ${why}`, cause: error }))
    if (status === 401) {
      const why = hasToken ? "the server refuses the token" : "the server wants a token"
      return yield* because(`${why} (HTTP status 401)`, "Unauthorized")
    }
    // A procwire that is there, and takes no more connections, says why.
    if (status === 503 && words !== undefined) return yield* because(words)
    if (status !== undefined) return yield* because(`no WebSocket is there (HTTP status ${status})`)
    const address = addressOf(url)
    if (address === undefined) return yield* Effect.fail(error)
    const { secure, ...port } = address
    const wrong = yield* secure ? speaksHttp(port) : speaksTls(port)
    if (!wrong) return yield* Effect.fail(error)
    const other = url.replace(/^wss?:/i, secure ? "ws:" : "wss:")
    return yield* because(`the port speaks ${secure ? "no TLS" : "TLS"}: use ${other}`)
  })

interface Address {
  readonly host: string
  readonly port: number
}

const addressOf = (url: string): (Address & { readonly secure: boolean }) | undefined => {
  if (!URL.canParse(url)) return undefined
  const { protocol, hostname, port } = new URL(url)
  const secure = protocol === "wss:"
  return {
    secure,
    host: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port === "" ? (secure ? 443 : 80) : port),
  }
}

/** True if a TLS handshake succeeds, whoever the server is. */
const speaksTls = ({ host, port }: Address): Effect.Effect<boolean> =>
  probe((found) => {
    const socket = nodeTls.connect({ host, port, rejectUnauthorized: false })
    return socket.on("secureConnect", () => found(true))
  })

/** True if an HTTP request without TLS has an answer. */
const speaksHttp = ({ host, port }: Address): Effect.Effect<boolean> =>
  probe((found) => {
    const socket = net.connect({ host, port })
    socket.on("connect", () => socket.write(`GET / HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`))
    return socket.on("data", (bytes: Buffer) => found(bytes.toString("latin1").startsWith("HTTP/")))
  })

/** The result of `open`; false if the connection ends, or nothing is found in time. */
const probe = (open: (found: (so: boolean) => void) => net.Socket): Effect.Effect<boolean> =>
  Effect.callback<boolean>((resume) => {
    const found = (so: boolean) => {
      resume(Effect.succeed(so))
      socket.destroy()
    }
    const socket = open(found)
    socket.on("error", () => found(false)).on("close", () => found(false))
    return Effect.sync(() => socket.destroy())
  }).pipe(Effect.timeoutOrElse({ duration: probeDeadline, orElse: () => Effect.succeed(false) }))
