/** The addresses `systemd` and `systemd:NAME`: which of the sockets that systemd passed serve what. */
import * as Effect from "effect/Effect"
import type { Ffi } from "../process/posix/Ffi.ts"
import type { Environment } from "../systemd/Environment.ts"
import * as PassedSockets from "../systemd/PassedSockets.ts"
import type * as ListenAddress from "./ListenAddress.ts"
import { misconfigured, type ServeError } from "./ServeError.ts"

/** What is known of the sockets that systemd has passed to this process. */
export interface Systemd {
  readonly environment: Environment
  readonly openFfi: () => Ffi
  /** How errors name the option of addresses. */
  readonly label: string
}

/**
 * The addresses with those of the passed sockets in the places of `systemd`. `systemd:NAME` takes the sockets of that
 * name, `systemd` all that no other address names. A socket that nothing takes is a warning.
 */
export const resolve = (
  given: ReadonlyArray<ListenAddress.Given>,
  { environment, openFfi, label }: Systemd,
): Effect.Effect<ReadonlyArray<ListenAddress.ListenAddress>, ServeError> =>
  Effect.gen(function* () {
    const wanted = given.some(({ kind }) => kind === "systemd")
    if (!wanted && environment.listenFds === undefined) return given.filter(isResolved)
    const passed = PassedSockets.read(environment, openFfi)
    const sockets = yield* wanted
      ? Effect.mapError(passed, ({ message }) => misconfigured(`${label} systemd: ${message}`))
      : Effect.orElseSucceed(passed, (): ReadonlyArray<PassedSockets.PassedSocket> => [])
    const named = new Set(given.flatMap((each) => (each.kind === "systemd" ? [each.name] : [])))
    const resolved = yield* Effect.forEach(given, (each) => {
      if (each.kind !== "systemd") return Effect.succeed([each])
      const found = sockets.filter(({ name }) =>
        each.name === undefined ? !named.has(name) : name === each.name,
      )
      if (found.length > 0) return Effect.succeed(found.map(toAddress))
      const names = sockets.map(({ name }) => `'${name}'`).join(", ")
      const what = each.name === undefined ? "left without a name" : `named '${each.name}'`
      return misconfigured(`${label}: systemd passed no socket ${what}: those that it passed are ${names}`)
    })
    const taken = new Set(resolved.flat().map((each) => ("fd" in each ? each.fd : undefined)))
    for (const { fd, name } of sockets.filter((socket) => !taken.has(socket.fd))) {
      const remedy = `give ${label} systemd:${name}, or ${label} systemd for all`
      yield* Effect.logWarning(`nothing serves the socket '${name}' (descriptor ${fd}) of systemd: ${remedy}`)
    }
    return resolved.flat()
  })

const isResolved = (each: ListenAddress.Given): each is ListenAddress.ListenAddress => each.kind !== "systemd"

const toAddress = ({ fd, address }: PassedSockets.PassedSocket): ListenAddress.ListenAddress =>
  address.kind === "unix" ? { ...address, fd } : { ...address, kind: "ws", fd }
