/**
 * The only way out of a child with egress rules: a network namespace of its own, and in it a proxy that asks the gate
 * of the child. There is one for each child, so each connection has an owner. That of a child whose server is gone is
 * opened again at the same port, from within its namespace.
 *
 * The code is loaded with the first such child.
 */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type * as Egress from "../../../../core/spawn/Egress.ts"
import type { SpawnError } from "../../../../core/spawn/SpawnError.ts"
import type * as Spawner from "../../../../core/spawn/Spawner.ts"
import * as OwnProgram from "../../confine/OwnProgram.ts"
import type { Ffi } from "../../process/posix/Ffi.ts"
import type { Proxy } from "../Proxy.ts"
import * as Unkept from "./Unkept.ts"

/** The parts of the host that they need. */
export interface Host {
  /** Calls the C library; throws where that is impossible. */
  readonly openFfi: () => Ffi
  /** True if this process is the program procwire. */
  readonly isCommand: boolean
  /** Loads what makes a proxy that asks a gate. */
  readonly loadProxy: () => Promise<(gate: Egress.Gate) => Proxy>
}

/** The parts that the spawner brings. */
export interface Parts {
  /** Starts the process that makes the namespaces. */
  readonly spawner: Spawner.SpawnerService
  /** The path of bubblewrap. */
  readonly bubblewrap: string
  /** The path of nsenter, of util-linux or of busybox. */
  readonly nsenter: string | undefined
}

/** The way out of one child that is to be started. */
export interface Outlet {
  /** The command line that enters its namespace, in front of that of bubblewrap. */
  readonly enter: ReadonlyArray<string>
  /** The environment of the child, with the variables of the proxy. */
  readonly environment: (given: Readonly<Record<string, string>>) => Readonly<Record<string, string>>
  /** Its place, for a later server. */
  readonly place: Egress.Outlet
}

export interface Outlets {
  /** The part of the host that is missing, in words: then none can be opened. */
  readonly missing: string | undefined
  /** Opens one, until the scope ends. */
  readonly open: (gate: Egress.Gate) => Effect.Effect<Outlet, SpawnError, Scope.Scope>
  /** Opens that of a process again, whose server is gone, until the scope ends. */
  readonly reopen: (
    pid: number,
    place: Egress.Outlet,
    gate: Egress.Gate,
  ) => Effect.Effect<void, SpawnError, Scope.Scope>
}

/** The making of them, until the scope ends. */
export type MakeOutlets = (parts: Parts) => Effect.Effect<Outlets, never, Scope.Scope>

/** The ways out that are opened again at once: each of them starts a program for a moment. */
const mostAtOnce = 4

/** Makes ways out; a refusal of the kernel shows with the first child. */
export const make = (
  { openFfi, isCommand, loadProxy }: Host,
  { nsenter, ...parts }: Parts,
): ReturnType<MakeOutlets> =>
  Effect.gen(function* () {
    const command = OwnProgram.find(isCommand)
    const ffi = yield* Effect.option(Effect.try(openFfi))
    const scope = yield* Effect.scope
    if (nsenter === undefined)
      return lacking("nsenter is not in the PATH of the server (it is part of util-linux)")
    if (command === undefined)
      return lacking("the program procwire is not beside this one, which was bundled")
    if (Option.isNone(ffi))
      return lacking("the C library cannot be called (on Node that takes the package koffi)")
    const load = yield* Effect.cached(
      Effect.gen(function* () {
        const [Entrance, Namespaces, ProxyEnvironment, makeProxy] = yield* Effect.promise(() =>
          Promise.all([
            import("./Entrance.ts"),
            import("./Namespaces.ts"),
            import("./ProxyEnvironment.ts"),
            loadProxy(),
          ]),
        )
        const made = Namespaces.make({ ...parts, command, ffi: ffi.value })
        return {
          namespaces: yield* Scope.provide(made, scope),
          entrances: Entrance.make(ffi.value),
          listenAt: Namespaces.listenAt,
          ProxyEnvironment,
          serve: (gate: Egress.Gate) =>
            Effect.acquireRelease(
              Effect.sync(() => makeProxy(gate)),
              (proxy) => Effect.sync(proxy.close),
            ),
        }
      }).pipe(Effect.uninterruptible),
    )
    const turns = Semaphore.makeUnsafe(mostAtOnce)
    return {
      missing: undefined,
      open: (gate) =>
        Effect.gen(function* () {
          const { entrances, namespaces, ProxyEnvironment, serve } = yield* load
          const { network, user, port, listen } = yield* namespaces.take
          const { accept } = yield* serve(gate)
          yield* listen(accept)
          const fd = (number: number) => `/proc/${process.pid}/fd/${number}`
          const placeholders = gate.injections?.map(({ name, placeholder }) => [name, placeholder] as const)
          return {
            enter: [nsenter, "--preserve-credentials", `--user=${fd(user)}`, `--net=${fd(network)}`, "--"],
            environment: (given) => ProxyEnvironment.make(given, port, gate.injections),
            place: {
              network: entrances.nameAt(fd(network)),
              port,
              placeholders: Object.fromEntries(placeholders ?? []),
            },
          }
        }),
      reopen: (pid, { network, port }, gate) =>
        Effect.gen(function* () {
          const { entrances, listenAt, serve } = yield* load
          const listening = Effect.gen(function* () {
            const within = yield* entrances.open({ spawner: parts.spawner, isCommand }, pid, Unkept.make)
            // It is open now, so no other namespace can come by its name.
            if (within.network !== network)
              return yield* Effect.fail(Unkept.make(`process ${pid} is in another network than at its start`))
            return yield* within.listener(port)
          })
          const fd = yield* Effect.scoped(listening).pipe(turns.withPermits(1))
          const { accept } = yield* serve(gate)
          yield* listenAt(fd, accept)
        }),
    }
  })

const lacking = (missing: string): Outlets => {
  const refused = Effect.fail(Unkept.make(missing))
  return { missing, open: () => refused, reopen: () => refused }
}
