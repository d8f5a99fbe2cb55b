/** One connection between a client and the server: two pipes with a transport at each end, as over a socket. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Framing from "../../core/transport/Framing.ts"
import * as Inbox from "../../core/transport/Inbox.ts"
import type { Outgoing, Transport, TransportError } from "../../core/transport/Transport.ts"
import { Pipe, type Terms } from "./Pipe.ts"
import type { Seed } from "./Seed.ts"
import type { World } from "./World.ts"

export interface Watcher {
  /** A message of the client. */
  readonly up: (text: string) => void
  /** It has arrived at the server; `held`: which begins nothing now, because the client does not read. */
  readonly arrives: (text: string, held: boolean) => void
  /** A message of the server, and what is sent in its place. */
  readonly down: (text: string) => ReadonlyArray<string>
}

/** Milliseconds that the orderly end of a side may take. */
const closeMillis = 500

interface Side {
  readonly transport: Transport
  /** Its peer, or the network, has ended it. */
  readonly end: (error?: TransportError) => void
}

export class Link {
  /** True until one side has ended, or both. */
  readonly ends: { client: boolean; server: boolean } = { client: false, server: false }
  /** Until when the server had its side. */
  servedUntil = Infinity
  private stranded = false
  private injected: string | undefined
  /** Called when the client has lost its side, or has closed it. */
  atLoss = () => {}
  /** Called when the server has lost its side, or has closed it. */
  atServed = () => {}
  private readonly world: World
  private readonly seed: Seed
  private readonly terms: Terms
  private readonly watcher: Watcher
  private readonly endings: { client?: Side["end"]; server?: Side["end"] } = {}
  private readonly up: Pipe
  private readonly down: Pipe
  private readonly receivers: { [side in "client" | "server"]?: (bytes: Uint8Array) => boolean } = {}

  constructor(world: World, seed: Seed, terms: Terms, watcher: Watcher) {
    this.world = world
    this.seed = seed
    this.terms = terms
    this.watcher = watcher
    const receiver = (side: "client" | "server") => ({
      data: (bytes: Uint8Array) => this.receivers[side]?.(bytes) ?? true,
      end: () => this.endings[side]?.(),
    })
    this.up = new Pipe(world, seed.fork("up"), terms, receiver("server"))
    this.down = new Pipe(world, seed.fork("down"), terms, receiver("client"))
  }

  /** The transport of one side, which the scope closes. */
  open(side: "client" | "server", label: string): Effect.Effect<Transport, never, Scope.Scope> {
    const [to, from] = side === "client" ? [this.up, this.down] : [this.down, this.up]
    const { up, down } = this.watcher
    return Effect.gen({ self: this }, function* () {
      const decoder = new Framing.LineDecoder()
      const inbox = yield* Inbox.make((waiting) => {
        if (waiting === 0 && !this.ends[side]) from.read()
      }, this.world.soon)
      let longest = 0
      const excess = new Excess()
      this.world.memory.service.made?.({
        name: `messages that wait for room in the inbox of a ${side}`,
        size: () => (this.ends[side] ? undefined : inbox.waiting()),
        bound: () => longest + this.terms.segment,
      })
      const end = (error?: TransportError) => {
        if (this.ends[side]) return
        this.ends[side] = true
        if (side === "server") {
          this.servedUntil = this.world.now
          this.atServed()
        } else this.atLoss()
        inbox.end(error)
        to.drained()
      }
      this.endings[side] = end
      this.receivers[side] = (bytes) => {
        if (this.ends[side]) return true
        let room = true
        for (const line of decoder.push(bytes)) {
          if (side === "server") {
            this.watcher.arrives(line, to.isFull)
            excess.arrives()
          }
          longest = Math.max(longest, line.length)
          // The client fails its calls before it closes the connection.
          if (side === "client" && line === this.injected) this.atLoss()
          room = inbox.offer(line) && room
        }
        if (decoder.failure !== undefined) end(decoder.failure)
        return room
      }
      const write = (message: Outgoing) => {
        if (this.ends[side]) return true
        const text = typeof message === "string" ? message : (Framing.decodeText(message) ?? "")
        if (side === "server" && excess.sends(text, to.isFull))
          this.world.violate(
            "memory is bounded",
            `${label}: more than its ${this.terms.highWater} bytes wait`,
          )
        if (side === "client") up(text)
        for (const line of side === "client" ? [text] : down(text)) to.write(Framing.encodeLine(line))
        return !to.isFull
      }
      const onDrain = (listener: () => void) => {
        to.drained = listener
      }
      const close = this.closing(side, end, to)
      yield* Effect.addFinalizer(() => close)
      return { label, incoming: inbox.incoming, write, onDrain, close }
    })
  }

  /** Both sides lose the connection, each up to so many milliseconds later. */
  cut(skew: number): void {
    this.up.stop()
    this.down.stop()
    for (const side of ["client", "server"] as const)
      this.world.after(this.seed.between(0, skew), () => this.endings[side]?.())
  }

  /** One side loses the connection; the other one does not notice for so many milliseconds. */
  strand(lost: "client" | "server", notice: number): void {
    this.stranded = true
    this.up.swallow()
    this.down.swallow()
    this.endings[lost]?.()
    this.world.after(notice, () => this.cut(0))
  }

  /** Loses the connection in the middle of a message, after so many bytes more in one direction. */
  cutAfter(direction: "up" | "down", bytes: number, skew: number, cut: () => void): void {
    this[direction].breakAfter(bytes, () => {
      cut()
      this.cut(skew)
    })
  }

  /** The server sends a message that it has not written, for which the client ends the connection. */
  inject(text: string): void {
    this.injected = text
    if (!this.ends.server) this.down.write(Framing.encodeLine(text))
  }

  /** Nothing arrives until then. */
  freeze(until: number): void {
    this.up.freeze(until)
    this.down.freeze(until)
  }

  /** Since when the server has had more to send than the connection can carry; undefined if it has not. */
  get crowdedSince(): number | undefined {
    return this.down.crowdedSince
  }

  private closing(side: "client" | "server", end: () => void, to: Pipe): Effect.Effect<void> {
    let begun = false
    return Effect.callback<void>((resume) => {
      if (begun) return resume(Effect.void)
      begun = true
      end()
      const other = side === "client" ? "server" : "client"
      const over = () => {
        cancel()
        resume(Effect.void)
        // The other side of a stranded connection hears of nothing.
        if (!this.stranded) this.world.after(this.seed.between(...this.terms.delay), () => this.cut(0))
      }
      const cancel = this.world.after(closeMillis, over)
      to.flushed = over
      if (this.ends[other]) over()
      else to.finish()
    })
  }
}

const unasked = /^\{"method":"(process|http)\//
const notice = /^\{"method":"process\/(writer|detached)"/
const answer = /^\{"(id|error)"/

/**
 * Messages that a server sends unasked to a peer that does not keep up: no more than the one by which it hears of that.
 * Before the answer to a request it may tell a role, or the end of an attachment, on which that answer depends.
 */
class Excess {
  private beyond = 0
  /** Messages of the client without an answer. */
  private open = 0
  /** Notices that may still come. */
  private notices = 0

  arrives(): void {
    this.open += 1
    this.notices += 1
  }

  /** A message of the server; true if it must not send that to a peer for which too much waits. */
  sends(text: string, isFull: boolean): boolean {
    if (answer.test(text)) this.open -= 1
    if (!isFull) {
      this.beyond = 0
      this.notices = this.open
    } else if (notice.test(text) && this.notices > 0) this.notices -= 1
    else if (unasked.test(text)) this.beyond += 1
    return this.beyond > 1
  }
}
