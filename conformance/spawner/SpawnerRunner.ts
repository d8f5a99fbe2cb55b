/**
 * The spawner suite without a test framework: for a command line, or for a program of one's own.
 *
 * A module on disk is loaded by its path; it exports its layer as `layer` or `layerSpawner`. On a runtime
 * that does not strip types it has to be JavaScript.
 */
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { Spawner } from "../../core/spawn/Spawner.ts"
import { subject, type SpawnerContext, type Need } from "./SpawnerContext.ts"
import { cases } from "./cases/index.ts"
import { select, type Choice } from "../seam/SeamCase.ts"
import { playAll, type Outcome, type PlayOptions, type Subject } from "../seam/SeamRunner.ts"

export type SpawnerLayer = Layer.Layer<Spawner, unknown>

export interface Options extends Choice, PlayOptions {}

/** The choice fits no case, or the module has no layer: wrong use, not a failure of the spawner. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}

/** The spawner of a layer, for as long as it is not closed. */
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

/** Plays the chosen cases on the spawner of the layer. Rejects only for wrong use and a layer that fails. */
export const run = async (layer: SpawnerLayer, options: Options = {}): Promise<ReadonlyArray<Outcome>> => {
  const chosen = select(cases, options)
  if (chosen.unknown.length > 0) throw new UsageError(`no case fits ${chosen.unknown.join(", ")}`)
  const opened = await open(layer)
  try {
    return await playAll(chosen.cases, opened, options)
  } finally {
    await opened.close()
  }
}

/** The same for the layer that a module exports. */
export const loadAndRun = async (
  modulePath: string,
  options: Options = {},
): Promise<ReadonlyArray<Outcome>> => {
  const loaded: unknown = await import(pathToFileURL(resolve(modulePath)).href)
  const { layer, layerSpawner } = loaded as { readonly [name: string]: unknown }
  const found = layer ?? layerSpawner
  if (!Layer.isLayer(found))
    throw new UsageError(`${modulePath} exports no layer: name it layer or layerSpawner`)
  return run(found as SpawnerLayer, options)
}
