/**
 * The environment of a child: a pure function of the request's `env`, its policy, the server's own variables and the
 * platform. Patterns match whole names without case; `*` and `?` are wildcards.
 */
import * as EnvNames from "../protocol/EnvNames.ts"
import type { EnvPolicy } from "../protocol/Process.ts"

/** Environment variables by name. */
export type Env = Readonly<Record<string, string>>

/** The sources of the environment of a child. */
export interface EnvRequest {
  /** Set over the result of the policy; the whole environment if there is no policy. */
  readonly env: Env
  /** The inherited part of the server's variables, and its changes. */
  readonly policy: EnvPolicy | undefined
  /** The server's own variables. */
  readonly inherited: Env
  /** `linux`, `macos`, `windows`. */
  readonly platform: string
}

const strippedExactly = new Set(EnvNames.strippedExactly)
const stripped = new Set(EnvNames.stripped)

/** The whole environment of a child. */
export const resolve = ({ env, policy, inherited, platform }: EnvRequest): Env => {
  const variables = policy === undefined ? new Map<string, string>() : fromPolicy(policy, inherited, platform)
  for (const [name, value] of Object.entries(env)) variables.set(name, value)
  for (const name of variables.keys()) {
    if (strippedExactly.has(name) || stripped.has(name.toUpperCase())) variables.delete(name)
  }
  return Object.fromEntries(variables)
}

const fromPolicy = (policy: EnvPolicy, inherited: Env, platform: string): Map<string, string> => {
  const excludes = [...(policy.ignoreDefaultExcludes ? [] : EnvNames.defaultExcludes), ...policy.exclude].map(
    toPattern,
  )
  const variables = new Map<string, string>()
  for (const [name, value] of Object.entries(inherited)) {
    if (!isInherited(policy.inherit, name, platform)) continue
    if (!excludes.some((matches) => matches(name))) variables.set(name, value)
  }
  for (const [name, value] of Object.entries(policy.set)) variables.set(name, value)
  if (policy.includeOnly.length > 0) {
    const only = policy.includeOnly.map(toPattern)
    for (const name of variables.keys()) {
      if (!only.some((matches) => matches(name))) variables.delete(name)
    }
  }
  if (platform === "windows" && ![...variables.keys()].some((name) => name.toUpperCase() === "PATHEXT")) {
    variables.set("PATHEXT", ".COM;.EXE;.BAT;.CMD")
  }
  return variables
}

const isInherited = (inherit: EnvPolicy["inherit"], name: string, platform: string): boolean =>
  inherit === "all" ||
  (inherit === "core" &&
    EnvNames.core[platform === "windows" ? "windows" : "unix"].includes(name.toUpperCase()))

/** A test for whole names. It takes at most the product of both lengths, so that no pattern is expensive. */
const toPattern = (glob: string) => {
  const pattern = [...glob.toUpperCase()]
  return (name: string): boolean => {
    const text = [...name.toUpperCase()]
    let [at, star, mark] = [0, -1, 0]
    for (let index = 0; index < text.length;) {
      if (pattern[at] === "*") [star, mark] = [at++, index]
      else if (pattern[at] === "?" || pattern[at] === text[index]) [at, index] = [at + 1, index + 1]
      else if (star !== -1) [at, index] = [star + 1, ++mark]
      else return false
    }
    return pattern.slice(at).every((rest) => rest === "*")
  }
}
