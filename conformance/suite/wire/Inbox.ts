/**
 * Everything that has arrived on one connection, in order, and waits for more.
 *
 * Nothing is consumed: a wait looks at all messages, then at each new one, until one matches, the connection ends, or
 * nothing has arrived for the time of the deadline: how long a long answer takes is no failure.
 */
import { CheckFailure, show } from "../Check.ts"
import { within } from "../Deadline.ts"
import { parse, type Json } from "../Json.ts"
import type { Incoming } from "./Channel.ts"

/** A message that has arrived. */
export interface Message extends Incoming {
  /** Position among the messages of the connection. */
  readonly index: number
  /** `performance.now()` at arrival. */
  readonly at: number
  /** The parsed text; `undefined` if it is not JSON. */
  readonly json: Json | undefined
}

/** A WebSocket ping or pong that has arrived. */
export interface Control {
  /** One of the two. */
  readonly kind: "ping" | "pong"
  /** Its payload, as text. */
  readonly payload: string
  /** `performance.now()` at arrival. */
  readonly at: number
}

/** The arrivals on one connection. */
export interface Inbox {
  /** The messages, in the order of arrival. */
  readonly messages: ReadonlyArray<Message>
  /** The pings and pongs, in the order of arrival. */
  readonly controls: ReadonlyArray<Control>
  /** The end of the connection in words, once it has ended. */
  readonly ended: () => string | undefined
  /**
   * `pick` throws to fail the wait, and returns `undefined` to go on waiting. The wait fails when nothing has arrived
   * for `ms` milliseconds.
   */
  readonly wait: <A>(what: string, ms: number, pick: (inbox: Inbox) => A | undefined) => Promise<A>
  /** Takes a message from the channel. */
  readonly addMessage: (incoming: Incoming) => Message
  /** Takes a ping or a pong from the channel. */
  readonly addControl: (kind: "ping" | "pong", payload: string) => void
  /** The connection has ended; `how` is for error texts. Only the first call counts. */
  readonly end: (how: string) => void
}

/** An empty inbox. */
export const make = (): Inbox => {
  const messages: Array<Message> = []
  const controls: Array<Control> = []
  const watchers = new Set<() => void>()
  let ended: string | undefined
  const changed = (): void => {
    for (const watcher of watchers) watcher()
  }
  const inbox: Inbox = {
    messages,
    controls,
    ended: () => ended,
    wait: async (what, ms, pick) => {
      let watcher = (): void => undefined
      try {
        return await within(
          new Promise((resolve, reject) => {
            watcher = () => {
              try {
                const found = pick(inbox)
                if (found !== undefined) resolve(found)
                else if (ended !== undefined)
                  reject(new CheckFailure(`waited for ${what}, but ${ended}`, "gone"))
              } catch (error) {
                reject(error)
              }
            }
            watchers.add(watcher)
            watcher()
          }),
          ms,
          what,
          () => messages.at(-1)?.at ?? 0,
        )
      } finally {
        watchers.delete(watcher)
      }
    },
    addMessage: (incoming) => {
      const json = parse(incoming.text)
      const message = { ...incoming, index: messages.length, at: performance.now(), json }
      messages.push(message)
      changed()
      return message
    },
    addControl: (kind, payload) => {
      controls.push({ kind, payload, at: performance.now() })
      changed()
    },
    end: (how) => {
      ended ??= how
      changed()
    },
  }
  return inbox
}

/** The texts of some messages, for an error text. */
export const showAll = (messages: ReadonlyArray<Message>): string =>
  messages.length === 0 ? "nothing" : messages.map((message) => show(message.json ?? message.text)).join(" ")
