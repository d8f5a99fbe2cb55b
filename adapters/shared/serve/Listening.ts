/**
 * Addresses and admission of a server, with TLS and authentication.
 *
 * Options that contradict each other start no server: neither does a credential that no listener would ask for, nor an
 * address that others can reach and nothing guards.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as TextFile from "../host/TextFile.ts"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Listener, type ListenerService, type Terms } from "../../../core/transport/Listener.ts"
import { TransportError } from "../../../core/transport/Transport.ts"
import * as LazyWebSockets from "../transport/LazyWebSockets.ts"
import type * as Peers from "../transport/Peers.ts"
import type { Site } from "../transport/Site.ts"
import * as SocketListener from "../transport/SocketListener.ts"
import type { Early } from "../start/Early.ts"
import * as KeptAnswer from "../start/KeptAnswer.ts"
import * as StdioTransport from "../transport/StdioTransport.ts"
import * as UpgradeAdmission from "../transport/UpgradeAdmission.ts"
import type { Settings } from "./Given.ts"
import * as ListenAddress from "./ListenAddress.ts"
import { invalid, misconfigured, type ServeError } from "./ServeError.ts"
import type * as Bearer from "../auth/Bearer.ts"
import * as TokenFile from "../auth/TokenFile.ts"
import * as Tls from "../transport/Tls.ts"
import * as AuthRule from "./AuthRule.ts"
import * as TlsFiles from "./TlsFiles.ts"
import type { Ffi } from "../process/posix/Ffi.ts"
import type { Environment } from "../systemd/Environment.ts"
import * as Lazy from "../Lazy.ts"
import type { PassedSocket } from "../systemd/PassedSockets.ts"

/** The addresses of a server, and what guards them. */
export interface Listening extends RenewableFiles {
  readonly addresses: ReadonlyArray<ListenAddress.ListenAddress>
}

/** Reads the options and the files they name, and looks up what systemd has passed. */
export const read = (
  settings: Settings,
  systemd: Omit<Systemd, "label">,
): Effect.Effect<Listening, ServeError, TextFile.TextFiles> =>
  Effect.gen(function* () {
    const { options, label } = settings
    const files = yield* readFiles(settings)
    const { tls, rule } = files
    // A host of a fleet is reached through its routers, unless addresses are given.
    const usual = options.join === undefined ? [ListenAddress.defaultAddress] : []
    const given = options.listen === undefined ? usual : [options.listen].flat()
    const parsed = yield* ListenAddress.parseAll(given, label("listen"))
    const addresses = yield* resolveSockets(parsed, { ...systemd, label: label("listen") })
    const kinds = new Set(addresses.map(({ kind }) => kind))
    if (tls !== undefined && !kinds.has("ws") && !kinds.has("tcp"))
      return yield* invalid(`${label("tls.certFile")} needs a ws:// or tcp:// address`)
    // Without any address, the WebSockets are those of the program's own HTTP server.
    if (rule !== undefined && !kinds.has("ws") && kinds.size > 0) {
      return yield* misconfigured(
        `WebSocket auth requires a WebSocket listener, not ${[...kinds].join(", ")}`,
      )
    }
    if (options.allowUnauthenticated !== true) {
      const guard = { token: rule !== undefined, certificate: tls?.clientCa !== undefined }
      for (const address of addresses) yield* ListenAddress.refuseUnguarded(address, guard, label)
    }
    return { ...files, addresses }
  })

/** The answers of WebSocket listeners beside upgrades. */
export interface Beside {
  readonly pages?: UpgradeAdmission.Pages
  /** Pages for browsers. */
  readonly site?: Site | undefined
}

/**
 * Listens at every address until the scope closes. `lookUp` tells who connects to a unix socket, `early` is the start
 * of a server on stdio.
 */
export const bindAll = (
  listening: Pick<Listening, "addresses" | "tls" | "rule">,
  terms: Terms = {},
  { pages = {}, site }: Beside = {},
  lookUp?: Peers.LookUp,
  early?: Early,
): Effect.Effect<ReadonlyArray<ListenerService>, TransportError, Scope.Scope> => {
  const { addresses, tls } = listening
  const secure = tls === undefined ? {} : { tls }
  const rules = { pages, site, ...rulesOf(listening) }
  const layerOf = (address: ListenAddress.ListenAddress): Layer.Layer<Listener, TransportError> => {
    switch (address.kind) {
      case "stdio":
        return early === undefined ? StdioTransport.layer(terms) : KeptAnswer.layer(terms, early)
      case "ws":
        return LazyWebSockets.layerWebSocket({ ...address, ...secure, ...rules, terms })
      case "unix":
        return SocketListener.layerSocket({ ...address, lookUp }, terms)
      case "tcp":
        return SocketListener.layerSocket({ ...address, ...secure }, terms)
    }
  }
  return Effect.forEach(addresses, (address) =>
    Effect.map(Layer.build(layerOf(address)), Context.get(Listener)),
  )
}

/** The admission of WebSockets. */
export const rulesOf = ({ rule }: Pick<Listening, "rule">): Pick<UpgradeAdmission.Rules, "admit"> =>
  rule === undefined ? {} : { admit: UpgradeAdmission.admitBearer(rule) }

/** The error of an address that cannot be bound, with what to do about it; `label` is how errors name the option. */
export const withRemedy = (error: TransportError, label: string): TransportError => {
  const remedy = remedies[Object(error.cause).code]
  if (remedy === undefined) return error
  return new TransportError({ ...error, message: `${error.message}; ${remedy(label)}` })
}

const remedies: Readonly<Record<string, (label: string) => string>> = {
  EADDRINUSE: (label) =>
    `another program listens there: give ${label} another port, or port 0 for a free one`,
  EADDRNOTAVAIL: (label) =>
    `no interface of this host has that address: give ${label} 127.0.0.1, or 0.0.0.0 for all`,
  EACCES: (label) => `this user may not listen there: give ${label} a port above 1023`,
}

export interface RenewableFiles {
  readonly tls: Tls.ServerTls | undefined
  /** The rule of WebSocket listeners; undefined admits everybody. */
  readonly rule: Bearer.Rule | undefined
  /** The files that the options name, for a log: `--tls-cert FILE`. */
  readonly named: ReadonlyArray<string>
  /** Reads them again, for connections that begin later. A file that is wrong changes nothing. */
  readonly renew: Effect.Effect<void, ServeError, TextFile.TextFiles>
}

/** Reads the files for the first time. */
const readFiles = (settings: Settings): Effect.Effect<RenewableFiles, ServeError, TextFile.TextFiles> =>
  Effect.gen(function* () {
    const load = Effect.all({ tls: TlsFiles.readServer(settings), rule: AuthRule.read(settings) })
    const { certificates, secrets } = filesOf(settings)
    const users: Array<(renewed: Tls.ServerTls) => void> = []
    let current = yield* load
    const { tls, rule } = current
    return {
      tls: tls && { ...tls, onRenewal: (use) => void users.push(use) },
      rule: rule && ((authorization) => (current.rule ?? rule)(authorization)),
      named: [...certificates, ...secrets],
      renew: Effect.gen(function* () {
        const next = yield* load
        if (next.tls !== undefined) {
          yield* Effect.mapError(Tls.check(next.tls), ({ message }) =>
            misconfigured(`${message} with ${certificates.join(", ")}`),
          )
        }
        current = next
        for (const use of users) if (next.tls !== undefined) use(next.tls)
      }),
    }
  })

/** The options that name files, each with its file. */
const filesOf = ({ options: { tls = {}, auth = {} }, label }: Settings) => {
  const named = (path: string, file: string | undefined) =>
    file === undefined ? [] : [`${label(path)} ${file}`]
  return {
    certificates: [
      ...named("tls.certFile", tls.certFile),
      ...named("tls.keyFile", tls.keyFile),
      ...named("tls.clientCaFile", tls.clientCaFile),
    ],
    secrets: [
      ...TokenFile.filesOf(auth.tokenFile).flatMap((file) => named("auth.tokenFile", file)),
      ...named("auth.sharedSecretFile", auth.sharedSecretFile),
    ],
  }
}

/** The source of the sockets that systemd has passed to this process. */
export interface Systemd {
  readonly environment: Environment
  readonly openFfi: () => Ffi
  /** The name of the option of addresses in errors. */
  readonly label: string
}

/**
 * The addresses with those of the passed sockets in the places of `systemd`. `systemd:NAME` takes the sockets of that
 * name, `systemd` all that no other address names. A socket that nothing takes is a warning.
 */
const resolveSockets = (
  given: ReadonlyArray<ListenAddress.Given>,
  { environment, openFfi, label }: Systemd,
): Effect.Effect<ReadonlyArray<ListenAddress.ListenAddress>, ServeError> =>
  Effect.gen(function* () {
    const wanted = given.some(({ kind }) => kind === "systemd")
    if (!wanted && environment.listenFds === undefined) return given.filter(isResolved)
    const passed = Lazy.use(
      () => import("../systemd/PassedSockets.ts"),
      ({ read }) => read(environment, openFfi),
    )
    const sockets = yield* wanted
      ? Effect.mapError(passed, ({ message }) => misconfigured(`${label} systemd: ${message}`))
      : Effect.orElseSucceed(passed, (): ReadonlyArray<PassedSocket> => [])
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

const toAddress = ({ fd, address }: PassedSocket): ListenAddress.ListenAddress =>
  address.kind === "unix" ? { ...address, fd } : { ...address, kind: "ws", fd }
