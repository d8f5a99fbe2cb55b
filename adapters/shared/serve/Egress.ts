/**
 * The option `egress`: the hosts that processes of a server without a network may reach.
 *
 * Its rules are words, or files with rules. A file is looked at when a rule is asked for, at most once a second; one
 * that cannot be read any more, or that is wrong, leaves the rules as they were.
 */
import { readFileSync, realpathSync, statSync } from "node:fs"
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Confinement from "../../../core/protocol/Confinement.ts"
import type * as Rules from "../../../core/features/egress/Rules.ts"
import type { HostInfo } from "../../../core/spawn/Host.ts"
import type { Capabilities, SpawnerService } from "../../../core/spawn/Spawner.ts"
import * as Trial from "../confine/Trial.ts"
import type { Settings } from "./Given.ts"
import { invalid, misconfigured, type ServeError } from "./ServeError.ts"

/** The server that keeps to the rules. */
export interface Server {
  readonly host: Pick<HostInfo, "cwd">
  readonly floor: Confinement.Confinement | undefined
  readonly capabilities: Capabilities
}

/** The time between two looks at a file, in milliseconds. */
const lookMillis = 1000

/** The rules that the options ask for; undefined if they ask for none. Fails where nothing could keep to them. */
export const policy = (
  { options, label }: Settings,
  { host, floor, capabilities }: Server,
): Effect.Effect<Rules.Policy | undefined, ServeError> =>
  Effect.gen(function* () {
    const { egress } = options
    if (egress === undefined) return undefined
    const name = label("egress")
    const words = typeof egress === "string" ? [egress] : egress
    const { parse, parseFile } = yield* Effect.promise(() => import("../../../core/features/egress/Rules.ts"))
    const plain = parse(words.filter((word) => !isFile(word)))
    if (Result.isFailure(plain)) return yield* invalid(`${name}: ${plain.failure}`)
    if (floor === undefined || floor.network)
      return yield* misconfigured(
        `${name}: processes would reach everything beside it: add --confine without the word network, such as ` +
          "--confine workspace:DIR",
      )
    if (capabilities.egress !== true)
      return yield* misconfigured(`${name}: the spawner of this server cannot keep processes to these rules`)
    const files: Array<() => Rules.Rules> = []
    for (const word of words.filter(isFile)) {
      const read = Result.try({
        try: () => realpathSync(resolve(host.cwd, word)),
        catch: (error) => `${name} ${word}: cannot read it: ${String(error)}`,
      })
      if (Result.isFailure(read)) return yield* misconfigured(read.failure)
      const path = read.success
      // A process that writes its own rules has none.
      if (Confinement.placeOf(floor.places, path)?.access === "write")
        return yield* misconfigured(
          `${name} ${word}: processes may write this file: keep it outside of what --confine lets them write`,
        )
      const first = Result.flatMap(textOf(path), parseFile)
      if (Result.isFailure(first)) return yield* misconfigured(`${name} ${word}: ${first.failure}`)
      files.push(following(path, first.success, parseFile))
    }
    return {
      of: `the server (${name})`,
      rules: () => merged([plain.success, ...files.map((rules) => rules())]),
    }
  })

/** Starts a process that does nothing, with rules that allow nothing: fails where this machine cannot keep to them. */
export const tried = (
  { options, label }: Settings,
  spawner: SpawnerService,
  confinement: Confinement.Confinement | undefined,
): Effect.Effect<void, ServeError> =>
  Effect.gen(function* () {
    if (options.egress === undefined || confinement === undefined || confinement.network) return
    // A spawner of somebody else is not asked to start what no client wants.
    if (options.spawner !== undefined) return
    const Gate = yield* Effect.promise(() => import("../../../core/features/egress/Gate.ts"))
    const egress = Gate.make([], { told: () => {} })
    yield* Trial.run(spawner, (argv, rest) => Effect.succeed({ argv, ...rest, confinement, egress })).pipe(
      Effect.mapError(({ message }) => misconfigured(`${label("egress")}: ${message}`)),
    )
  })

const isFile = (word: string): boolean => /^\.{0,2}\//.test(word) || /\.(?:json|rules)$/.test(word)

/** The rules of a file of this moment. */
const following = (
  path: string,
  first: Rules.Rules,
  parseFile: (text: string) => Result.Result<Rules.Rules, string>,
): (() => Rules.Rules) => {
  let rules = first
  let version = versionOf(path)
  let looked = performance.now()
  return () => {
    if (performance.now() - looked < lookMillis) return rules
    looked = performance.now()
    const now = versionOf(path)
    if (now === undefined || now === version) return rules
    const read = Result.flatMap(textOf(path), parseFile)
    if (Result.isSuccess(read)) {
      rules = read.success
      version = now
    }
    return rules
  }
}

const versionOf = (path: string): string | undefined => {
  try {
    const { mtimeMs, size, ino } = statSync(path)
    return `${mtimeMs} ${size} ${ino}`
  } catch {
    return undefined
  }
}

const textOf = (path: string): Result.Result<string, string> =>
  Result.try({ try: () => readFileSync(path, "utf8"), catch: (error) => `cannot read it: ${String(error)}` })

const merged = (all: ReadonlyArray<Rules.Rules>): Rules.Rules => ({
  allow: all.flatMap(({ allow }) => allow),
  deny: all.flatMap(({ deny }) => deny),
  ask: all.flatMap(({ ask }) => ask),
  asksRest: all.some(({ asksRest }) => asksRest),
})
