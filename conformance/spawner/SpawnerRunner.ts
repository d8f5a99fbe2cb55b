/**
 * Runs the spawner suite without a test framework.
 *
 * The spawner is a layer, or a module on disk that exports one as `layer` or `layerSpawner`, or a plain spawner as
 * `spawner`. On a runtime that does not strip types the module must be JavaScript.
 */
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as LoadedSpawner from "../../core/spawn/LoadedSpawner.ts"
import * as PlainSpawner from "../../core/spawn/PlainSpawner.ts"
import { Spawner } from "../../core/spawn/Spawner.ts"
import { subject, type SpawnerContext, type Need } from "./SpawnerContext.ts"
import { cases } from "./cases/index.ts"
import { select, type Choice, type Known } from "../seam/SeamCase.ts"
import { playAll, type Outcome, type PlayOptions, type Subject } from "../seam/SeamRunner.ts"

/** A layer with the spawner under test. */
export type SpawnerLayer = Layer.Layer<Spawner, unknown>

/** Which cases to run, and how. */
export interface Options extends Choice, PlayOptions {}

/** A glob matches no case, or the module exports no layer: a usage error, not a failure of the spawner. */
export class UsageError extends Error {
  /** The name of the class, for logs. */
  override readonly name = "UsageError"
}

/** Builds the layer; it is released by `close`. */
export const open = async (
  layer: SpawnerLayer,
): Promise<Subject<Need, SpawnerContext> & { readonly close: () => Promise<void> }> => {
  const scope = Effect.runSync(Scope.make())
  const context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
  return {
    ...subject(Context.get(context, Spawner)),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void)),
  }
}

/** Runs the chosen cases on the spawner of the layer. Rejects with a {@link UsageError} or the error of the layer. */
export const run = async (layer: SpawnerLayer, options: Options = {}): Promise<ReadonlyArray<Outcome>> => {
  const chosen = select(cases, options)
  if (chosen.unknown.length > 0) throw new UsageError(`no case matches ${chosen.unknown.join(", ")}`)
  const opened = await open(layer)
  try {
    return await playAll(chosen.cases, opened, options)
  } finally {
    await opened.close()
  }
}

/** What a module exports for the suite. */
export interface Loaded {
  /** The spawner under test. */
  readonly layer: SpawnerLayer
  /** Its export `known`: the cases that must fail, each with the reason why. */
  readonly known: Known
}

/**
 * Loads the layer that a module exports, and what it says of it. Rejects with a {@link UsageError} or with what the
 * module throws while it is loaded.
 */
export const load = async (modulePath: string): Promise<Loaded> => {
  const loaded: unknown = await import(pathToFileURL(resolve(modulePath)).href)
  const { known = {}, layer, layerSpawner, spawner } = loaded as { readonly [name: string]: unknown }
  const found = layer ?? layerSpawner ?? (spawner === undefined ? undefined : plain(modulePath, spawner))
  if (!Layer.isLayer(found))
    throw new UsageError(
      `${modulePath} exports no spawner: name a layer layer or layerSpawner, a plain object spawner`,
    )
  if (!isKnown(known))
    throw new UsageError(`${modulePath} exports a known that is no object of ids and reasons`)
  return { layer: LoadedSpawner.make(found as SpawnerLayer), known }
}

const plain = (modulePath: string, spawner: unknown): SpawnerLayer => {
  const fault = PlainSpawner.fault(spawner)
  if (fault !== undefined) throw new UsageError(`the spawner of ${modulePath} ${fault}`)
  return PlainSpawner.toLayer(spawner as PlainSpawner.PlainSpawner)
}

const isKnown = (value: unknown): value is Known =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every((reason) => typeof reason === "string" && reason.trim() !== "")

/** Like {@link run}, with the layer that a module exports; its `known` is left to the caller ({@link load}). */
export const loadAndRun = async (
  modulePath: string,
  options: Options = {},
): Promise<ReadonlyArray<Outcome>> => run((await load(modulePath)).layer, options)
