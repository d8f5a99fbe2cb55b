/**
 * A spawner in plain JavaScript: an object with one function, which needs no import and whose functions may answer
 * promises or nothing.
 *
 * Its reports are guarded (`PlainEvents`), so a spawner that breaks a rule harms its own children alone: the server
 * logs the name of the rule, once. `close` of a child is called once, after `kill` and `abandonOutput`.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PlainEvents from "./PlainEvents.ts"
import * as PlainHandle from "./PlainHandle.ts"
import * as SpawnError from "./SpawnError.ts"
import {
  type Capabilities,
  Spawner,
  type SpawnerService,
  type SpawnEvents,
  type SpawnSpec,
} from "./Spawner.ts"
import * as SpecCheck from "./SpecCheck.ts"

export type { PlainChild } from "./PlainHandle.ts"
export { type Rule, rules } from "./PlainEvents.ts"

/** A spawner in plain JavaScript. */
export interface PlainSpawner {
  /** Names it in logs. */
  readonly name: string
  /** The capabilities; an omitted one is false. */
  readonly capabilities?: Partial<Capabilities>
  /**
   * Starts one child. Throws or rejects if that is impossible: an error with the `code` ENOENT, ENOTDIR, EACCES,
   * ENOEXEC or E2BIG becomes the error of the system that clients compare, any other keeps its text. Events may come
   * before it has answered.
   */
  readonly spawn: (
    spec: SpawnSpec,
    events: SpawnEvents,
  ) => PlainHandle.PlainChild | PromiseLike<PlainHandle.PlainChild>
}

const nothing: Capabilities = {
  pty: false,
  resize: false,
  arg0: false,
  processGroup: false,
  pipeStdin: false,
  pause: false,
  confine: false,
  egress: false,
}

/** The reason why this value is no plain spawner, as the end of a sentence; `undefined` if it is one. */
export const fault = (value: unknown): string | undefined => {
  const { capabilities = {}, name, spawn } = Object(value) as { readonly [name: string]: unknown }
  if (typeof name !== "string" || name === "") return "has no name: name is a text"
  if (typeof spawn !== "function") return "has no function spawn"
  if (typeof capabilities !== "object" || capabilities === null) return "has capabilities that are no object"
  const unknown = Object.keys(capabilities).find((capability) => !Object.hasOwn(nothing, capability))
  if (unknown === undefined) return undefined
  return `declares the capability ${unknown}, which does not exist: they are ${Object.keys(nothing).join(", ")}`
}

/** The spawner of this object as a service for servers and for the suite. */
export const toLayer = (spawner: PlainSpawner): Layer.Layer<Spawner> =>
  Layer.effect(
    Spawner,
    Effect.map(Effect.context<never>(), (context) => {
      const told = new Set<PlainEvents.Rule>()
      return make(spawner, (rule, what) => {
        if (told.has(rule)) return
        told.add(rule)
        const text = `spawner ${spawner.name} breaks the rule ${rule}: ${PlainEvents.rules[rule]} (${what})`
        Effect.runForkWith(context)(Effect.logWarning(`${text}. Said once for each rule`))
      })
    }),
  )

const make = (spawner: PlainSpawner, report: PlainEvents.Report): SpawnerService => {
  const capabilities = { ...nothing, ...spawner.capabilities }
  const spawn = (spec: SpawnSpec, to: SpawnEvents) =>
    Effect.gen(function* () {
      const refusal = SpecCheck.refusal(spec)
      if (refusal !== undefined) return yield* refusal
      const guarded = PlainEvents.make(to, spec.stdio.kind === "pty" ? ["pty"] : ["stdout", "stderr"], report)
      const life = PlainHandle.life(guarded, report)
      // Before the start, so that a child whose start is interrupted is ended as soon as it is there.
      yield* Effect.addFinalizer(() => life.close)
      const child = yield* start(spawner, spec, guarded, life, report)
      // Once the caller has the handle: it runs on when this fiber has given way.
      yield* Effect.forkScoped(Effect.andThen(Effect.yieldNow, Effect.sync(guarded.open)))
      return PlainHandle.make({ child, spec, capabilities, guarded, life, report })
    })
  return { capabilities, spawn }
}

const start = (
  spawner: PlainSpawner,
  spec: SpawnSpec,
  guarded: PlainEvents.PlainEvents,
  life: PlainHandle.Life,
  report: PlainEvents.Report,
): Effect.Effect<PlainHandle.PlainChild, SpawnError.SpawnError> =>
  Effect.callback((resume) => {
    const born = (child: PlainHandle.PlainChild) => {
      const missing = PlainHandle.missing(child)
      if (missing === undefined) {
        life.begin(child)
        return resume(Effect.succeed(child))
      }
      report("handle-shape", `the function ${missing} is missing`)
      const message = `the spawner ${spawner.name} answered without the function ${missing}`
      resume(Effect.fail(new SpawnError.SpawnError({ reason: "Unknown", message })))
    }
    // An async function turns what `spawn` throws into a rejection.
    const started = (async () => spawner.spawn(spec, guarded.events))()
    started.then(born, (error: unknown) => resume(Effect.fail(toSpawnError(error))))
  })

const byCode: { readonly [code: string]: (cause: unknown) => SpawnError.SpawnError } = {
  ENOENT: SpawnError.notFound,
  ENOTDIR: SpawnError.notADirectory,
  EACCES: SpawnError.permissionDenied,
  ENOEXEC: SpawnError.notExecutable,
  E2BIG: SpawnError.argumentsTooLong,
}

const toSpawnError = (error: unknown): SpawnError.SpawnError => {
  const { _tag, code, message } = Object(error) as { readonly [name: string]: unknown }
  if (_tag === "SpawnError") return error as SpawnError.SpawnError
  const known = byCode[String(code)]
  if (known !== undefined) return known(error)
  return new SpawnError.SpawnError({ reason: "Unknown", message: String(message ?? error), cause: error })
}
