/**
 * `--spawner MODULE`: runs the spawner suite on the layer that a module exports. Its outcomes go into the same reports.
 *
 * The suite is loaded only with this flag, from the installed package and not from the bundled command: it must share
 * its copy of `effect` with the module. Cases run one by one, because some count what the whole process holds.
 */
import { existsSync } from "node:fs"
import { make as makeCase, type Case, type Level } from "../suite/Case.ts"
import { UsageError, type Options } from "./Options.ts"
import type { Outcome } from "../suite/RunCase.ts"
import type { OnOutcome } from "../suite/Runner.ts"

/** An outcome of a seam suite. */
interface SeamOutcome {
  readonly case: SeamCase
  readonly status: Outcome["status"]
  readonly reason: string
  readonly ms: number
  readonly notes: ReadonlyArray<string>
}

interface SeamCase {
  readonly id: string
  readonly level: Level
  readonly requires: ReadonlyArray<string>
  readonly says: string
}

/** What is used of `spawner/runner.ts`. */
interface Suite {
  readonly cases: ReadonlyArray<SeamCase>
  readonly SpawnerRunner: {
    readonly loadAndRun: (
      modulePath: string,
      options: {
        readonly only: ReadonlyArray<string>
        readonly depth: "must" | "should"
        readonly timeoutMs: number
        readonly onOutcome: (outcome: SeamOutcome, done: number, of: number) => void
      },
    ) => Promise<ReadonlyArray<SeamOutcome>>
  }
}

/** The plain runner, which needs no vitest, seen from the bundle, from the compiled library and from the sources. */
const places = ["./lib/conformance/spawner/runner.js", "../spawner/runner.js", "../spawner/runner.ts"]

/** Loads the suite. Whatever fails while it is loaded fails this, as it is. */
const load = async (): Promise<Suite> => {
  const found = places.map((place) => new URL(place, import.meta.url)).find((url) => existsSync(url))
  if (found === undefined)
    throw new UsageError("--spawner needs the installed package: the spawner suite is not beside the command")
  return (await import(found.href)) as Suite
}

const unplayed = (): Promise<void> => Promise.resolve()

const toCase = ({ id, level, says }: SeamCase): Case => makeCase(id, { level, says, spec: [], run: unplayed })

const toOutcome = (module: string, { case: item, ...rest }: SeamOutcome): Outcome => ({
  ...rest,
  case: toCase(item),
  transport: "spawner",
  words: ["--spawner", module],
  transcript: [],
  stderr: "",
})

/** Every case of the suite, for lists and baselines. */
export const cases = async (): Promise<ReadonlyArray<Case>> => (await load()).cases.map(toCase)

/**
 * Runs the chosen cases. A missing module, a module without a layer, and a glob that matches no case are usage errors;
 * any other error of the module is rethrown as it is.
 */
export const run = async (
  module: string,
  { depth, globs, timeoutMs }: Pick<Options, "depth" | "globs" | "timeoutMs">,
  onOutcome: OnOutcome,
): Promise<ReadonlyArray<Outcome>> => {
  const { SpawnerRunner } = await load()
  const options = {
    only: globs,
    depth: depth === "must" ? depth : "should",
    timeoutMs,
    onOutcome: (outcome: SeamOutcome, done: number, of: number) =>
      onOutcome(toOutcome(module, outcome), done, of),
  } as const
  try {
    const outcomes = await SpawnerRunner.loadAndRun(module, options)
    return outcomes.map((outcome) => toOutcome(module, outcome))
  } catch (error) {
    const missing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND"
    if (error instanceof Error && (missing || error.name === "UsageError"))
      throw new UsageError(`--spawner ${module}: ${error.message}`)
    throw error
  }
}
