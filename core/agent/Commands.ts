/**
 * The known commands, those that run and those that have ended: their state, and their output to be read again. Both
 * are bounded: the oldest ended commands go first, then the oldest output of the command that has most.
 */
import type * as Clock from "effect/Clock"
import type { About, Observer, Session } from "./Session.ts"
import { Transcript } from "./Transcript.ts"

/** The most ended commands that are known. */
export const mostEnded = 64

/** The bound on kept output, in bytes: the default for one command, and for all as a multiple of that. */
export const outputBytes = { usual: 8 * 1024 * 1024, least: 64 * 1024, commands: 8 }

/** The reasons for which the tools end a command. */
export type Stopping =
  /** Its `timeout_ms`. */
  | "timeout"
  /** `stop_command`. */
  | "stop"
  /** A cancelled call with `kill_on_cancel`. */
  | "cancel"

/** The state of a command. */
export type State =
  | { readonly kind: "running" }
  | { readonly kind: "exited"; readonly exitCode: number }
  | { readonly kind: "lost"; readonly failure: string }

/** A command, and what it has printed. */
export class Known implements Observer {
  /** Its identity. */
  readonly about: About
  /** Its output, as far as it is kept. */
  readonly transcript: Transcript
  /** In milliseconds of the clock. */
  readonly startedAt: number
  /** In milliseconds of the clock; undefined while it runs. */
  endedAt: number | undefined
  /** Its state. */
  state: State = { kind: "running" }
  /** Set while the tools end it, and once they have. */
  stopping: Stopping | undefined
  /** The process of a shell that runs one text after another; what else it has is in the background. */
  shellPid: number | undefined
  /** The bytes of its output that have been in replies. */
  replied = 0
  private readonly changed: (change: Change, grown: number) => void
  private readonly clock: Clock.Clock

  constructor(about: About, mostBytes: number, clock: Clock.Clock, changed: Known["changed"]) {
    this.about = about
    this.transcript = new Transcript(mostBytes)
    this.clock = clock
    this.startedAt = clock.currentTimeMillisUnsafe()
    this.changed = changed
  }

  output(bytes: Uint8Array): void {
    const before = this.transcript.kept
    this.transcript.push(bytes)
    this.changed({ kind: "output", id: this.about.id }, this.transcript.kept - before)
  }

  ended(session: Session): void {
    const { exitCode, failure = "", endedBy } = session
    this.endedAt ??= this.clock.currentTimeMillisUnsafe()
    this.state = exitCode === undefined ? { kind: "lost", failure } : { kind: "exited", exitCode }
    if (endedBy === "timeout") this.stopping ??= "timeout"
    if (endedBy === "exit") this.stopping = undefined
    this.changed({ kind: "output", id: this.about.id }, 0)
  }

  /** Milliseconds that it has run. */
  get millis(): number {
    return (this.endedAt ?? this.clock.currentTimeMillisUnsafe()) - this.startedAt
  }
}

/** A change: of the output or the state of a command, or of the list of commands. */
export type Change = { readonly kind: "output"; readonly id: number } | { readonly kind: "list" }

/** Hears of changes. */
export type Listener = (change: Change) => void

/** The commands that are known. */
export class Commands {
  private readonly known = new Map<number, Known>()
  private readonly listeners = new Set<Listener>()
  private readonly clock: Clock.Clock
  private readonly mostBytes: number
  /** The bytes of all output that is kept. */
  private kept = 0

  constructor(clock: Clock.Clock, mostBytes = outputBytes.usual) {
    this.clock = clock
    this.mostBytes = Math.max(mostBytes, outputBytes.least)
  }

  /** A command that begins. One of the same id is not known any more. */
  begin(about: About): Known {
    const known = new Known(about, this.mostBytes, this.clock, (change, grown) => {
      if (this.known.get(about.id) === known) this.kept += grown
      if (this.kept > this.mostBytes * outputBytes.commands) this.trim()
      this.tell(change)
    })
    this.forget(about.id)
    this.known.set(about.id, known)
    this.trim()
    this.tell({ kind: "list" })
    return known
  }

  /** Undefined if it is not known. */
  get(id: number): Known | undefined {
    return this.known.get(id)
  }

  /** In the order of their starts. */
  get all(): ReadonlyArray<Known> {
    return [...this.known.values()]
  }

  /** Calls the listener after each change, until what it returns is called. */
  listen(listener: Listener): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  private tell(change: Change): void {
    for (const listener of this.listeners) listener(change)
  }

  private forget(id: number): void {
    this.kept -= this.known.get(id)?.transcript.kept ?? 0
    this.known.delete(id)
  }

  private trim(): void {
    const most = this.mostBytes * outputBytes.commands
    const ended = this.all.filter(({ state }) => state.kind !== "running")
    for (const [index, { about }] of ended.entries()) {
      if (ended.length - index <= mostEnded && this.kept <= most) break
      this.forget(about.id)
      this.tell({ kind: "list" })
    }
    while (this.kept > most) {
      const largest = this.all.reduce((one, other) =>
        other.transcript.kept > one.transcript.kept ? other : one,
      )
      this.kept -= largest.transcript.dropOldest()
    }
  }
}
