/**
 * `--spawner MODULE`: runs the spawner suite on the spawner that a module exports, or on those with these names, as
 * `procwire serve --spawner` takes them. Its outcomes go into the same reports.
 *
 * The suite is loaded only with this flag, and by its place: it is no part of the command, and this folder may not
 * import adapters. In the package it has the `effect` that is bundled with it. A module that is written in Effect
 * brings another, and the two understand each other: `effect` finds services, errors and the state of fibers by name.
 * Cases run one by one, because some count what the whole process holds.
 */
import { existsSync } from "node:fs"
import type * as Baseline from "../report/Baseline.ts"
import { make as makeCase, type Case } from "../suite/Case.ts"
import { UsageError, type Options } from "./Options.ts"
import type { Outcome } from "../suite/RunCase.ts"
import type { OnOutcome } from "../suite/Runner.ts"
import type { Known } from "../seam/SeamCase.ts"
import type { Outcome as SeamOutcome, PlayOptions } from "../seam/SeamRunner.ts"

type SeamCase = SeamOutcome["case"]

/** The part of `spawner/SpawnerRunner.ts` that is used. */
interface Suite {
  readonly cases: ReadonlyArray<SeamCase>
  readonly load: (modulePath: string) => Promise<Loaded>
  readonly run: (
    layer: Loaded["layer"],
    options: PlayOptions & {
      readonly host: object
      readonly only: ReadonlyArray<string>
      readonly depth: "must" | "should"
    },
  ) => Promise<ReadonlyArray<SeamOutcome>>
}

/** The exports of a module; only the suite looks into the layer. */
interface Loaded {
  readonly layer: object
  readonly known: Known
}

/** The plain runner, which needs no vitest, seen from the library, from the compiled modules and from the sources. */
const places = (name: string) => [`../${name}.js`, `../../${name}.js`, `../../${name}.ts`]

/** Loads a module of the package. Whatever fails while it is loaded fails this, as it is. */
const loadOwn = async <A>(name: string): Promise<A> => {
  const found = places(name)
    .map((place) => new URL(place, import.meta.url))
    .find((url) => existsSync(url))
  if (found === undefined)
    throw new UsageError("--spawner needs the installed package: the spawner suite is not beside the command")
  return import(found.href)
}

const loadSuite = () => loadOwn<Suite>("conformance/spawner/SpawnerRunner")

/** The spawner of this runtime. */
const loadHost = async (): Promise<object> => {
  const adapter = await loadOwn<{ readonly layerSpawner: object }>("adapters/shared/HostPlatform")
  return adapter.layerSpawner
}

/** The layer of named spawners, around that of this runtime. */
const loadNamed = async (texts: ReadonlyArray<string>, host: object): Promise<Loaded> => {
  const { layerNamed } = await loadOwn<{
    readonly layerNamed: (texts: ReadonlyArray<string>, host: object) => object
  }>("adapters/sandbox/NamedSpawners")
  return { layer: layerNamed(texts, host), known: {} }
}

/** A path, not the name of a spawner. */
const isModule = (text: string): boolean =>
  /[./\\]/.test(text.split(":")[0] ?? "") || text.startsWith("file:")

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
 * Loads the module of a spawner, or those with these names. A missing module, a module without a spawner and a wrong
 * name are usage errors; any other error of the module is rethrown as it is.
 */
export const load = async (texts: ReadonlyArray<string>): Promise<Spawner> => {
  const [suite, host] = [await loadSuite(), await loadHost()]
  const module = texts.join(" --spawner ")
  const loading = texts.length === 1 && isModule(module) ? suite.load(module) : loadNamed(texts, host)
  const { known, layer } = await named(module, loading)
  return {
    known: Object.entries(known).map(([id, reason]) => ({ id, reason })),
    run: async ({ depth, globs, timeoutMs }, onOutcome) => {
      const options = {
        host,
        only: globs,
        depth: depth === "must" ? depth : "should",
        timeoutMs,
        onOutcome: (outcome: SeamOutcome, done: number, of: number) =>
          onOutcome(toOutcome(module, outcome), done, of),
      } as const
      const outcomes = await named(module, suite.run(layer, options))
      return outcomes.map((outcome) => toOutcome(module, outcome))
    },
  }
}

const named = async <A>(module: string, work: Promise<A>): Promise<A> => {
  try {
    return await work
  } catch (error) {
    const missing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND"
    // Its sentence begins with the name that is wrong; the runtime of Effect puts a word in front of the class.
    if (error instanceof Error && error.name.endsWith("SpawnerProblem"))
      throw new UsageError(`--spawner ${error.message}`)
    if (error instanceof Error && (missing || error.name === "UsageError"))
      throw new UsageError(`--spawner ${module}: ${error.message}`)
    throw error
  }
}
