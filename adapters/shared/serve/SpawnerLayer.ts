/**
 * The options `spawner` and `contain`: the spawner of a server or of one in this process, and what keeps the
 * descendants of children together.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as PlainSpawner from "../../../core/spawn/PlainSpawner.ts"
import { Spawner } from "../../../core/spawn/Spawner.ts"
import type { SpawnerProblem } from "../../sandbox/SpawnerProblem.ts"
import type { Platform } from "../Platform.ts"
import type { Choices } from "../process/HostSpawner.ts"
import { invalid, misconfigured, type ServeError } from "./ServeError.ts"

/**
 * A layer of `Spawner`, which may use the spawner of the runtime, as `layerWrap` of `procwire/sandbox` does; or an
 * object in plain JavaScript, as `defineSpawner` of `procwire/sandbox` takes it.
 */
export type SpawnerSource = Layer.Layer<Spawner, never, Spawner> | PlainSpawner.PlainSpawner

/** The same, or the names of spawners, as those of `--spawner`: `"nice:5"`, or several, the first one outermost. */
export type SpawnerChoice = SpawnerSource | string | ReadonlyArray<string>

/** True for names. Their existence is checked when they are used. */
export const isNames = (value: unknown): value is string | ReadonlyArray<string> =>
  [value].flat().every((name) => typeof name === "string" && name !== "")

/** True for what `toLayer` takes. */
export const isSpawner = (value: unknown): value is SpawnerSource =>
  Layer.isLayer(value) || PlainSpawner.fault(value) === undefined

/** The layer of a spawner, over that of the runtime. A program may have made it with another copy of `effect`. */
export const over = (spawner: SpawnerSource, host: Layer.Layer<Spawner>): Layer.Layer<Spawner> =>
  isPlain(spawner) ? PlainSpawner.toLayer(spawner) : Layer.provide(spawner, host)

const isPlain = (spawner: SpawnerSource): spawner is PlainSpawner.PlainSpawner => !Layer.isLayer(spawner)

/** The options of one server. */
export interface SpawnerOptions extends Choices {
  readonly spawner?: SpawnerChoice | undefined
}

/** A platform, and the spawner that is no name. */
export interface Chosen {
  readonly platform: Platform
  readonly spawner: SpawnerSource | undefined
}

/**
 * The platform whose spawner contains descendants, by default with `auto`, inside the named spawners, which live as
 * long as the scope. Errors begin with the label of their option.
 */
export const choose = (
  platform: Platform,
  { contain = "auto", spawner, ...rest }: SpawnerOptions,
  label: (option: "contain" | "spawner") => string,
): Effect.Effect<Chosen, ServeError, Scope.Scope> =>
  Effect.gen(function* () {
    const contained = yield* Layer.build(platform.toSpawner({ contain, ...rest })).pipe(
      Effect.mapError(({ choice, message }) => {
        const remedy = "use auto for what works, or none for process groups only"
        return misconfigured(`${label("contain")} ${choice}: ${message}; ${remedy}`)
      }),
    )
    const here = { ...platform, layerSpawner: Layer.succeedContext(contained) }
    if (isSpawner(spawner)) return { platform: here, spawner }
    const names = [spawner ?? []].flat()
    if (names.length === 0) return { platform: here, spawner: undefined }
    const around = Effect.mapError(byNames(here, names), ({ message, reason }) => {
      const text = `${label("spawner")} ${message}`
      const wrongUse = reason === "UnknownName" || reason === "InvalidOption" || reason === "Order"
      return wrongUse ? invalid(text) : misconfigured(text)
    })
    return { platform: yield* around, spawner: undefined }
  })

/** The code of the named spawners is loaded by the first that is named. */
const byNames = (
  platform: Platform,
  names: ReadonlyArray<string>,
): Effect.Effect<Platform, SpawnerProblem, Scope.Scope> =>
  Effect.gen(function* () {
    const NamedSpawners = yield* Effect.promise(() => import("../../sandbox/NamedSpawners.ts"))
    const { around, elsewhere } = yield* NamedSpawners.read(names)
    // The local helpers of a spawner elsewhere end by themselves; nothing here may kill them before.
    const host = elsewhere ? Layer.orDie(platform.toSpawner()) : platform.layerSpawner
    const built = yield* Layer.build(around(host))
    return { ...platform, layerSpawner: Layer.succeed(Spawner, Context.get(built, Spawner)), elsewhere }
  })
