/**
 * The question of a door in Effect before it loads its module: are the packages of the user there, and of that line?
 * Without it an import would fail deep inside of a package, for a file that another version has not.
 */
import { createRequire } from "node:module"

/** The packages that a door needs, and the range of versions that each must be in: `^3.22`, or `^0.97` below 1.0.0. */
export type Peers = Readonly<Record<string, `^${number}.${number}`>>

/** Finds the version of a package; throws where it is not installed. */
type VersionOf = (name: string) => string

const installed: VersionOf = (name) => {
  const { version } = createRequire(import.meta.url)(`${name}/package.json`) as { readonly version: string }
  return version
}

const numbers = (text: string): readonly [major: number, minor: number] => {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(text) ?? []
  return [Number(major), Number(minor)]
}

/** Below 1.0.0 every minor version is a line of its own. */
const isIn = (version: string, range: string): boolean => {
  const [[major, minor], [line, least]] = [numbers(version), numbers(range)]
  return major === line && (line === 0 ? minor === least : minor >= least)
}

/** The matter with a package; undefined if there is none. */
const trouble = (name: string, range: string, versionOf: VersionOf): string | undefined => {
  try {
    const version = versionOf(name)
    return isIn(version, range) ? undefined : `${name} ${version} is installed`
  } catch {
    return `${name} is not installed`
  }
}

/**
 * Throws one sentence if a package is missing or of another line, with the command that mends it.
 *
 * @param door the name of the export: `procwire/effect/client`
 */
export const check = (door: string, peers: Peers, versionOf: VersionOf = installed): void => {
  const wrong = Object.entries(peers).flatMap(([name, range]) => {
    const found = trouble(name, range, versionOf)
    return found === undefined ? [] : [{ found, spec: `${name}@${range}` }]
  })
  if (wrong.length === 0) return
  const needed = Object.entries(peers).map(([name, range]) => `${name}@${range}`)
  const found = wrong.map((one) => one.found)
  throw new Error(
    `${door} needs ${needed.join(" and ")}, but ${found.join(" and ")}: ` +
      `npm install ${wrong.map(({ spec }) => spec).join(" ")}`,
  )
}
