/** `flock` of the C library: locks of open files among processes, which the system gives back however a holder ends. */
import { fstatSync, type Stats } from "node:fs"
import type { Ffi } from "./posix/Ffi.ts"

/** sys/file.h. */
export const LOCK_SH = 1
export const LOCK_EX = 2
export const LOCK_NB = 4

/** Returns 0, or less if it fails. */
export type Flock = (fd: number, operation: number) => number

/** Undefined where it cannot be called. */
export const bind = (openFfi: () => Ffi): Flock | undefined => {
  try {
    return openFfi().bind("flock", ["int", "int"])
  } catch {
    return undefined
  }
}

/** True if the file that was found is the open one: its owner before may have removed that. */
export const isOpen = (there: Stats | undefined, fd: number): boolean => {
  const held = fstatSync(fd)
  return there?.ino === held.ino && there.dev === held.dev
}
