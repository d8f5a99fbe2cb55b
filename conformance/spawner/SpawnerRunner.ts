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
import * as PlainSpawner from "../../core/spawn/PlainSpawner.ts"
import { Spawner } from "../../core/spawn/Spawner.ts"
import { subject, type SpawnerContext, type Need } from "./SpawnerContext.ts"
import { cases } from "./cases/index.ts"
import type { Choice, Known } from "../seam/SeamCase.ts"
import {
  runner,
  UsageError,
  type Outcome,
  type PlayOptions,
  type Seam,
  type Subject,
} from "../seam/SeamRunner.ts"

export { cases }
export { UsageError, type Outcome } from "../seam/SeamRunner.ts"

/** A layer with the spawner under test, which may be around another one. */
export type SpawnerLayer = Layer.Layer<Spawner, unknown, Spawner>

/** The spawner under test: a layer with it, or an object in plain JavaScript. */
export type SpawnerSource = SpawnerLayer | PlainSpawner.PlainSpawner

/** Options of the suite beside a spawner. */
export interface More {
  /** The spawner inside the one under test, if it is `wrap` of `procwire/sandbox`. Default: nothing. */
  readonly host?: Layer.Layer<Spawner> | undefined
}

/** The cases to run, and their options. */
export interface Options extends Choice, PlayOptions, More {}

/** Builds the layer; it is released by `close`. Rejects with a {@link UsageError} for what is no spawner. */
const open = async (source: SpawnerSource, { host }: More): Promise<Subject<Need, SpawnerContext>> => {
  const layer = toLayer(source)
  // A layer that is around nothing asks for nothing.
  const whole = host === undefined ? (layer as Layer.Layer<Spawner, unknown>) : Layer.provide(layer, host)
  const scope = Effect.runSync(Scope.make())
  const context = await Effect.runPromise(Layer.buildWithScope(whole, scope))
  return {
    ...subject(Context.get(context, Spawner)),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void)),
  }
}

/** The seam of spawners. */
export const seam: Seam<SpawnerSource, More, Need, SpawnerContext> = { cases, open }

/** Runs the chosen cases on the spawner. Rejects with a {@link UsageError} or the error of the layer. */
export const run: (source: SpawnerSource, options?: Options) => Promise<ReadonlyArray<Outcome>> = runner(seam)

/** The exports of a module for the suite. */
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
  const found = layer ?? layerSpawner ?? spawner
  if (found === undefined || (found !== spawner && !Layer.isLayer(found)))
    throw new UsageError(
      `${modulePath} exports no spawner: name it spawner, or a layer layer or layerSpawner, too`,
    )
  if (!isKnown(known))
    throw new UsageError(`${modulePath} exports a known that is no object of ids and reasons`)
  const made = Layer.isLayer(found) ? (found as SpawnerLayer) : plain(`the spawner of ${modulePath}`, found)
  return { layer: made, known }
}

const plain = (name: string, spawner: unknown): SpawnerLayer => {
  const fault = PlainSpawner.fault(spawner)
  if (fault !== undefined) throw new UsageError(`${name} ${fault}`)
  return PlainSpawner.toLayer(spawner as PlainSpawner.PlainSpawner)
}

const toLayer = (source: SpawnerSource): SpawnerLayer =>
  Layer.isLayer(source) ? (source as SpawnerLayer) : plain("the spawner", source)

const isKnown = (value: unknown): value is Known =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every((reason) => typeof reason === "string" && reason.trim() !== "")
