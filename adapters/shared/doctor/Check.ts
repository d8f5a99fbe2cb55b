/** A row of the table of `procwire doctor`, and the answer to it. */
import * as Effect from "effect/Effect"
import * as BuiltIn from "../../sandbox/BuiltIn.ts"
import * as Attempt from "../host/Attempt.ts"
import type { Machine } from "./Machine.ts"

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

/** Why something does not work. */
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

/** A check that looks for what a spawner needs, as `procwire spawners` does; `works` is said if nothing is missing. */
export const ofMissing = (
  name: string,
  works: string,
  missing: () => BuiltIn.Missing | undefined,
): Check => ({
  name,
  remedy: BuiltIn.permissions,
  look: () =>
    Effect.sync(() => {
      const lack = missing()
      return lack === undefined ? yes(works) : no(lack.what, lack.remedy)
    }),
})

/** Why nothing is known that only the kernel knows, and what helps. */
export const unread = "the kernel does not say it: /proc cannot be read"
export const procRemedy = "use Linux; on Deno: --allow-ffi, or --allow-all for /proc"
