/**
 * The client's side over a WebSocket as browsers define it: the global one of Node 22, Bun and Deno, or one that the
 * caller makes (`ws` on Node 20, or one that sends headers).
 *
 * The standard WebSocket has three limits. It cannot pause reading: messages pile up in memory, and the transport fails
 * at 256 MiB (a WebSocket with `pause` and `resume` is paused instead). It cannot split a message into fragments, and
 * servers refuse frames over 16 MiB. It has no drain event, so its queue is polled (one with `onDrain` tells at once).
 */
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"
import { utf8Decoder } from "../../core/protocol/Bytes.ts"
import type { CutText } from "../../core/protocol/CutText.ts"
import * as Framing from "../../core/transport/Framing.ts"
import * as Inbox from "../../core/transport/Inbox.ts"
import {
  highWaterMark,
  type Outgoing,
  type Transport,
  TransportError,
} from "../../core/transport/Transport.ts"

/** The part of the events of a WebSocket that the transport uses. */
export interface WebSocketEvent {
  readonly type: string
  readonly data?: unknown
  readonly code?: number
  readonly message?: string
}

/** The part of a WebSocket that the transport uses. */
export interface WebSocketLike {
  binaryType: string
  readonly readyState: number
  readonly bufferedAmount: number
  send(data: string): void
  /** Sends UTF-8 as a text. Without it, the text itself is sent. */
  sendText?(utf8: Uint8Array): void
  close(code?: number): void
  addEventListener(
    type: "open" | "message" | "error" | "close",
    listener: (event: WebSocketEvent) => void,
  ): void
  pause?(): void
  resume?(): void
  unref?(): void
  received?(): number
  /** Calls the listener with each message as UTF-8, which it must not keep. Without it, "message" is listened to. */
  onMessage?(listener: (utf8: Uint8Array) => void): void
  /** Calls the listener when everything that was sent has been written. */
  onDrain?(listener: () => void): void
}

export interface Options {
  /** Makes the WebSocket; the default uses the global class. */
  readonly open?: (url: string) => WebSocketLike
  /** Cuts long base64 out of messages of a WebSocket with `onMessage`. Without it, all of them are texts. */
  readonly cut?: (message: Uint8Array) => CutText | undefined
}

const openDeadline = "10 seconds"
const closeDeadline = "500 millis"
const drainPoll = "5 millis"
const largestBacklog = 256 * 1024 * 1024
const decoder = utf8Decoder()
const isOpen = 1
const isClosed = 3

/** Connects; closing the scope ends the connection. */
export const connect = (
  url: string,
  { cut, open = openGlobal }: Options = {},
): Effect.Effect<Transport, TransportError, Scope.Scope> =>
  Effect.gen(function* () {
    const socket = yield* Effect.try({
      try: () => open(url),
      catch: (cause) => openError(url, cause instanceof Error ? cause.message : String(cause), cause),
    })
    let ended = false
    let stalled = false
    let drained = () => {}
    const stall = yield* Latch.make()
    const inbox = yield* Inbox.make((waiting) => {
      if (waiting === 0 && !ended) socket.resume?.()
    })

    const end = (error?: TransportError) => {
      ended = true
      inbox.end(error)
      release()
    }
    const fail = (reason: TransportError["reason"], message: string) => {
      end(new TransportError({ reason, message }))
      socket.close()
    }
    const release = () => {
      stall.closeUnsafe()
      if (!stalled) return
      stalled = false
      drained()
    }
    const receive = (text: string | CutText | undefined) => {
      if (ended) return
      if (text === undefined) return fail("InvalidUtf8", "message is not valid UTF-8")
      if (inbox.offer(text)) return
      if (socket.pause !== undefined) socket.pause()
      else if (inbox.waiting() > largestBacklog) fail("Io", "more was received than is taken")
    }
    const write = (message: Outgoing): boolean => {
      if (ended || socket.readyState !== isOpen) return true
      if (typeof message === "string") socket.send(message)
      else sendText(socket, message)
      // Stalled holds until the queue has drained: a later small message that fits must not hide it.
      if (socket.bufferedAmount >= highWaterMark) stalled = true
      if (stalled) stall.openUnsafe()
      return !stalled
    }

    socket.binaryType = "arraybuffer"
    listen(socket, cut, receive)
    socket.addEventListener("close", ({ code }) => end(errorOf(code)))
    let isOpened = false
    const close = yield* Effect.cached(
      Effect.sync(() => {
        end()
        // The error of one that has not opened may still be on its way to others.
        if (isOpened) socket.resume?.()
        socket.close(1000)
      }).pipe(Effect.andThen(closed(socket)), Effect.uninterruptible),
    )
    yield* Effect.addFinalizer(() => close)
    yield* opened(url, socket)
    isOpened = true
    const look = () => {
      if (socket.bufferedAmount < highWaterMark) release()
    }
    socket.onDrain?.(look)
    yield* Effect.sleep(drainPoll).pipe(Effect.map(look), stall.whenOpen, Effect.forever, Effect.forkScoped)
    return {
      label: `websocket JSON-RPC message from exec-server ${url.replace(/[?#].*/u, "")}`,
      incoming: inbox.incoming,
      ...(cut && { cut: inbox.cut }),
      write,
      onDrain: (listener) => {
        drained = listener
      },
      close,
      ...beyondStandard(socket),
    }
  })

/** Each message as a text, or without its long base64; undefined if it is not UTF-8. */
const listen = (
  socket: WebSocketLike,
  cut: Options["cut"],
  receive: (text: string | CutText | undefined) => void,
): void => {
  if (socket.onMessage === undefined)
    socket.addEventListener("message", ({ data }) =>
      receive(typeof data === "string" ? data : Framing.decodeText(new Uint8Array(data as ArrayBuffer))),
    )
  else socket.onMessage((message) => receive(cut?.(message) ?? Framing.decodeText(message)))
}

/** Sends UTF-8 as a text, as every server takes it: some do not take it as binary. */
const sendText = (socket: WebSocketLike, utf8: Uint8Array): void =>
  socket.sendText === undefined ? socket.send(decoder.decode(utf8)) : socket.sendText(utf8)

const beyondStandard = (socket: WebSocketLike): Pick<Transport, "received" | "unref"> => ({
  ...(socket.received === undefined ? {} : { received: () => socket.received?.() ?? 0 }),
  ...(socket.unref === undefined ? {} : { unref: () => socket.unref?.() }),
})

/** The WebSocket of the runtime. Throws where there is none. */
export const openGlobal = (url: string): WebSocketLike => {
  const { WebSocket } = globalThis as { WebSocket?: new (url: string) => WebSocketLike }
  if (WebSocket === undefined) throw new Error("this runtime has no global WebSocket")
  return new WebSocket(url)
}

const openError = (url: string, message: string, cause?: unknown): TransportError =>
  new TransportError({ reason: "Open", message: `cannot connect to ${url}: ${message}`, cause })

const opened = (url: string, socket: WebSocketLike): Effect.Effect<void, TransportError> =>
  Effect.callback<void, TransportError>((resume) => {
    const fail = ({ message }: WebSocketEvent) =>
      resume(Effect.fail(openError(url, message ? message : "connection failed")))
    socket.addEventListener("open", () => resume(Effect.void))
    socket.addEventListener("error", fail)
    socket.addEventListener("close", fail)
  }).pipe(Effect.timeoutOrElse({ duration: openDeadline, orElse: () => openError(url, "no answer") }))

const closed = (socket: WebSocketLike): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (socket.readyState === isClosed) return resume(Effect.void)
    socket.addEventListener("close", () => resume(Effect.void))
  }).pipe(Effect.interruptible, Effect.timeoutOption(closeDeadline), Effect.asVoid)

/** Servers end without a Close frame, so 1006 is an ordinary end. */
const errorOf = (code: number | undefined): TransportError | undefined => {
  if (code === 1007)
    return new TransportError({ reason: "InvalidUtf8", message: "message is not valid UTF-8" })
  if (code === 1009) return new TransportError({ reason: "MessageTooLarge", message: "message is too large" })
  return undefined
}
