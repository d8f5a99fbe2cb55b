/** A row of the table of `procwire doctor`, and the answer to it. */
import * as Effect from "effect/Effect"
import * as Attempt from "../host/Attempt.ts"
import process from "node:process"
import * as Result from "effect/Result"
import * as KernelFiles from "../host/KernelFiles.ts"
import type { Platform } from "../Platform.ts"
import type { Ffi } from "../process/posix/Ffi.ts"
import * as Libc from "../process/posix/Libc.ts"
import * as LibcKernelFiles from "../process/posix/LibcKernelFiles.ts"

export interface Finding {
  readonly ok: boolean
  /** The finding, or the fault. */
  readonly why: string
  /** The command that mends it, or an advice; undefined if all is well. */
  readonly remedy?: string | undefined
}

/** One thing that a machine can do or not. */
export interface Check {
  /** Its name for `--require`. */
  readonly name: string
  /** Tries it. A failure, and an error that it throws, is a no. */
  readonly look: (machine: Machine) => Effect.Effect<Finding, Problem>
  /** The remedy if it could not even be tried. */
  readonly remedy: string
}

/** The reason for a failure. */
export type Problem = Error | string

export interface Answer extends Finding {
  readonly name: string
}

/** All is well. */
export const yes = (why: string): Finding => ({ ok: true, why })

/** Something is wrong. */
export const no = (why: string, remedy: string): Finding => ({ ok: false, why, remedy })

/** The answer of a check; never fails. */
export const answer = ({ look, name, remedy }: Check, machine: Machine): Effect.Effect<Answer> =>
  Effect.suspend(() => look(machine)).pipe(
    Effect.catchDefect((defect) => Effect.fail(Attempt.firstLine(defect))),
    Effect.catch((problem) => Effect.succeed(no(Attempt.firstLine(problem), remedy))),
    Effect.map((finding) => ({ name, ...finding })),
  )

/** Why nothing is known that only the kernel knows, and what helps. */
export const unread = "the kernel does not say it: /proc cannot be read"
export const procRemedy = "use Linux; on Deno: --allow-ffi, or --allow-all for /proc"

interface Native {
  readonly ffi: Ffi
  readonly libc: Libc.Libc
  readonly files: KernelFiles.KernelFiles
}

/** The sources of the checks: the C library, the kernel's files, the spawners of the runtime. */
export interface Machine {
  readonly platform: Platform
  /** Left: why it cannot be called. */
  readonly native: Result.Result<Native, string>
  readonly files: KernelFiles.KernelFiles
  readonly isRoot: boolean
  /** The folders by which servers find their holders. */
  readonly keepFolders: () => Iterable<string>
}

export const machineOf = (platform: Platform, keepFolders: Machine["keepFolders"]): Machine => {
  const native = Result.try({
    try: () => {
      const ffi = platform.openFfi()
      const libc = Libc.bind(ffi)
      return { ffi, libc, files: LibcKernelFiles.make(ffi, libc) }
    },
    catch: Attempt.firstLine,
  })
  return {
    platform,
    keepFolders,
    native,
    files: Result.isSuccess(native) ? native.success.files : KernelFiles.node,
    isRoot: Result.getOrElse(
      Result.try(() => process.getuid?.() === 0),
      () => false,
    ),
  }
}
