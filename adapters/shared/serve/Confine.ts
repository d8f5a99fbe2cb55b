/**
 * The option `confine`: what the server lets processes, files and HTTP requests reach at most, whatever a request asks.
 *
 * Its words are a small language over the sandbox objects of requests: `read-only`, `workspace:DIR[,DIR…]`,
 * `deny:PATH[,PATH…]`, `network`, `no-network`, and the path of a JSON file with such an object. Access that no word
 * allows is denied: there is a network only with `network`. Several files and words hold all at once.
 */
import { realpathSync, statSync } from "node:fs"
import { resolve } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Confinement from "../../../core/protocol/Confinement.ts"
import * as Shape from "../../../core/protocol/shape/index.ts"
import { isObject, type Json } from "../../../core/protocol/Json.ts"
import { Sandbox } from "../../../core/protocol/Sandbox.ts"
import * as Suggestion from "../../../core/protocol/Suggestion.ts"
import { Host as HostTag, type HostInfo } from "../../../core/spawn/Host.ts"
import { Spawner } from "../../../core/spawn/Spawner.ts"
import * as TokenFile from "../auth/TokenFile.ts"
import * as Trial from "../confine/Trial.ts"
import * as TextFile from "../host/TextFile.ts"
import type { Settings } from "./Given.ts"
import { invalid, misconfigured, type ServeError } from "./ServeError.ts"

type Host = Pick<HostInfo, "cwd" | "env" | "platform">

/** The floor of a server with these services; fails if they cannot keep to it. */
export const floor = (
  settings: Settings,
  services: Context.Context<Spawner | HostTag>,
): Effect.Effect<Confinement.Confinement | undefined, ServeError, TextFile.TextFiles> =>
  Effect.gen(function* () {
    const found = yield* read(settings, Context.get(services, HostTag))
    if (found === undefined) return undefined
    const label = settings.label("confine")
    const spawner = Context.get(services, Spawner)
    if (!spawner.capabilities.confine) {
      const lacks =
        settings.options.spawner === undefined ? "bubblewrap is missing" : "its spawner does not confine"
      const remedy = "install it (apt-get install bubblewrap), or name it with --bwrap PATH"
      return yield* misconfigured(`${label}: this server cannot confine processes: ${lacks}; ${remedy}`)
    }
    // A spawner of somebody else is not asked to start what no client wants.
    if (settings.options.spawner !== undefined) return found
    const tried = Trial.run(spawner, (argv, rest) => Effect.succeed({ argv, ...rest, confinement: found }))
    yield* Effect.mapError(tried, ({ message }) =>
      misconfigured(`${label}: this server cannot confine processes: ${message}`),
    )
    return found
  })

/** The floor that the options ask for; undefined if they ask for none. */
export const read = (
  { options, label }: Settings,
  host: Host,
): Effect.Effect<Confinement.Confinement | undefined, ServeError, TextFile.TextFiles> =>
  Effect.gen(function* () {
    const { confine = [] } = options
    const words = typeof confine === "string" ? [confine] : confine
    if (words.length === 0) return undefined
    const [files, plain] = partition(words, isFile)
    const profiles = yield* Effect.forEach(files, (file) => fromFile(resolve(host.cwd, file), host, label))
    if (plain.length > 0) profiles.push(yield* fromWords(plain, host, label("confine")))
    const floor = profiles.reduce((one, other) => both(one, other))
    if (Confinement.hasAllFiles(floor) && floor.network)
      return yield* invalid(`${label("confine")} ${words.join(" ")}: this confines nothing: add ${expected}`)
    if (Confinement.hasAllFiles(floor)) return floor
    // Credentials, and the log of the clients, are not for the clients.
    const own = [
      options.tls?.keyFile,
      ...TokenFile.filesOf(options.auth?.tokenFile),
      options.auth?.sharedSecretFile,
      options.audit,
    ]
    const secrets = own.filter((file) => file !== undefined && file !== "-") as ReadonlyArray<string>
    const hidden = secrets.map((file) => ({ path: real(resolve(host.cwd, file)), access: "none" }) as const)
    return both(floor, { places: [everything, ...hidden], network: true })
  })

const everything = { path: "/", access: "write" } as const

const both = (one: Confinement.Confinement, other: Confinement.Confinement): Confinement.Confinement => ({
  places: Confinement.intersect(one.places, Confinement.merge(other.places)),
  network: one.network && other.network,
})

const isFile = (word: string): boolean => /^[./]|\.json$/.test(word)

const partition = (words: ReadonlyArray<string>, takes: (word: string) => boolean) =>
  [words.filter(takes), words.filter((word) => !takes(word))] as const

/** The words of the language; true for one that takes paths. */
const grammar: Readonly<Record<string, boolean>> = {
  "read-only": false,
  workspace: true,
  deny: true,
  network: false,
  "no-network": false,
}

const expected =
  "read-only, workspace:DIR[,DIR…], deny:PATH[,PATH…], network, no-network or a file ./PROFILE.json"

const fromWords = (
  words: ReadonlyArray<string>,
  { cwd }: Host,
  label: string,
): Effect.Effect<Confinement.Confinement, ServeError> =>
  Effect.gen(function* () {
    const places: Array<Confinement.Place> = []
    const names = new Set<string>()
    for (const word of words) {
      const [name = "", ...rest] = word.split(":")
      const paths = rest
        .join(":")
        .split(",")
        .filter((path) => path !== "")
      if (!Object.hasOwn(grammar, name)) {
        const meant = Suggestion.ofWord(name, Object.keys(grammar))
        return yield* invalid(`${label}: there is no profile '${word}'${meant}: expected ${expected}`)
      }
      if (grammar[name] !== paths.length > 0)
        return yield* invalid(`${label}: '${word}' ${grammar[name] ? "needs a path" : "takes no path"}`)
      names.add(name)
      for (const path of paths) places.push(yield* toPlace(name, resolve(cwd, path), label))
    }
    for (const [one, other] of excluding)
      if (names.has(one) && names.has(other))
        return yield* invalid(`${label}: ${one} and ${other} exclude each other`)
    const root: Confinement.Access = names.has("read-only") || names.has("workspace") ? "read" : "write"
    return {
      places: Confinement.merge([{ path: "/", access: root }, ...places]),
      network: names.has("network"),
    }
  })

const excluding = [
  ["read-only", "workspace"],
  ["network", "no-network"],
] as const

/** Links are resolved now, so none that is made later changes what the floor is. */
const toPlace = (name: string, path: string, label: string): Effect.Effect<Confinement.Place, ServeError> =>
  Effect.gen(function* () {
    if (name === "workspace") {
      const found = statSync(path, { throwIfNoEntry: false })
      if (found?.isDirectory() !== true)
        return yield* misconfigured(`${label} workspace:${path}: there is no such folder; make it first`)
      return { path: real(path), access: "write" }
    }
    const place = { path: real(path), access: "none" } as const
    if (statSync(path, { throwIfNoEntry: false }) !== undefined) return place
    return yield* Effect.as(Effect.logWarning(`${label} deny:${path}: there is nothing to hide yet`), place)
  })

const real = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** A sandbox object as in a request, or its `permissions` alone. */
const fromFile = (
  file: string,
  { cwd, env, platform }: Host,
  label: Settings["label"],
): Effect.Effect<Confinement.Confinement, ServeError, TextFile.TextFiles> =>
  Effect.gen(function* () {
    const wrong = (why: string) => misconfigured(`${label("confine")} ${file}: ${why}`)
    const text = yield* TextFile.readText(file, (reason) => wrong(`cannot read it: ${reason}`))
    const json = yield* Effect.try({
      try: () => JSON.parse(text) as Json,
      catch: () => wrong("it is not JSON"),
    })
    if (!isObject(json))
      return yield* wrong("expected an object: the sandbox of a request, or its permissions")
    const usual = { windowsSandboxLevel: "disabled", windowsSandboxProxySettingsMode: null }
    const given = "permissions" in json ? json : { permissions: json }
    const sandbox = Shape.decode(Sandbox, { ...usual, ...given }, { platform })
    const confinement = Result.flatMap(sandbox, (sandbox) =>
      Confinement.resolve(sandbox, { platform, cwd, tmpdir: env["TMPDIR"] }),
    )
    if (Result.isFailure(confinement)) return yield* wrong(confinement.failure)
    return confinement.success ?? { places: [everything], network: true }
  })
