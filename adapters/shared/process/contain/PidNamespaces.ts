/**
 * Containment by PID namespaces: a spawner around another one, which starts each child in a namespace of its own.
 * Nobody can leave it, and the kernel kills everybody inside with its first process, a `Keeper`.
 *
 * The child is started by `nsenter`, from outside, and waited for by `unshare --fork`, which dies of the signal that
 * the child has died of, so exit codes and signals are exact. It cannot do that with SIGKILL: it complains then, into a
 * file, and exits with 1. Both share the child's group, so they ignore all signals that can be ignored, and `env`
 * restores them inside. A signal that comes before is lost.
 *
 * The files are those of the host, but for a /proc of the namespace. Without root, a user namespace comes with it, in
 * which programs like sudo gain nothing.
 */
import { accessSync, constants } from "node:fs"
import process from "node:process"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type * as Spawner from "../../../../core/spawn/Spawner.ts"
import { SpawnError } from "../../../../core/spawn/SpawnError.ts"
import * as SpecCheck from "../../../../core/spawn/SpecCheck.ts"
import * as OsError from "../../host/OsError.ts"
import type { KernelFiles } from "../../host/KernelFiles.ts"
import * as SearchPath from "../../host/SearchPath.ts"
import type { ProcessTable } from "../ProcessTable.ts"
import * as ProgramLookup from "../ProgramLookup.ts"
import * as Keeper from "./Keeper.ts"

/** The programs that start a child, by their paths. */
interface Programs {
  readonly bwrap: string
  readonly nsenter: string
  readonly unshare: string
  readonly env: string
  readonly nice: string
}

const packages = {
  bwrap: "bubblewrap",
  nsenter: "util-linux",
  unshare: "util-linux",
  env: "coreutils",
  nice: "coreutils",
} as const satisfies Record<keyof Programs, string>

const SIGKILL = 9
/** What `unshare` exits with where it cannot die of a signal. */
const FAILURE = 1

/** What is read of the host. */
export interface Host {
  readonly files: KernelFiles
  readonly table: ProcessTable
}

/** Every signal but KILL, CHLD, CONT and those that stop: a group that is stopped stops whole. */
const ignored = Array.from({ length: 64 }, (_, index) => index + 1).filter(
  (number) => ![9, 17, 18, 19, 20, 21, 22, 32, 33].includes(number),
)
const script = `trap '' ${ignored.join(" ")}; exec 3>&2 2>"$0"; exec "$@"`
/** Gives the child its stderr back. */
const inside = `exec 2>&3 3>&-; exec "$@"`

/** Wraps a spawner. Fails with the reason why that does not work on this host. */
export const around = (
  inner: Spawner.SpawnerService,
  host: Host,
): Effect.Effect<Spawner.SpawnerService, string> =>
  Effect.gen(function* () {
    const programs = yield* findAll
    const spawner = make(inner, programs, host)
    yield* tryOut(spawner)
    return spawner
  })

const make = (
  inner: Spawner.SpawnerService,
  programs: Programs,
  { files, table }: Host,
): Spawner.SpawnerService => ({
  // argv[0] belongs to `env`.
  capabilities: { ...inner.capabilities, arg0: false },
  spawn: (spec, events) => {
    const started = Effect.gen(function* () {
      const refusal = SpecCheck.refusal(spec)
      if (refusal !== undefined) return yield* refusal
      const errno = ProgramLookup.access(`${spec.cwd}/.`)
      if (errno !== 0) return yield* OsError.fromErrno(errno)
      const program = yield* ProgramLookup.find(spec)
      const keeper = yield* Effect.mapError(Keeper.make(programs.bwrap), cannot)
      const argv = argvOf(programs, keeper, { ...spec, argv: [program, ...spec.argv.slice(1)] })
      const child = yield* inner.spawn({ ...spec, argv }, exact(events, files, keeper))
      // Had it gone, its pid might be that of a stranger by now.
      if (!keeper.isAlive()) return yield* cannot("the namespace has ended")
      return {
        ...child,
        kill: Effect.zipRight(child.kill, Effect.sync(keeper.kill)),
        outlived: Effect.sync(() => isPopulated(table, keeper)),
      }
    })
    return Effect.gen(function* () {
      const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
      return yield* Scope.extend(started, scope).pipe(
        Effect.onExit((exit) => (Exit.isFailure(exit) ? Scope.close(scope, exit) : Effect.void)),
      )
    })
  },
})

const cannot = (why: string) =>
  new SpawnError({ reason: "Unsupported", message: `no PID namespace for the process: ${why}` })

/** The events of a child whose exit code 1 may mean that it was killed: `unshare` complains then. */
const exact = (
  { end, exit, output }: Spawner.SpawnEvents,
  files: KernelFiles,
  keeper: Keeper.Keeper,
): Spawner.SpawnEvents => ({
  output,
  end,
  exit: (status) => {
    const mayBeKilled = status.kind === "exited" && status.code === FAILURE
    const killed = mayBeKilled && (!keeper.isAlive() || files.read(keeper.file) !== "")
    exit(killed ? { kind: "signaled", signal: SIGKILL } : status)
  },
})

/** Orphans become children of the first process, beside the shell of the keeper. */
const isPopulated = (table: ProcessTable, { init, isAlive }: Keeper.Keeper): boolean =>
  isAlive() && table.all().filter(({ parent, state }) => parent === init && state !== "Z").length > 1

const argvOf = (
  { env, nice, nsenter, unshare }: Programs,
  { file, init }: Keeper.Keeper,
  spec: Spawner.SpawnSpec,
): Spawner.SpawnSpec["argv"] => {
  const user = process.getuid?.() === 0 ? [] : ["--user", "--preserve-credentials"]
  const enter = [nsenter, `--target=${init}`, ...user, "--mount", "--pid", "--no-fork", "--"]
  const restore = [env, `--chdir=${spec.cwd}`, "--default-signal", ...variables(spec.env)]
  // `env` would take a program with `=` in its path for a variable.
  const last = spec.argv[0].includes("=") ? [nice, "-n", "0"] : []
  const within = ["/bin/sh", "-c", inside, "procwire-pidns", ...restore, ...last, ...spec.argv]
  const command = [...enter, unshare, "--fork", "--", ...within]
  return ["/bin/sh", "-c", script, file, ...command]
}

/** What shells set, and what they drop, because it is no name of a variable to them. */
const variables = (env: Spawner.SpawnSpec["env"]): ReadonlyArray<string> => {
  const [set, odd] = [
    ["_", "OLDPWD", "PWD", "SHLVL"],
    Object.keys(env).filter((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)),
  ]
  const given = set.filter((name) => Object.hasOwn(env, name))
  const unset = set.filter((name) => !given.includes(name)).map((name) => `--unset=${name}`)
  return [...unset, ...[...given, ...odd].map((name) => `${name}=${env[name]}`)]
}

const findAll: Effect.Effect<Programs, string> = Effect.suspend(() => {
  const found: Record<string, string> = {}
  for (const [name, pack] of Object.entries(packages)) {
    const path = SearchPath.find(name, `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin:/usr/bin:/bin`, runs)
    if (path === undefined)
      return Effect.fail(`the program ${name} was not found in PATH; apt-get install ${pack}`)
    found[name] = path
  }
  return Effect.succeed(found as unknown as Programs)
})

const runs = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** A child that kills itself must be reported so: with other versions of these programs that may not be. */
const tryOut = (spawner: Spawner.SpawnerService): Effect.Effect<void, string> =>
  Effect.gen(function* () {
    const ended = yield* Deferred.make<Spawner.ExitStatus>()
    let said = ""
    const argv = ["/bin/sh", "-c", "kill -s KILL $$"] as const
    yield* spawner.spawn(
      { argv, cwd: "/", env: {}, stdio: { kind: "pipe", stdin: false } },
      {
        output: (_, bytes) => void (said += new TextDecoder().decode(bytes)),
        end: () => {},
        exit: (status) => Deferred.unsafeDone(ended, Effect.succeed(status)),
      },
    )
    const status = yield* Deferred.await(ended)
    if (status.kind === "signaled" && status.signal === 9) return
    yield* Effect.fail(said.trim() || "nsenter and unshare of util-linux 2.38 or later are needed")
  }).pipe(
    Effect.scoped,
    Effect.mapError((error: SpawnError | string) => (typeof error === "string" ? error : error.message)),
    Effect.timeoutFail({ duration: "10 seconds", onTimeout: () => "a process in a namespace does not end" }),
  )
