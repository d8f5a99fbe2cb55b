/**
 * Why a WebSocket could not be opened, in words that say what to do: the server wants a token, answers otherwise, or
 * the port speaks TLS and the URL does not, or the other way round.
 *
 * The errors of the runtimes for the last two differ and say little, so the port is asked.
 */
import * as net from "node:net"
import * as nodeTls from "node:tls"
import * as Effect from "effect/Effect"
import { TransportError } from "../../../core/transport/Transport.ts"

/** An attempt that has failed. */
export interface Attempt {
  readonly url: string
  /** The HTTP status that the server has answered with. */
  readonly status?: number
  /** What it has said with it, in a text for people. */
  readonly words?: string
  readonly hasToken: boolean
}

/** How long the port may take to show what it speaks. */
const probeDeadline = "2 seconds"

/** Fails with the explanation, or with the error itself if there is none. */
export const explain = (attempt: Attempt, error: TransportError): Effect.Effect<never, TransportError> =>
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

/** What `open` finds; false if the connection ends, or nothing is found in time. */
const probe = (open: (found: (so: boolean) => void) => net.Socket): Effect.Effect<boolean> =>
  Effect.async<boolean>((resume) => {
    const found = (so: boolean) => {
      resume(Effect.succeed(so))
      socket.destroy()
    }
    const socket = open(found)
    socket.on("error", () => found(false)).on("close", () => found(false))
    return Effect.sync(() => socket.destroy())
  }).pipe(Effect.timeoutTo({ duration: probeDeadline, onSuccess: (so) => so, onTimeout: () => false }))
