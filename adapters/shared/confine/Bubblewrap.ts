/**
 * Confines children with bubblewrap: a spawner around an inner one. Specs without a `confinement` pass unchanged.
 *
 * A child sees only the places of its confinement, has its own PID namespace, no capabilities, no network unless the
 * confinement has one, and the system call filter of `CallFilter`. Bubblewrap stays its parent, in its process group.
 * Signals to the group reach the child alone: a shell ignores them before it executes bubblewrap, and `env` inside
 * restores them (if the child may not see `env`, a signal ends it); until then they wait. Nothing outside the
 * confinement obeys the child's environment, which bubblewrap sets from a file. When the last process inside ends, or
 * bubblewrap is killed, all of it is gone.
 *
 * A confinement in layers is bubblewrap inside bubblewrap: what the outer one hides, the inner one cannot mount, so no
 * link that a confined process makes meanwhile leads out.
 *
 * A child with egress rules is started inside a network namespace that was made before it, with a loopback alone, on
 * which this process listens for it. That namespace belongs to a user namespace around those of bubblewrap, so no
 * process inside has a capability over it.
 *
 * A child never runs less confined than asked for. Without bubblewrap the capability is absent; if bubblewrap does
 * not work here, which a trial finds out before the first child, a start fails with `Unconfinable`. A spawner that
 * confines by itself is left to do so.
 */
import { accessSync, constants, readFileSync, realpathSync, statSync } from "node:fs"
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Confinement from "../../../core/protocol/Confinement.ts"
import type { Gate } from "../../../core/spawn/Egress.ts"
import * as Spawner from "../../../core/spawn/Spawner.ts"
import type { MakeOutlets, Outlets } from "../egress/namespace/Outlets.ts"
import * as Unkept from "../egress/namespace/Unkept.ts"
import * as SearchPath from "../host/SearchPath.ts"
import * as ProgramLookup from "../process/ProgramLookup.ts"
import type { Ffi } from "../process/posix/Ffi.ts"
import * as Placeholders from "./Placeholders.ts"
import * as Trial from "./Trial.ts"
import { invalid, unconfinable, wrap } from "./Wrapped.ts"
import * as Schedule from "effect/Schedule"

/** Options of the confinement. */
export interface Options {
  /** The path of bubblewrap. Default: the `bwrap` in the PATH of the server. */
  readonly program?: string | undefined
  /** The confinement of every child at least, whatever its spec asks for. Default: none. */
  readonly confinement?: Confinement.Confinement
}

/** With the C library, by which servers of one machine lock what they share. */
interface Own extends Options {
  readonly openFfi?: () => Ffi
}

/** Adds the capability `confine` to the inner spawner, if bubblewrap is installed. */
export const layer = (options: Options = {}): Layer.Layer<Spawner.Spawner, never, Spawner.Spawner> =>
  layerWith(options)

/**
 * The same, and the capability `egress` if ways out of network namespaces can be made, too.
 *
 * @internal
 */
export const layerWith = (
  { openFfi, ...options }: Own,
  makeOutlets?: MakeOutlets,
): Layer.Layer<Spawner.Spawner, never, Spawner.Spawner> =>
  Layer.effect(
    Spawner.Spawner,
    Effect.gen(function* () {
      const inner = yield* Spawner.Spawner
      const bubblewrap = process.platform === "linux" ? find(options.program) : undefined
      if (bubblewrap !== undefined && openFfi !== undefined) Placeholders.lockBy(openFfi)
      const outlets =
        makeOutlets === undefined || bubblewrap === undefined
          ? undefined
          : yield* makeOutlets({ spawner: inner, bubblewrap, nsenter: findIn("nsenter") })
      return make(inner, options, outlets)
    }),
  )

/** The same without a layer. */
export const make = (
  inner: Spawner.SpawnerService,
  options: Options = {},
  outlets?: Outlets,
): Spawner.SpawnerService => {
  const floor = options.confinement && {
    ...options.confinement,
    places: Confinement.merge(options.confinement.places),
  }
  if (inner.capabilities.confine) return floored(inner, floor)
  const program = process.platform === "linux" ? find(options.program) : undefined
  if (program === undefined && floor === undefined) return inner
  const works = new Set<string>()

  const confine = (spec: Spawner.SpawnSpec, confinement: Confinement.Confinement) =>
    Effect.gen(function* () {
      if (program === undefined) return yield* unconfinable(`${options.program ?? "bwrap"} was not found`)
      if (spec.arg0 !== undefined) return yield* invalid("arg0 cannot be set for a confined process")
      const found = yield* ProgramLookup.find(spec)
      const tried = trialOf(confinement)
      const key = JSON.stringify([tried.layers ?? [], spec.egress !== undefined])
      const outlet = spec.egress && (yield* openOutlet(spec.egress, confinement))
      if (!works.has(key)) {
        const wrong = yield* Trial.run(inner, (argv, rest) => wrap(program, argv, tried, rest, outlet))
        if (wrong !== undefined)
          return yield* outlet === undefined ? unconfinable(wrong) : Effect.fail(Unkept.make(wrong))
        works.add(key)
      }
      const env = outlet === undefined ? spec.env : outlet.environment(spec.env)
      const argv = [found, ...spec.argv.slice(1)] as const
      const wrapped = yield* wrap(program, argv, confinement, { ...spec, env }, outlet)
      return { wrapped, outlet: outlet?.place }
    })

  const openOutlet = (gate: Gate, confinement: Confinement.Confinement) => {
    if (outlets === undefined) return Effect.fail(Unkept.make("this spawner has no proxy"))
    if (confinement.network) return invalid("egress rules and a network exclude each other")
    return outlets.open(gate)
  }

  return {
    capabilities: {
      ...inner.capabilities,
      arg0: inner.capabilities.arg0 && floor === undefined,
      confine: program !== undefined,
      egress: program !== undefined && outlets !== undefined && outlets.missing === undefined,
    },
    spawn: (spec, events) => {
      const confinement = Confinement.underFloor(floor, spec.confinement)
      if (confinement === undefined)
        return spec.egress === undefined
          ? inner.spawn(spec, events)
          : invalid("egress rules need a confinement without a network")
      const started = Effect.flatMap(confine(spec, confinement), ({ outlet, wrapped }) =>
        Effect.map(signalledInside(inner, { ...wrapped, secrets: spec.secrets }, events), (child) =>
          outlet === undefined ? child : { ...child, outlet },
        ),
      )
      return Effect.gen(function* () {
        const scope = yield* Scope.fork(yield* Effect.scope)
        return yield* Scope.provide(started, scope).pipe(
          Effect.onExit((exit) => (Exit.isFailure(exit) ? Scope.close(scope, exit) : Effect.void)),
        )
      })
    },
    ...(outlets === undefined
      ? {}
      : {
          reopen: ({ outlet, pid }, { egress }) =>
            egress === undefined || outlet === undefined || pid === undefined
              ? Effect.fail(Unkept.make("the server that has started it has left no word of a proxy"))
              : outlets.reopen(pid, outlet, egress),
        }),
  }
}

/** Its signals wait until the child is inside, where they reach it. */
const signalledInside = (
  inner: Spawner.SpawnerService,
  spec: Spawner.SpawnSpec,
  events: Spawner.SpawnEvents,
): ReturnType<Spawner.SpawnerService["spawn"]> => {
  let ended = false
  const exit: Spawner.SpawnEvents["exit"] = (status, ending) => {
    ended = true
    events.exit(status, ending)
  }
  return Effect.map(inner.spawn(spec, { ...events, exit }), (child) => {
    const { pid } = child
    if (pid === undefined) return child
    const waited = inside(pid, () => ended)
    return { ...child, signal: (name) => Effect.andThen(waited, child.signal(name)) }
  })
}

/** The inner spawner, which confines by itself, at least to the floor. */
const floored = (
  inner: Spawner.SpawnerService,
  floor: Confinement.Confinement | undefined,
): Spawner.SpawnerService =>
  floor === undefined
    ? inner
    : {
        capabilities: inner.capabilities,
        spawn: (spec, events) =>
          inner.spawn({ ...spec, confinement: Confinement.underFloor(floor, spec.confinement) }, events),
      }

/** The trial before the first child with such layers: all but the innermost are those of the server. */
const trialOf = ({ layers = [] }: Confinement.Confinement): Confinement.Confinement => {
  const trial: Confinement.Confinement = { places: [{ path: "/", access: "read" }], network: false }
  return layers.length === 0 ? trial : { ...trial, layers: [...layers.slice(0, -1), trial] }
}

/** The real path of bubblewrap: of the program at `named`, else of the `bwrap` in the PATH. */
export const find = (named: string | undefined): string | undefined => {
  const path = named ?? findIn("bwrap")
  return path !== undefined && canRun(path) ? realpathSync(path) : undefined
}

/** The path of a program in the PATH of the server. */
export const findIn = (name: string): string | undefined => SearchPath.find(name, process.env["PATH"], canRun)

const canRun = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** The pause between two looks, while a signal waits. */
const step = "2 millis"

/** A child that ignores every signal, or cannot be seen from here, is signalled after this time. */
const longest = "30 seconds"

/**
 * Completes when the child inside of the bubblewrap with this pid obeys signals, or when that has ended. Until then
 * signals are ignored, for bubblewrap and for its forks, and one that is sent is lost.
 *
 * Bubblewrap is the parent of the first process of the new PID namespace, and that is the parent of the child. The sign
 * of a child that obeys is the last real-time signal, which the shield ignores and hardly any program.
 */
const inside = (pid: number, ended: () => boolean): Effect.Effect<void> =>
  Effect.sync(() => ended() || obeys(pid)).pipe(
    Effect.repeat({ until: (over) => over, schedule: Schedule.spaced(step) }),
    Effect.timeoutOption(longest),
    Effect.asVoid,
  )

const obeys = (bubblewrap: number): boolean => {
  try {
    let child = onlyChild(onlyChild(bubblewrap))
    // A process that ignores them may be another bubblewrap, inside of this one.
    while (child !== undefined && ignores(child)) child = onlyChild(child)
    return child !== undefined
  } catch {
    // The child is gone, or this kernel does not list children.
    return true
  }
}

const ignores = (pid: number): boolean => {
  const [, ignored = ""] = /^SigIgn:\s*([0-9a-f]+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
  return /^[89a-f]/.test(ignored)
}

const onlyChild = (pid: number | undefined): number | undefined => {
  if (pid === undefined) return undefined
  const [first = ""] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ")
  return first === "" ? undefined : Number(first)
}
