/**
 * The writers of a process, one at a time: its owner at first, then the one that has taken the role.
 *
 * A writer that leaves gives the role back to the one it was taken from, if that is still there: at last to the owner.
 */

import type { Process } from "../../process/Process.ts"

/** One who may write; known by its identity. */
export interface Writer {
  /** It has become the writer, or is it no longer. */
  readonly told: () => void
}

const known = new WeakMap<Process, Writers>()

/** The writers of a process; undefined before the first attachment. */
export const of = (process: Process): Writers | undefined => known.get(process)

/** The same; made for the first attachment, with this owner. */
export const begin = (process: Process, owner: Writer): Writers => {
  const writers = known.get(process) ?? new Writers(process, owner)
  known.set(process, writers)
  return writers
}

export class Writers {
  /** Somebody besides the owner has had the role. */
  moved = false
  /** The writers that have taken the role, each from the one before it: the last one writes. */
  private readonly taken: Array<Writer> = []
  private readonly process: Process
  private readonly owner: Writer

  /** The owner is the writer. */
  constructor(process: Process, owner: Writer) {
    this.process = process
    this.owner = owner
  }

  /** The writer; undefined is the owner. */
  get current(): Writer | undefined {
    return this.taken.at(-1)
  }

  /** Gives the role to one of them, who may have had it; undefined is the owner, who keeps it then. */
  take(writer: Writer | undefined): void {
    this.change(() => {
      if (writer === undefined) this.taken.length = 0
      else this.moveOut(writer)
      if (writer !== undefined) this.taken.push(writer)
      this.moved ||= writer !== undefined
    })
  }

  /** One of them is no writer any more, and never gets the role back. */
  leave(writer: Writer): void {
    this.change(() => this.moveOut(writer))
  }

  private moveOut(writer: Writer): void {
    const index = this.taken.indexOf(writer)
    if (index >= 0) this.taken.splice(index, 1)
  }

  /** Tells the one before and the one after, if they differ. */
  private change(by: () => void): void {
    const before = this.current ?? this.owner
    by()
    this.process.writer = this.current
    const after = this.current ?? this.owner
    if (before === after) return
    before.told()
    after.told()
  }
}
