/** One channel of an SSH connection: requests, windows, the input and the output of a program of the far side. */
import { constants } from "node:os"
import type { ExitStatus } from "../../../core/spawn/Spawner.ts"
import * as ChannelInput from "./ChannelInput.ts"
import type { Field, Reader } from "./Frames.ts"

/** What a channel reports. */
export interface ChannelEvents {
  /** Output: `err` is stderr. The bytes are valid during the call, and have to be granted again by `taken`. */
  readonly data: (stream: "out" | "err", bytes: Uint8Array) => void
  /** No output follows. */
  readonly end: () => void
  /** How the program has ended. */
  readonly exit: (status: ExitStatus) => void
  /** The channel is gone; `lost` if the connection is. Nothing follows. */
  readonly closed: (lost: boolean) => void
}

/** An open channel. */
export interface Channel {
  /** A request, which the server accepts; rejects if it does not. */
  readonly request: (name: string, ...fields: ReadonlyArray<Field>) => Promise<void>
  /** A request without an answer. */
  readonly tell: (name: string, ...fields: ReadonlyArray<Field>) => void
  /** Input, in call order; waits for the window. Rejects once nobody reads it. */
  readonly write: (bytes: Uint8Array) => Promise<void>
  /** Ends the input after the writes before. */
  readonly end: () => void
  /** So many bytes of output were taken: the server may send as many again. */
  readonly taken: (count: number) => void
  /** Gives the channel up. */
  readonly close: () => void
}

/** Sends a message. */
export type Send = (kind: number, ...fields: ReadonlyArray<Field>) => void

/** Takes a message for the channel. */
export type Receiver = (kind: number, fields: Reader) => void

/** The message that the connection is lost; SSH has none of this number. */
export const lost = 0

const message = {
  open: 90,
  opened: 91,
  refused: 92,
  window: 93,
  data: 94,
  extended: 95,
  eof: 96,
  close: 97,
  request: 98,
  success: 99,
  failure: 100,
}

/** Bytes of output that the server may send before they were taken. */
const windowBytes = 1 << 20
const packetBytes = 32_768

/** A signal without a name in SSH. */
const unnamed = 127

const signalOf = (name: string): number =>
  (constants.signals as Readonly<Record<string, number>>)[`SIG${name}`] ?? unnamed

/** What becomes of a channel. */
export interface Settle {
  readonly opened: (channel: Channel) => void
  readonly refused: (error: Error) => void
  /** Its number may be forgotten. */
  readonly gone: () => void
}

/** Asks for a channel with this number. */
export const make = (id: number, send: Send, events: ChannelEvents, settle: Settle): Receiver => {
  let [far, untold, closing, over] = [0, 0, false, false]
  const answers: Array<{ readonly done: () => void; readonly failed: (error: Error) => void }> = []
  const input = ChannelInput.make(
    (bytes) => send(message.data, far, bytes),
    () => send(message.eof, far),
  )
  const close = () => {
    input.close()
    if (!closing) send(message.close, far)
    closing = true
  }
  const finish = (isLost: boolean) => {
    if (over) return
    over = true
    if (!isLost) close()
    closing = true
    input.close()
    settle.gone()
    const error = new Error(isLost ? "the connection is lost" : "the channel is closed")
    for (const { failed } of answers.splice(0)) failed(error)
    settle.refused(error)
    events.closed(isLost)
  }
  const channel: Channel = {
    request: (name, ...fields) =>
      new Promise((done, failed) => {
        if (closing) return failed(new Error("the channel is closed"))
        answers.push({ done, failed })
        send(message.request, far, name, true, ...fields)
      }),
    tell: (name, ...fields) => {
      if (!closing) send(message.request, far, name, false, ...fields)
    },
    write: input.write,
    end: input.end,
    taken: (count) => {
      untold += count
      if (untold < windowBytes / 2 || closing) return
      send(message.window, far, untold)
      untold = 0
    },
    close,
  }
  const onRequest = (fields: Reader) => {
    const [name, wantsReply] = [fields.text(), fields.byte() === 1]
    if (name === "exit-status") events.exit({ kind: "exited", code: fields.number() & 0xff })
    else if (name === "exit-signal") events.exit({ kind: "signaled", signal: signalOf(fields.text()) })
    // Of OpenSSH: nobody reads the input any more.
    else if (name === "eow@openssh.com") input.close()
    if (wantsReply) send(message.failure, far)
  }
  const receivers: { readonly [kind: number]: (fields: Reader) => void } = {
    [message.opened]: (fields) => {
      far = fields.number()
      input.grow(fields.number(), fields.number())
      settle.opened(channel)
    },
    [message.refused]: (fields) => {
      over = true
      settle.gone()
      fields.number()
      settle.refused(new Error(fields.text()))
    },
    [message.window]: (fields) => input.grow(fields.number()),
    [message.data]: (fields) => events.data("out", fields.bytes()),
    [message.extended]: (fields) => {
      fields.number()
      events.data("err", fields.bytes())
    },
    [message.eof]: () => events.end(),
    [message.request]: onRequest,
    [message.success]: () => answers.shift()?.done(),
    [message.failure]: () => answers.shift()?.failed(new Error("the server refuses the request")),
    [message.close]: () => finish(false),
    [lost]: () => finish(true),
  }
  send(message.open, "session", id, windowBytes, packetBytes)
  return (kind, fields) => receivers[kind]?.(fields)
}
