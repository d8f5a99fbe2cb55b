/** Every transport with a fault, made from a good one, and a good one. */
import * as Effect from "effect/Effect"
import * as Framing from "../../../core/transport/Framing.ts"
import { giveBack } from "../../../core/protocol/MemoryPool.ts"
import * as Inbox from "../../../core/transport/Inbox.ts"
import * as Memory from "../../../core/transport/Memory.ts"
import type { Outgoing, Transport } from "../../../core/transport/Transport.ts"
import type { Pair, Raw } from "../TransportContext.ts"

interface Broken {
  /** The fault. */
  readonly does: string
  /** The case that has to fail, and what its reason says. */
  readonly caughtBy: string
  readonly reason: RegExp
  readonly pair: Pair
  readonly raw?: Raw
}

export const good: Pair = Memory.makePair()

/** Changes both ends in the same way. */
const both = (change: (end: Transport) => Transport): Pair =>
  Effect.map(good, ([left, right]) => [change(left), change(right)] as const)

/** Replaces `write`; each end gets its own. */
const writing = (make: (write: Transport["write"], end: Transport) => (message: Outgoing) => boolean): Pair =>
  both((end) => ({ ...end, write: make(end.write, end) }))

/** A raw end over lines, with a decoder that may have a fault. */
const rawLines = (push: () => (bytes: Uint8Array) => ReadonlyArray<string>): Raw =>
  Effect.gen(function* () {
    const inbox = yield* Inbox.make(() => {})
    const cut = push()
    return {
      transport: {
        label: "JSON-RPC message from a raw end",
        incoming: inbox.incoming,
        write: () => true,
        onDrain: () => {},
        close: Effect.sync(() => inbox.end()),
      },
      frame: (message) => Buffer.concat([message, Buffer.from("\n")]),
      send: (bytes) =>
        Effect.sync(() => {
          for (const line of cut(bytes)) inbox.offer(line)
        }),
      end: Effect.sync(() => inbox.end()),
    }
  })

const textOf = (message: Outgoing): string =>
  typeof message === "string" ? message : Buffer.from(message).toString()

export const broken: { readonly [name: string]: Broken } = {
  "message-dropped": {
    does: "drops every hundredth message",
    caughtBy: "transport/order/10000-messages-both-ways",
    reason: /message 99 should be .*"id":99.*"id":100|in vain for message 9901/,
    pair: writing((write) => {
      let count = 0
      return (message) => (++count % 100 === 0 ? true : write(message))
    }),
  },
  "message-repeated": {
    does: "delivers every tenth message twice",
    caughtBy: "transport/order/kept-by-a-hasty-writer",
    reason: /message 10 should be .*"id":10.*"id":9/,
    pair: writing((write) => {
      let count = 0
      return (message) => {
        if (++count % 10 === 0) write(message)
        return write(message)
      }
    }),
  },
  "messages-reordered": {
    does: "lets small messages overtake large ones",
    caughtBy: "transport/order/kept-among-small-and-large",
    reason: /message 0 should be .*"id":0.*"id":1/,
    pair: writing((write) => (message) => {
      if (message.length <= 10_000) return write(message)
      setTimeout(() => write(message), 1)
      return true
    }),
  },
  "memory-given-back-early": {
    does: "gives memory back while the message still waits",
    caughtBy: "transport/pressure/memory-is-used-again-when-sent",
    reason: /message 0 should be "0 0 .*/,
    pair: writing((write) => (message) => {
      setImmediate(() => write(message))
      if (typeof message !== "string") giveBack(message)
      return true
    }),
  },
  "message-cut": {
    does: "cuts messages at 16 MiB",
    caughtBy: "transport/message/huge",
    reason: /message 1 should be .*\(8500002\), and is .*\(\d+\)/,
    pair: writing((write) => (message) => write(textOf(message).slice(0, 8_388_608))),
  },
  "character-split": {
    does: "decodes each 4 KiB for itself, and so splits UTF-8 characters",
    caughtBy: "transport/message/characters-across-any-border",
    reason: /message [0-3] should be/,
    pair: writing((write) => (message) => {
      const bytes = Buffer.from(textOf(message))
      let text = ""
      for (let at = 0; at < bytes.length; at += 4_095) text += bytes.subarray(at, at + 4_095).toString()
      return write(text)
    }),
  },
  "bytes-as-numbers": {
    does: "prints bytes as a list of numbers",
    caughtBy: "transport/message/text-and-bytes-equal",
    reason: /message 1 should be .*"id":1.*and is 123,34/,
    pair: writing((write) => (message) => write(String(message))),
  },
  "blanks-trimmed": {
    does: "trims messages",
    caughtBy: "transport/message/blanks-kept",
    reason: /message 1 should be {2}\{\}, and is \{\}/,
    pair: writing((write) => (message) => write(textOf(message).trim())),
  },
  "never-false": {
    does: "answers true whatever waits",
    caughtBy: "transport/pressure/write-answers-false",
    reason: /64 MiB were accepted that nobody has taken/,
    pair: writing((write) => (message) => {
      write(message)
      return true
    }),
  },
  "drain-forgotten": {
    does: "never calls back a writer that waits",
    caughtBy: "transport/pressure/drain-calls-back",
    reason: /in vain for onDrain/,
    pair: both((end) => ({ ...end, onDrain: () => {} })),
  },
  "drain-cancelled": {
    does: "forgets a writer that waits when another write is answered with true",
    caughtBy: "transport/pressure/drain-calls-back-though-others-write",
    reason: /in vain for onDrain/,
    pair: both((end) => {
      let stalled = false
      let call = () => {}
      end.onDrain(() => {
        if (stalled) setTimeout(() => stalled && call(), 50)
      })
      return {
        ...end,
        onDrain: (listener) => (call = listener),
        write: (message) => {
          const room = end.write(message)
          stalled = !room
          return room
        },
      }
    }),
  },
  "close-half": {
    does: "closes its own side only",
    caughtBy: "transport/end/close-ends-both",
    reason: /in vain for the end of incoming/,
    pair: both((end) => ({ ...end, close: Effect.void })),
  },
  "lost-at-close": {
    does: "writes a little later, and forgets what waits when it is closed",
    caughtBy: "transport/end/written-before-is-delivered",
    reason: /what arrived: message \d+ should be \d+, and is missing/,
    pair: writing((write) => (message) => {
      setTimeout(() => write(message), 1)
      return true
    }),
  },
  "throws-at-the-end": {
    does: "throws when it is written to after the end",
    caughtBy: "transport/end/write-afterwards",
    reason: /the transport has ended/,
    pair: both((end) => {
      let closed = false
      return {
        ...end,
        close: Effect.andThen(
          Effect.sync(() => (closed = true)),
          end.close,
        ),
        write: (message) => {
          if (closed) throw new Error("the transport has ended")
          return end.write(message)
        },
      }
    }),
  },
  "chunks-decoded-alone": {
    does: "decodes each chunk for itself",
    caughtBy: "transport/framing/utf8-split-anywhere",
    reason: /cut at byte 3: wanted/,
    pair: good,
    raw: rawLines(() => {
      let rest = ""
      return (bytes) => {
        const lines = (rest + Buffer.from(bytes).toString()).split("\n")
        rest = lines.pop() ?? ""
        return lines
      }
    }),
  },
  "one-message-for-each-chunk": {
    does: "takes each chunk for one message",
    caughtBy: "transport/framing/many-in-one-chunk",
    reason: /message 0 should be/,
    pair: good,
    raw: rawLines(() => (bytes) => [
      Buffer.from(bytes).toString().trim(),
      "",
      ...Array<string>(200).fill(""),
    ]),
  },
  "rest-delivered": {
    does: "delivers the part of a message at the end",
    caughtBy: "transport/framing/cut-off-is-not-delivered",
    reason: /what was read: wanted/,
    pair: good,
    raw: rawLines(() => (bytes) => Buffer.from(bytes).toString().split("\n").filter(Boolean)),
  },
  "broken-utf8-accepted": {
    does: "replaces broken UTF-8 instead of failing",
    caughtBy: "transport/framing/utf8-broken-fails",
    reason: /wanted .*"InvalidUtf8"|in vain for the end of incoming/,
    pair: good,
    raw: rawLines(() => {
      const decoder = new Framing.LineDecoder()
      return (bytes) => decoder.push(Buffer.from(Buffer.from(bytes).toString()))
    }),
  },
}
