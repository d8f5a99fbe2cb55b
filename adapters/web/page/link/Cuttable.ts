/**
 * A WebSocket that can be cut off: a browser waits for the other side before it tells that a connection has ended, and
 * after the sleep of a laptop there is no other side.
 */
import type { WebSocketEvent, WebSocketLike } from "../../WebSocketTransport.ts"

/** A WebSocket, and what ends it at once. */
export interface Cuttable extends WebSocketLike {
  /** Tells everybody that it is closed, whatever the network says. */
  readonly cut: () => void
}

type Listener = (event: WebSocketEvent) => void

const closed = 3

/** Wraps a WebSocket. */
export const wrap = (socket: WebSocketLike): Cuttable => {
  const listeners: Array<Listener> = []
  let isCut = false
  return {
    get binaryType() {
      return socket.binaryType
    },
    set binaryType(type) {
      socket.binaryType = type
    },
    get readyState() {
      return isCut ? closed : socket.readyState
    },
    get bufferedAmount() {
      return isCut ? 0 : socket.bufferedAmount
    },
    send: (data) => {
      if (!isCut) socket.send(data)
    },
    close: (code) => socket.close(code),
    addEventListener: (type, listener) => {
      if (type === "close") listeners.push(listener)
      socket.addEventListener(type, (event) => {
        if (!isCut) listener(event)
      })
    },
    cut: () => {
      if (isCut || socket.readyState === closed) return
      isCut = true
      for (const listener of listeners) listener({ type: "close", code: 1006 })
      socket.close()
    },
  }
}
