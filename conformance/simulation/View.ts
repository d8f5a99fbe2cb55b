/** The view of one consumer of a process, compared with the truth event by event. */
import type { ProcessEvent } from "../../core/client/ProcessEvent.ts"
import type { Truth } from "./Truth.ts"
import type { World } from "./World.ts"

export class View {
  last: number
  /** Its events begin after this seq. */
  private readonly first: number
  exited = false
  closed = false
  /** It consumes from the first event on: nothing has to be read again for it. */
  readonly main: boolean
  private readonly world: World
  private readonly name: string
  private readonly truth: Truth

  /** A consumer of the events after seq `last`. */
  constructor(world: World, name: string, truth: Truth, last: number, main: boolean) {
    this.main = main
    this.world = world
    this.name = name
    this.truth = truth
    this.first = this.last = last
  }

  /** Takes the next event, unless it is `failed`. */
  take(event: Exclude<ProcessEvent, { readonly kind: "failed" }>): void {
    const { truth, world } = this
    if (this.closed) this.wrong(`${event.kind} follows closed`)
    if (event.seq !== this.last + 1) this.wrong(`seq ${event.seq} follows ${this.last}`)
    this.last = event.seq
    switch (event.kind) {
      case "output":
        return this.check(truth.fault(event.seq, event.stream, event.bytes))
      case "egress":
        return this.wrong("no process has egress rules")
      case "mark":
        return this.check(truth.markFault(event.seq, { ...event, kind: event.mark }))
      case "exited":
        world.note(`${this.name} sees exited ${event.seq} of ${truth.key}`)
        if (this.exited) this.wrong("exited comes twice")
        this.exited = true
        this.checkEnd(truth.witness?.endFault(event.endedBy))
        return this.check(truth.exitFault(event.seq, event.exitCode))
      case "closed":
        world.note(`${this.name} sees closed ${event.seq} of ${truth.key}`)
        this.closed = true
        // A consumer that came later may have come behind it, and others have yet to take it.
        if (!this.exited && truth.exitedSeq === undefined && this.first === 0)
          this.wrong("closed comes without exited")
        return this.check(truth.closedFault(event.seq))
    }
  }

  /** Skips all up to that seq, which others have found to be missing rightly. */
  skip(seq: number): void {
    this.last = seq
  }

  private check(fault: string | undefined): void {
    if (fault !== undefined) this.wrong(fault)
  }

  private checkEnd(fault: string | undefined): void {
    if (fault !== undefined) this.world.violate("an exit tells what has ended it", `${this.name}: ${fault}`)
  }

  private wrong(what: string): void {
    // guards: one-buffer
    this.world.violate("no byte is lost, doubled or out of order", `${this.name}, ${this.truth.key}: ${what}`)
  }
}
