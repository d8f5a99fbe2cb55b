/** A child of a holder: its output, and its facts for the next server. */
import { HeldOutput, type Adopter } from "../../../core/features/keep/HeldOutput.ts"
import type * as OutputLog from "../../../core/process/OutputLog.ts"
import { WriteIds } from "../../../core/process/StdinQueue.ts"
import { defaults } from "../../../core/protocol/Limits.ts"
import type * as Spawner from "../../../core/spawn/Spawner.ts"
import * as HolderWire from "./HolderWire.ts"

const { kinds } = HolderWire

/**
 * The output that is retained: as much as a server retains, and what a reader of the server may lag behind, so that
 * the next server can give all that the one before could.
 */
const capacity: OutputLog.Capacity = {
  bytes: defaults.retainedBytes + 256 * 1024,
  chunks: defaults.retainedChunks + 12_500,
}

/** Takes frames about the child. */
export type Send = (frame: Buffer) => void

export class HeldChild {
  /** The last note; undefined if the child ends with its server. */
  note: HolderWire.Note | undefined
  /** A server has heard of the exit and all ends. */
  told = false
  /** The size of its terminal. */
  size: Spawner.TerminalSize | undefined
  /** The writes of clients that it was given. */
  readonly writeIds = new WriteIds()
  /** The spawner's handle, once the child is started. */
  handle: Spawner.ChildHandle | undefined
  /** True while the server does not want output, and while the handle reads none. */
  unwanted = false
  paused = false
  /** True while a server knows what is left of it, and has not taken it over yet: it is paused, so that stays true. */
  listed = false
  readonly number: number
  readonly pty: boolean
  readonly output: HeldOutput
  private endedAtMs: number | undefined

  constructor(number: number, stdio: Spawner.Stdio) {
    this.number = number
    this.pty = stdio.kind === "pty"
    this.size = stdio.kind === "pty" ? stdio.size : undefined
    this.output = new HeldOutput(this.pty, capacity)
  }

  /** The events of the child. */
  get events(): Spawner.SpawnEvents {
    const { events } = this.output
    return {
      ...events,
      exit: (status, ending) => {
        this.endedAtMs = Date.now()
        events.exit(status, ending)
      },
    }
  }

  /** True while it has a server. */
  get served(): boolean {
    return this.output.taker !== undefined
  }

  /** Begins to send to a server. */
  serve(send: Send): void {
    this.output.taker = this.frames(send)
  }

  /** The server is gone. */
  leave(): void {
    this.output.taker = undefined
  }

  /** Sends everything that is retained, in its order. */
  replay(send: Send): void {
    this.output.replay(this.frames(send))
  }

  /** The facts of the child for the next server. */
  left(): HolderWire.LeftChild {
    const { endedAtMs, note, output, pty, size, writeIds } = this
    return { about: note?.about ?? "", lost: output.lost, pty, size, endedAtMs, writeIds: writeIds.list() }
  }

  private frames(send: Send): Adopter {
    const { number } = this
    return {
      skip: (n, seq) => send(HolderWire.place(kinds.skip, number, n, seq)),
      output: (n, stream, bytes) => send(HolderWire.output(number, n, stream, bytes)),
      end: (stream) =>
        send(HolderWire.frame(kinds.end, number, Uint8Array.of(HolderWire.streams.indexOf(stream)))),
      exit: (status, ending) => {
        const exited: HolderWire.Exited = { status, ...(ending === undefined ? {} : { ending }) }
        send(HolderWire.json(kinds.exit, number, exited))
      },
    }
  }
}
