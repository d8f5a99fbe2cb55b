/**
 * The holdings of the process that runs the suite: descriptors, children, zombies. This needs Linux's /proc; elsewhere
 * the cases that count them are skipped.
 */
import * as Procfs from "../suite/wire/Procfs.ts"

export const descriptors = (): number => Procfs.descriptors().length

const children = (): ReadonlyArray<Procfs.Stat> =>
  Procfs.pids()
    .flatMap((pid) => Procfs.stat(pid) ?? [])
    .filter(({ parent }) => parent === process.pid)

/** The number of children, zombies included. */
export const childCount = (): number => children().length

/** The number of children that have ended and were not reaped. */
export const zombies = (): number => children().filter(({ state }) => state === "Z").length

/**
 * Descriptors above 2 that were open and not close-on-exec when the suite was loaded. They come from the parent of this
 * process, not from a spawner, and a spawner over `node:child_process` cannot keep them from its children.
 */
export const inherited: ReadonlyArray<number> = Procfs.available
  ? Procfs.descriptors().filter((descriptor) => descriptor > 2 && Procfs.passedOn(descriptor))
  : []
