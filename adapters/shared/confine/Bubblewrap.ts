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
 * A child never runs less confined than asked for. Without bubblewrap the capability is absent; if bubblewrap does
 * not work here, which a trial finds out before the first child, a start fails with `Unconfinable`.
 */
import { accessSync, constants, realpathSync, statSync } from "node:fs"
import process from "node:process"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Confinement from "../../../core/protocol/Confinement.ts"
import { SpawnError } from "../../../core/spawn/SpawnError.ts"
import * as Spawner from "../../../core/spawn/Spawner.ts"
import * as SearchPath from "../host/SearchPath.ts"
import * as ProgramLookup from "../process/ProgramLookup.ts"
import * as CallFilter from "./CallFilter.ts"
import * as Inside from "./Inside.ts"
import * as Mounts from "./Mounts.ts"
import * as OpenFile from "./OpenFile.ts"
import * as Trial from "./Trial.ts"

/** Options of the confinement. */
export interface Options {
  /** The path of bubblewrap. Default: the `bwrap` in the PATH of the server. */
  readonly program?: string | undefined
  /** For every child whose spec has none. Default: such a child is not confined. */
  readonly confinement?: Confinement.Confinement
}

/** Adds the capability `confine` to the inner spawner, if bubblewrap is installed. */
export const layer = (options: Options = {}): Layer.Layer<Spawner.Spawner, never, Spawner.Spawner> =>
  Layer.effect(
    Spawner.Spawner,
    Effect.map(Spawner.Spawner, (inner) => make(inner, options)),
  )

/** The same without a layer. */
export const make = (inner: Spawner.SpawnerService, options: Options = {}): Spawner.SpawnerService => {
  const program = process.platform === "linux" ? find(options.program) : undefined
  if (program === undefined && options.confinement === undefined) return inner
  let works = false

  const confine = (spec: Spawner.SpawnSpec, confinement: Confinement.Confinement) =>
    Effect.gen(function* () {
      if (program === undefined) return yield* unconfinable(`${options.program ?? "bwrap"} was not found`)
      if (spec.arg0 !== undefined) return yield* invalid("arg0 cannot be set for a confined process")
      const found = yield* ProgramLookup.find(spec)
      if (!works) {
        const wrong = yield* Trial.run(inner, (argv, rest) => wrap(program, argv, trial, rest))
        if (wrong !== undefined) return yield* unconfinable(wrong)
        works = true
      }
      return yield* wrap(program, [found, ...spec.argv.slice(1)], confinement, spec)
    })

  return {
    capabilities: {
      ...inner.capabilities,
      arg0: inner.capabilities.arg0 && options.confinement === undefined,
      confine: program !== undefined,
    },
    spawn: (spec, events) => {
      const confinement = spec.confinement ?? options.confinement
      if (confinement === undefined) return inner.spawn(spec, events)
      const started = Effect.flatMap(confine(spec, confinement), (wrapped) =>
        signalledInside(inner, wrapped, events),
      )
      return Effect.gen(function* () {
        const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
        return yield* Scope.extend(started, scope).pipe(
          Effect.onExit((exit) => (Exit.isFailure(exit) ? Scope.close(scope, exit) : Effect.void)),
        )
      })
    },
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
    const waited = Inside.wait(pid, () => ended)
    return { ...child, signal: (name) => Effect.zipRight(waited, child.signal(name)) }
  })
}

const trial: Confinement.Confinement = { places: [{ path: "/", access: "read" }], network: false }

/**
 * The spec that starts bubblewrap instead. What that holds (files, placeholders) is released with the scope. `first`
 * are arguments to bubblewrap that come before the places.
 */
export const wrap = (
  program: string,
  argv: readonly [string, ...ReadonlyArray<string>],
  confinement: Confinement.Confinement,
  { cwd, env, stdio }: Omit<Spawner.SpawnSpec, "argv">,
  first: ReadonlyArray<string> = [],
) =>
  Effect.gen(function* () {
    const filter = CallFilter.make(process.arch, confinement.network)
    if (filter === undefined) return yield* unconfinable(`no filter of system calls for ${process.arch}`)
    const setting = Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value])
    if ("" in env || Object.keys(env).some((name) => name.includes("="))) {
      return yield* invalid("a variable of a confined process has a name without characters or with `=`")
    }
    const mounts = yield* hold(
      () => Mounts.make(confinement),
      (mounts) => mounts.release(),
    )
    const network = confinement.network ? [] : ["--unshare-net"]
    const args = [...namespaces, ...network, ...first, ...mounts.args, ...setting, "--seccomp", "4"]
    const [words, calls] = [
      yield* open(new TextEncoder().encode(args.map((arg) => `${arg}\0`).join(""))),
      yield* open(filter),
    ]
    const shielded = sees(confinement, env_)
    // Bubblewrap sets PWD. `env` would take a program with `=` in its path for a variable, so `nice` starts it.
    const pwd = env["PWD"] === undefined ? ["-u", "PWD"] : [`PWD=${env["PWD"]}`]
    const front = shielded
      ? [env_, "--default-signal", ...pwd, ...(argv[0].includes("=") ? [nice, "-n", "0"] : [])]
      : []
    return {
      argv: [
        "/bin/sh",
        "-c",
        shielded ? `${shield}${script}` : script,
        program,
        words.path,
        calls.path,
        ...front,
        ...argv,
      ],
      cwd,
      env: {},
      stdio,
    } satisfies Spawner.SpawnSpec
  })

const namespaces = ["--unshare-user", "--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL"]

const env_ = "/usr/bin/env"
const nice = "/usr/bin/nice"

/** Ignores the signals that would end bubblewrap, real-time signals included. */
const realTime = "$(i=34; while [ $i -le 64 ]; do echo $i; i=$((i + 1)); done)"
const shield = `trap "" 1 2 3 10 12 13 14 15 16 24 25 26 27 29 30 ${realTime}; `

const script = `args=$1 calls=$2; shift 2; exec "$0" --args 3 -- "$@" 3<"$args" 4<"$calls"`

const sees = ({ places }: Confinement.Confinement, path: string): boolean => {
  const access = Confinement.placeOf(places, path)?.access
  return access === "read" || access === "write"
}

const open = (bytes: Uint8Array) =>
  hold(
    () => OpenFile.make(bytes),
    (file) => file.close(),
  )

const hold = <A>(acquire: () => A, release: (value: A) => void) =>
  Effect.acquireRelease(
    Effect.try({
      try: acquire,
      catch: (cause) =>
        new SpawnError({ reason: "Unconfinable", message: `cannot confine: ${String(cause)}`, cause }),
    }),
    (value) => Effect.sync(() => release(value)),
  )

const unconfinable = (why: string) =>
  Effect.fail(
    new SpawnError({
      reason: "Unconfinable",
      message: `restricted \`sandbox\` permissions need bubblewrap: ${why}`,
    }),
  )

const invalid = (message: string) => Effect.fail(new SpawnError({ reason: "InvalidArgument", message }))

/** The real path of bubblewrap: of the program at `named`, else of the `bwrap` in the PATH. */
export const find = (named: string | undefined): string | undefined => {
  const path = named ?? SearchPath.find("bwrap", process.env["PATH"], canRun)
  return path !== undefined && canRun(path) ? realpathSync(path) : undefined
}

const canRun = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
