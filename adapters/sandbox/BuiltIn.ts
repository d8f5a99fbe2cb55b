/** Built-in spawners: the rows of the table `BuiltIns`, and the pieces that rows are made of. */
import { accessSync, constants, statSync } from "node:fs"
import { isAbsolute } from "node:path"
import process from "node:process"
import * as Result from "effect/Result"
import type * as Layer from "effect/Layer"
import * as Suggestion from "../../core/protocol/Suggestion.ts"
import type { Spawner } from "../../core/spawn/Spawner.ts"
import * as Attempt from "../shared/host/Attempt.ts"
import * as SearchPath from "../shared/host/SearchPath.ts"
import { SpawnerProblem } from "./SpawnerProblem.ts"

/** A spawner that may be around another one, or start processes by itself. */
export type SpawnerLayer = Layer.Layer<Spawner, SpawnerProblem, Spawner>

/** A lack of this machine, and its remedy. */
export interface Missing {
  /** The lack, as a sentence without its end. */
  readonly what: string
  /** The remedy: a command, or an advice. */
  readonly remedy: string
}

/** A built-in spawner. */
export interface BuiltIn {
  /** Its name. */
  readonly name: string
  /** The syntax behind the name, as in `[:N]`; empty for none. */
  readonly options: string
  /** Its purpose, in one sentence. */
  readonly says: string
  /** An example. */
  readonly example: string
  /** It starts processes on its own, elsewhere, and not inside the spawner before it. */
  readonly elsewhere?: boolean
  /** The lack of this machine; undefined if it can be used. */
  readonly missing: () => Missing | undefined
  /** The spawner for the text behind the colon, which is undefined without one. */
  readonly read: (text: string | undefined) => Result.Result<SpawnerLayer, SpawnerProblem>
}

/** The path of a program of this machine; undefined if there is none. Throws what Deno throws where it may not look. */
export const find = (name: string): string | undefined =>
  SearchPath.find(name, `${process.env["PATH"] ?? ""}:/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin`, runs)

const runs = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch (error) {
    // An error of the system has a code, a permission that Deno has not granted has none.
    if (typeof Reflect.get(Object(error), "code") === "string") return false
    throw error
  }
}

/** The flags that let Deno start programs. */
export const permissions =
  "on Deno: -P with procwire's deno.json, or --allow-env --allow-read --allow-sys --allow-run"

/** A program that is missing; `pack` is the package of Debian that has it. */
export const lacks = (name: string, pack: string): Missing | undefined =>
  Result.match(Result.try({ try: () => find(name), catch: Attempt.firstLine }), {
    onFailure: (why) => ({ what: why, remedy: permissions }),
    onSuccess: (path) =>
      path === undefined
        ? { what: `the program ${name} was not found in PATH`, remedy: `apt-get install ${pack}` }
        : undefined,
  })

/** True for an absolute path of a folder of this machine. */
export const isFolder = (path: string | undefined): path is string => {
  try {
    return path !== undefined && isAbsolute(path) && statSync(path).isDirectory()
  } catch {
    return false
  }
}

/** An option that is wrong. */
export const invalid = (message: string) =>
  Result.fail(new SpawnerProblem({ reason: "InvalidOption", message }))

/** An option as a whole number from `least` to `most`. */
export const whole = (what: string, text: string, least: number, most: number) => {
  const number = /^-?[0-9]+$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && number <= most) return Result.succeed(number)
  return invalid(`${what} is '${text}': expected a whole number from ${least} to ${most}`)
}

/** The pairs of `a=1,b,c=2`; a word without `=` has the value undefined. Fails for a word that is not in `names`. */
export const pairs = (
  text: string | undefined,
  names: ReadonlyArray<string>,
): Result.Result<ReadonlyArray<readonly [name: string, value: string | undefined]>, SpawnerProblem> => {
  const found: Array<readonly [string, string | undefined]> = []
  for (const word of (text ?? "").split(",").filter((word) => word !== "")) {
    const cut = word.indexOf("=")
    const name = cut < 0 ? word : word.slice(0, cut)
    if (!names.includes(name))
      return invalid(
        `there is no option '${name}': expected ${names.join(", ")}${Suggestion.ofWord(name, names)}`,
      )
    found.push([name, cut < 0 ? undefined : word.slice(cut + 1)])
  }
  return Result.succeed(found)
}
