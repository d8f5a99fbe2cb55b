/**
 * Spawners by name: a built-in one, as `nice:5`, or a module on disk, as `./mine.mjs`.
 *
 * Several are nested, the first one outermost: of `user:nobody` and `nice:5`, processes are started as
 * `setpriv … nice … PROGRAM`. A module, and a built-in one whose processes are elsewhere, start processes by
 * themselves, so they can only be the first.
 */
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PlainSpawner from "../../core/spawn/PlainSpawner.ts"
import * as Suggestion from "../../core/protocol/Suggestion.ts"
import type { Spawner } from "../../core/spawn/Spawner.ts"
import type { SpawnerLayer } from "./BuiltIn.ts"
import { builtIns } from "./BuiltIns.ts"
import { SpawnerProblem } from "./SpawnerProblem.ts"
import * as UserModule from "./UserModule.ts"

/** The spawners that were named. */
export interface NamedSpawners {
  /** Nests them around the spawner of this machine. */
  readonly around: (host: Layer.Layer<Spawner>) => Layer.Layer<Spawner, SpawnerProblem>
  /** True if processes are started elsewhere: nothing of this machine can confine them or look for their program. */
  readonly elsewhere: boolean
}

interface Named {
  readonly text: string
  readonly layer: SpawnerLayer
  /** `here`: inside the one before it. `self`: by itself, on this machine. */
  readonly starts: "here" | "self" | "elsewhere"
}

/** Reads the names, loads the modules, and checks the needs of each on this machine. */
export const read = (texts: ReadonlyArray<string>): Effect.Effect<NamedSpawners, SpawnerProblem> =>
  Effect.gen(function* () {
    const named = yield* Effect.forEach(texts, (text) =>
      Effect.mapError(isPath(text) ? load(text) : find(text), (problem) => naming(text, problem)),
    )
    const [first, ...rest] = named
    for (const { starts, text } of rest) {
      if (starts !== "here")
        return yield* order(`${text} starts processes by itself, so it has to be the first`)
      if (first?.starts === "elsewhere")
        return yield* order(
          `${text} cannot be inside ${first.text}, whose processes are elsewhere: give it to the server there`,
        )
    }
    return {
      elsewhere: first?.starts === "elsewhere",
      around: (host) =>
        named.reduce<Layer.Layer<Spawner, SpawnerProblem>>(
          (outer, { layer }) => Layer.provide(layer, outer),
          host,
        ),
    }
  })

/** The named spawners around that of `host`, as one layer, which fails with a fault of the names. */
export const layerNamed = (
  texts: ReadonlyArray<string>,
  host: Layer.Layer<Spawner>,
): Layer.Layer<Spawner, SpawnerProblem> => Layer.unwrap(Effect.map(read(texts), ({ around }) => around(host)))

const order = (message: string) => new SpawnerProblem({ reason: "Order", message })

/** A path rather than a name. */
const isPath = (text: string): boolean => /^(\.{0,2}\/|file:)|\.(mjs|js|ts|mts)$/.test(text)

const naming = (text: string, problem: SpawnerProblem): SpawnerProblem =>
  new SpawnerProblem({ ...problem, message: `${text}: ${problem.message}` })

const find = (text: string): Effect.Effect<Named, SpawnerProblem> =>
  Effect.gen(function* () {
    const cut = text.indexOf(":")
    const word = cut < 0 ? text : text.slice(0, cut)
    const found = builtIns.find(({ name }) => name === word)
    if (found === undefined) {
      const candidates = builtIns.map(({ name }) => name)
      return yield* new SpawnerProblem({
        reason: "UnknownName",
        message:
          `no spawner is named '${word}': they are ${candidates.join(", ")}, or a module as ./mine.mjs` +
          Suggestion.ofWord(word, candidates),
      })
    }
    const layer = yield* Effect.fromResult(found.read(cut < 0 ? undefined : text.slice(cut + 1)))
    const missing = found.missing()
    if (missing !== undefined) {
      const message = `${missing.what}; ${missing.remedy}`
      return yield* new SpawnerProblem({ reason: "Missing", message })
    }
    return { text, layer, starts: found.elsewhere === true ? "elsewhere" : "here" }
  })

const load = (path: string): Effect.Effect<Named, SpawnerProblem> =>
  Effect.gen(function* () {
    const url = path.startsWith("file:") ? path : pathToFileURL(resolve(path)).href
    const loaded = yield* Effect.tryPromise({
      try: () => UserModule.load(url),
      catch: (cause) => {
        const [first] = String(Object(cause)["message"] ?? cause).split("\n")
        return new SpawnerProblem({
          reason: "Module",
          message: `the module cannot be loaded: ${first}`,
          cause,
        })
      },
    })
    const { layer, layerSpawner, spawner } = loaded
    const found = layer ?? layerSpawner ?? spawner
    if (Layer.isLayer(found)) return { text: path, layer: found as SpawnerLayer, starts: "self" }
    const exports = "export a plain object or a layer as spawner, or a layer as layer or layerSpawner"
    const fault = spawner === undefined ? `exports no spawner; ${exports}` : PlainSpawner.fault(spawner)
    if (fault !== undefined) {
      const message = spawner === undefined ? `the module ${fault}` : `the spawner ${fault}`
      return yield* new SpawnerProblem({ reason: "Module", message })
    }
    return { text: path, layer: PlainSpawner.toLayer(spawner as PlainSpawner.PlainSpawner), starts: "self" }
  })
