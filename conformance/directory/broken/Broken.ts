/** A directory with one fault, made from the one in memory, and the case that must fail on it. */
import * as Effect from "effect/Effect"
import type { DirectoryService } from "../../../core/directory/Directory.ts"
import type { DirectoryOptions } from "../../../core/directory/DirectoryOptions.ts"
import * as Memory from "../../../core/directory/Memory.ts"
import type { Make } from "../DirectoryContext.ts"

export interface Broken {
  /** The fault. */
  readonly does: string
  /** The case that has to fail, and what its reason says. */
  readonly caughtBy: string
  readonly reason: RegExp
  readonly make: Make
}

export const good: Make = (options) =>
  Effect.map(Memory.make(options), (directory) => Effect.succeed(directory))

/** Changes some operations; each directory has its own change. */
export const changed =
  (change: (directory: DirectoryService) => Partial<DirectoryService>): Make =>
  (options) =>
    Effect.map(Memory.make(options), (directory) => Effect.succeed({ ...directory, ...change(directory) }))

/** Has other options than it was given. */
export const withOptions =
  (other: DirectoryOptions): Make =>
  (options) =>
    good({ ...options, ...other })
