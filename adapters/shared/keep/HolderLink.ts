/** The server's end of the connection to its holder: the handshake, requests with their replies, and events. */
import type * as net from "node:net"
import * as Effect from "effect/Effect"
import * as FrameSocket from "./FrameSocket.ts"
import * as HolderWire from "./HolderWire.ts"
import { KeepProblem } from "./KeepProblem.ts"

const { kinds } = HolderWire

/** A connection to a holder that has welcomed this server. */
export interface HolderLink {
  readonly welcome: HolderWire.Welcome
  /** Notes that a session is open, or has ended. */
  readonly session: (id: string, open: boolean) => void
  /** The sessions of servers before. */
  readonly sessions: Effect.Effect<ReadonlyArray<string>>
  /** Sends a frame without an answer. */
  readonly send: (frame: Buffer) => void
  /** Sends a request. A reply of undefined: the connection has ended. It is sent once the effect runs. */
  readonly request: (
    kind: HolderWire.Kind,
    child: number,
    more?: Omit<HolderWire.Request, "id">,
  ) => Effect.Effect<HolderWire.Reply | undefined>
  /** Sends input. */
  readonly write: (
    child: number,
    bytes: Uint8Array,
    writeId?: string,
  ) => Effect.Effect<HolderWire.Reply | undefined>
  /** Sets the listener of the frames of a child, and of its end by that of the connection. */
  readonly listen: (child: number, listener: Listener) => void
  readonly unlisten: (child: number) => void
  /** A number for a child. */
  readonly take: () => number
  /** The children without a server. */
  readonly list: Effect.Effect<ReadonlyArray<readonly [number: number, child: HolderWire.LeftChild]>>
  readonly isOpen: () => boolean
  /** Sends what waits, and ends the connection. */
  readonly close: Effect.Effect<void>
}

/** The callbacks of a child. */
export interface Listener {
  readonly frame: (frame: HolderWire.Frame) => void
  /** The connection has ended, and this side has not closed it. */
  readonly lost: () => void
}

/** Options of `make`. */
export interface Options {
  readonly self: HolderWire.Identity
  readonly ttlMillis: number | undefined
  /** The longest time for the handshake, in milliseconds. */
  readonly helloMillis: number
  /** The connection has ended, and this side has not closed it: why. */
  readonly onLost: (why: string) => void
}

/** The bytes of one frame of input. */
const pieceBytes = 256 * 1024

/** The connection has ended before the holder has said anything: it was about to end. */
export class Gone extends Error {}

/** Takes a connected socket over. */
export const make = (
  socket: net.Socket,
  { self, ttlMillis, helloMillis, onLost }: Options,
): Effect.Effect<HolderLink, KeepProblem | Gone> =>
  Effect.callback((resume) => {
    const listeners = new Map<number, Listener>()
    const pending = new Map<number, (reply: HolderWire.Reply | undefined) => void>()
    let holder: HolderWire.Hello | undefined
    let link: HolderLink | undefined
    let [id, next] = [1, 1]
    let [open, closing] = [true, false]
    let why = "it has ended"
    let left: Array<readonly [number, HolderWire.LeftChild]> = []

    const refuse = (reason: KeepProblem["reason"], message: string) => {
      resume(Effect.fail(new KeepProblem({ reason, message })))
      socket.destroy()
    }
    const late = setTimeout(
      () => refuse("Unknown", `a holder accepts connections, but has said nothing within ${helloMillis} ms`),
      helloMillis,
    )
    const greeted = (hello: HolderWire.Hello) => {
      holder = hello
      if (hello.protocol > HolderWire.protocol)
        return refuse(
          "Newer",
          `the holder ${hello.pid} was started by a newer release: it speaks protocol ${hello.protocol}, this server ` +
            `${HolderWire.protocol}; it was left alone with its processes`,
        )
      const mine: HolderWire.ServerHello = { protocol: hello.protocol, features: 0, ...self, ttlMillis }
      frames.send(HolderWire.json(kinds.hello, 0, mine))
    }
    const handshake = ({ kind, payload }: HolderWire.Frame) => {
      if (kind === kinds.refused) {
        const { message, reason } = HolderWire.readJson<HolderWire.Refused>(payload)
        return refuse(reason === "Busy" ? "Busy" : "Broken", message)
      }
      if (kind === kinds.hello && holder === undefined) return greeted(HolderWire.readJson(payload))
      if (kind !== kinds.welcome || holder === undefined)
        throw new HolderWire.BrokenFrame(`a frame of the kind ${kind} before the welcome`)
      clearTimeout(late)
      const welcome = HolderWire.readJson<HolderWire.Welcome>(payload)
      next = welcome.next
      link = toLink(welcome)
      resume(Effect.succeed(link))
    }
    const remembersSessions = () => ((holder?.features ?? 0) & HolderWire.features.sessions) !== 0
    const frames = FrameSocket.make(socket, {
      frame: (frame) => {
        const { kind, child, payload } = frame
        if (link === undefined) return handshake(frame)
        if (kind === kinds.reply) {
          const reply = HolderWire.readJson<HolderWire.Reply>(payload)
          const answer = pending.get(reply.id)
          pending.delete(reply.id)
          return answer?.(reply)
        }
        if (kind === kinds.left) return void left.push([child, HolderWire.readJson(payload)])
        if (kind === kinds.refused) {
          why = HolderWire.readJson<HolderWire.Refused>(payload).message
          return
        }
        if (kind !== kinds.output && kind !== kinds.end && kind !== kinds.exit && kind !== kinds.skip)
          throw new HolderWire.BrokenFrame(`a frame of the unknown kind ${kind}`)
        listeners.get(child)?.frame(frame)
      },
      broken: (message) => {
        why = `it has not kept to the protocol: ${message}`
        if (link === undefined) refuse("Broken", `what listens there is no holder: ${message}`)
        else socket.destroy()
      },
      close: () => {
        clearTimeout(late)
        open = false
        if (link === undefined) return resume(Effect.fail(new Gone("the holder has ended")))
        for (const answer of pending.values()) answer(undefined)
        pending.clear()
        if (closing) return
        const all = [...listeners.values()]
        listeners.clear()
        onLost(why)
        for (const listener of all) listener.lost()
      },
    })
    const ask = (toFrames: (id: number) => ReadonlyArray<Buffer>) =>
      Effect.callback<HolderWire.Reply | undefined>((resume) => {
        if (!open) return resume(Effect.succeed(undefined))
        const mine = id
        // It has 32 bits in a write, and 0 stands for no request.
        id = (id % 0xffffffff) + 1
        pending.set(mine, (reply) => resume(Effect.succeed(reply)))
        for (const frame of toFrames(mine)) frames.send(frame)
      })
    const toLink = (welcome: HolderWire.Welcome): HolderLink => ({
      welcome,
      session: (id, open) => {
        if (remembersSessions())
          frames.send(HolderWire.json(kinds.session, 0, { id, open } satisfies HolderWire.Session))
      },
      sessions: Effect.suspend(() =>
        remembersSessions()
          ? Effect.map(
              ask((id) => [HolderWire.json(kinds.sessions, 0, { id })]),
              (reply) => reply?.sessions ?? [],
            )
          : Effect.succeed([]),
      ),
      send: frames.send,
      request: (kind, child, more = {}) => ask((id) => [HolderWire.json(kind, child, { id, ...more })]),
      write: (child, bytes, writeId = "") =>
        ask((last) => {
          // The reply to the last piece tells of all: who reads no more does not begin again.
          const pieces: Array<Buffer> = []
          for (let at = 0; at < bytes.length - pieceBytes; at += pieceBytes)
            pieces.push(HolderWire.write(child, 0, "", bytes.subarray(at, at + pieceBytes)))
          return [
            ...pieces,
            HolderWire.write(child, last, writeId, bytes.subarray(pieces.length * pieceBytes)),
          ]
        }),
      listen: (child, listener) => void listeners.set(child, listener),
      unlisten: (child) => void listeners.delete(child),
      take: () => next++,
      list: Effect.suspend(() => {
        left = []
        return Effect.map(
          ask((id) => [HolderWire.json(kinds.list, 0, { id })]),
          () => {
            const found = left
            left = []
            return found
          },
        )
      }),
      isOpen: () => open,
      close: Effect.callback((resume) => {
        closing = true
        if (!open) return resume(Effect.void)
        const forced = setTimeout(() => socket.destroy(), 1000)
        socket.once("close", () => {
          clearTimeout(forced)
          resume(Effect.void)
        })
        frames.end()
      }),
    })
    return Effect.sync(() => {
      clearTimeout(late)
      socket.destroy()
    })
  })
