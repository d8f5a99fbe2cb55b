/** A child of the holder as its server has it: events in order, seqs of chunks that the holder notes, and the handle. */
import * as Effect from "effect/Effect"
import { Places } from "../../../core/features/keep/HeldOutput.ts"
import * as SpawnError from "../../../core/spawn/SpawnError.ts"
import type * as Spawner from "../../../core/spawn/Spawner.ts"
import type { HolderLink, Listener } from "./HolderLink.ts"
import * as HolderWire from "./HolderWire.ts"

const { kinds } = HolderWire

export class LinkedChild implements Listener {
  /** True if the child outlives its server. */
  isNoted = false
  private readonly link: HolderLink
  private readonly number: number
  private readonly events: Spawner.SpawnEvents
  private readonly streams: Set<Spawner.OutputStream>
  /** Frames that wait: until whoever spawns has the handle, or while output is paused. */
  private waiting: Array<HolderWire.Frame> | undefined = []
  private opened = false
  private paused = false
  private skip: ((seq: number) => void) | undefined
  private readonly places: Places
  private exited = false
  private muted = false
  private lostIt = false

  constructor(link: HolderLink, number: number, pty: boolean, events: Spawner.SpawnEvents) {
    this.link = link
    this.number = number
    this.events = events
    this.places = new Places((n, seq) => link.send(HolderWire.place(kinds.placed, number, n, seq)))
    this.streams = new Set<Spawner.OutputStream>(pty ? ["pty"] : ["stdout", "stderr"])
  }

  /** Delivers retained output at once. */
  beginAdoption(skip: (seq: number) => void): void {
    this.skip = skip
    this.isNoted = true
    this.opened = true
    this.waiting = undefined
  }

  /** Delivers what waits, and from now on at once. */
  open(): void {
    this.opened = true
    this.flush()
  }

  /** Delivers nothing more. */
  mute(): void {
    this.muted = true
  }

  frame(frame: HolderWire.Frame): void {
    if (this.waiting === undefined) return this.deliver(frame)
    this.waiting.push(frame)
    if (frame.kind === kinds.exit) this.flush()
  }

  lost(): void {
    this.lostIt = true
    if (this.waiting === undefined) this.endByLoss()
    else this.flush()
  }

  /** Delivers what waits; during a pause only the exit, which waits for no reader. */
  private flush(): void {
    if (!this.opened || this.waiting === undefined) return
    const { waiting } = this
    while (waiting.length > 0 && (!this.paused || this.lostIt)) this.deliver(waiting.shift()!)
    if (this.lostIt) return this.endByLoss()
    if (!this.paused) {
      this.waiting = undefined
      return
    }
    const at = waiting.findIndex(({ kind }) => kind === kinds.exit)
    const [exit] = at < 0 ? [] : waiting.splice(at, 1)
    if (exit === undefined) return
    // The next server repeats this order.
    if (at > 0) this.link.send(HolderWire.place(kinds.exitAfter, this.number, this.places.last, 0))
    this.deliver(exit)
  }

  private endByLoss(): void {
    for (const stream of this.streams) this.end(stream)
    this.exit({ status: { kind: "signaled", signal: 9 } })
  }

  private deliver({ kind, payload }: HolderWire.Frame): void {
    if (this.muted) return
    if (kind === kinds.output) return this.output(payload)
    if (kind === kinds.end) return this.end(HolderWire.readStream(payload))
    if (kind === kinds.exit) return this.exit(HolderWire.readJson(payload))
    const [n, seq] = HolderWire.readPlace(payload)
    this.places.skip(n, seq)
    this.skip?.(seq)
  }

  private output(payload: Buffer): void {
    const { n, stream, bytes } = HolderWire.readOutput(payload)
    this.places.take(n)
    if (this.streams.has(stream)) this.events.output(stream, bytes)
  }

  private end(stream: Spawner.OutputStream): void {
    if (!this.streams.delete(stream) || this.muted) return
    this.events.end(stream)
    this.tell()
  }

  private exit({ status, ending }: HolderWire.Exited): void {
    if (this.exited || this.muted) return
    this.exited = true
    this.events.exit(status, ending)
    this.tell()
  }

  /** The holder knows when its server has heard of the whole end. */
  private tell(): void {
    if (this.exited && this.streams.size === 0)
      this.link.send(HolderWire.frame(kinds.told, this.number, nothing))
  }

  /** The handle. */
  toHandle(
    { outlived, pause, pid, resize }: HolderWire.Started,
    capabilities: Spawner.Capabilities,
  ): Spawner.ChildHandle {
    const { link, number } = this
    const ask = (kind: HolderWire.Kind, more?: Omit<HolderWire.Request, "id">) =>
      link.request(kind, number, more)
    const signaled = (reply: Effect.Effect<HolderWire.Reply | undefined>) =>
      Effect.flatMap(reply, (reply) =>
        reply?.error === undefined ? Effect.void : Effect.fail(signalError(reply.error)),
      )
    const is = (kind: HolderWire.Kind) => Effect.map(ask(kind), (reply) => reply?.is === true)
    return {
      pid,
      write: (bytes, writeId) =>
        Effect.flatMap(link.write(number, bytes, writeId), (reply) =>
          reply !== undefined && reply.error === undefined
            ? Effect.void
            : Effect.fail(
                new SpawnError.StdinError({
                  reason: reply?.error?.reason === "NotOpen" ? "NotOpen" : "Closed",
                }),
              ),
        ),
      queuesInput: true,
      endStdin: Effect.asVoid(ask(kinds.endStdin)),
      signal: (name) => signaled(ask(kinds.signal, { name })),
      kill: Effect.asVoid(ask(kinds.kill)),
      abandonOutput: Effect.suspend(() => {
        this.paused = false
        this.open()
        return Effect.asVoid(ask(kinds.abandonOutput))
      }),
      lingering: is(kinds.lingering),
      unread: is(kinds.flush),
      ...(outlived ? { outlived: is(kinds.outlived) } : {}),
      ...(resize && capabilities.resize
        ? { resize: (size: Spawner.TerminalSize) => signaled(ask(kinds.resize, { size })) }
        : {}),
      ...(pause
        ? {
            pause: () => {
              this.paused = true
              this.waiting ??= []
              link.send(HolderWire.frame(kinds.pause, number, nothing))
            },
            resume: () => {
              this.paused = false
              link.send(HolderWire.frame(kinds.resume, number, nothing))
              setImmediate(() => this.flush())
            },
          }
        : {}),
      keep: (about, endedMillis, nextSeq) => {
        this.isNoted = true
        this.places.nextSeq = nextSeq
        link.send(HolderWire.json(kinds.note, number, { about, endedMillis } satisfies HolderWire.Note))
        return () => this.places.moved()
      },
    }
  }
}

const nothing = new Uint8Array(0)

const signalError = ({ reason, message }: { readonly reason: string; readonly message: string }) =>
  new SpawnError.SignalError({ reason: reason as SpawnError.SignalError["reason"], message })
