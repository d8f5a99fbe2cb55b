/**
 * `--spawner MODULE`: runs the spawner suite on the layer that a module exports. Its outcomes go into the same reports.
 *
 * The suite is loaded only with this flag, from the installed package and not from the bundled command: it must share
 * its copy of `effect` with the module. Cases run one by one, because some count what the whole process holds.
 */
import { existsSync } from "node:fs"
import type * as Baseline from "../report/Baseline.ts"
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
    readonly load: (modulePath: string) => Promise<Loaded>
    readonly run: (
      layer: Loaded["layer"],
      options: {
        readonly only: ReadonlyArray<string>
        readonly depth: "must" | "should"
        readonly timeoutMs: number
        readonly onOutcome: (outcome: SeamOutcome, done: number, of: number) => void
      },
    ) => Promise<ReadonlyArray<SeamOutcome>>
  }
}

/** What a module exports; only the suite looks into the layer. */
interface Loaded {
  readonly layer: object
  readonly known: { readonly [id: string]: string }
}

/** The plain runner, which needs no vitest, seen from the bundle, from the compiled library and from the sources. */
const places = ["./lib/conformance/spawner/runner.js", "../spawner/runner.js", "../spawner/runner.ts"]

/** Loads the suite. Whatever fails while it is loaded fails this, as it is. */
const loadSuite = async (): Promise<Suite> => {
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
export const cases = async (): Promise<ReadonlyArray<Case>> => (await loadSuite()).cases.map(toCase)

/** A spawner that a module exports. */
export interface Spawner {
  /** The failures that the module expects, as entries of a baseline. */
  readonly known: ReadonlyArray<Baseline.Entry>
  /** Runs the chosen cases. A glob that matches no case is a usage error. */
  readonly run: (
    options: Pick<Options, "depth" | "globs" | "timeoutMs">,
    onOutcome: OnOutcome,
  ) => Promise<ReadonlyArray<Outcome>>
}

/**
 * Loads the module of a spawner. A missing module and a module without a layer are usage errors; any other error of the
 * module is rethrown as it is.
 */
export const load = async (module: string): Promise<Spawner> => {
  const { SpawnerRunner } = await loadSuite()
  const { known, layer } = await named(module, SpawnerRunner.load(module))
  return {
    known: Object.entries(known).map(([id, reason]) => ({ id, reason })),
    run: async ({ depth, globs, timeoutMs }, onOutcome) => {
      const options = {
        only: globs,
        depth: depth === "must" ? depth : "should",
        timeoutMs,
        onOutcome: (outcome: SeamOutcome, done: number, of: number) =>
          onOutcome(toOutcome(module, outcome), done, of),
      } as const
      const outcomes = await named(module, SpawnerRunner.run(layer, options))
      return outcomes.map((outcome) => toOutcome(module, outcome))
    },
  }
}

/** A usage error of the module names the flag. */
const named = async <A>(module: string, work: Promise<A>): Promise<A> => {
  try {
    return await work
  } catch (error) {
    const missing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND"
    if (error instanceof Error && (missing || error.name === "UsageError"))
      throw new UsageError(`--spawner ${module}: ${error.message}`)
    throw error
  }
}
