/** The options of `limits`, read from their text. */
import { readFileSync } from "node:fs"
import * as Either from "effect/Either"
import * as BuiltIns from "./BuiltIn.ts"
import type { Bounds } from "./LimitCgroups.ts"
import type { SpawnerProblem } from "./SpawnerProblem.ts"

/** What may stand behind `limits:`. */
export const options = "mem=SIZE,pids=N,cpu=N,nofile=N,time=SECONDS"

/** What was asked for; the rest is undefined. */
export interface LimitValues {
  /** Bytes of memory, and the number of processes. */
  readonly bounds: Bounds
  /** Open files. */
  readonly nofile: number | undefined
  /** Seconds of processor time. */
  readonly time: number | undefined
  /** The processors of the next process, as `0-1`. */
  readonly processors: () => string | undefined
}

const names = ["mem", "pids", "cpu", "nofile", "time"] as const

/** Reads `mem=512m,pids=64`. */
export const read = (text: string | undefined): Either.Either<LimitValues, SpawnerProblem> =>
  Either.gen(function* () {
    const given = yield* BuiltIns.pairs(text, names)
    if (given.length === 0) return yield* BuiltIns.invalid(`it needs a limit: ${names.join(", ")}`)
    const values: { [name: string]: number } = {}
    for (const [name, value = ""] of given)
      values[name] = yield* valueOf[name as (typeof names)[number]](value)
    const { cpu = 0, mem, nofile, pids, time } = values
    const bounds = { ...(mem === undefined ? {} : { memory: mem }), ...(pids === undefined ? {} : { pids }) }
    return { bounds, nofile, time, processors: rotation(cpu) }
  })

const sizes: Readonly<Record<string, number>> = { "": 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 }

const bytes = (value: string) => {
  const [, count, unit = ""] = /^([1-9][0-9]{0,11})([kmg]?)$/i.exec(value) ?? []
  if (count !== undefined) return Either.right(Number(count) * (sizes[unit.toLowerCase()] ?? 1))
  return BuiltIns.invalid(`mem is '${value}': expected a size such as 512m or 2g`)
}

const seconds = (value: string) => {
  const [, count, unit] = /^([1-9][0-9]{0,6})([smh]?)$/.exec(value) ?? []
  if (count !== undefined) return Either.right(Number(count) * (unit === "h" ? 3600 : unit === "m" ? 60 : 1))
  return BuiltIns.invalid(`time is '${value}': expected seconds of processor time, such as 30s, or 2m`)
}

const valueOf = {
  mem: bytes,
  pids: (value: string) => BuiltIns.whole("pids", value, 1, 2 ** 22),
  cpu: (value: string) => BuiltIns.whole("cpu", value, 1, 4096),
  nofile: (value: string) => BuiltIns.whole("nofile", value, 8, 2 ** 20),
  time: seconds,
} as const

/** The processors of this server, `0-3,8` for five. */
const allowed = (): ReadonlyArray<number> => {
  const [, list = ""] = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync("/proc/self/status", "utf8")) ?? []
  return list.split(",").flatMap((range) => {
    const [from = 0, to = from] = range.split("-").map(Number)
    return Array.from({ length: to - from + 1 }, (_, index) => from + index)
  })
}

/** The next `count` processors for each process in turn; undefined if that is no limit. */
const rotation = (count: number): (() => string | undefined) => {
  const all = count === 0 ? [] : allowed()
  let at = 0
  if (count >= all.length) return () => undefined
  return () => {
    const chosen = Array.from({ length: count }, (_, index) => all[(at + index) % all.length])
    at = (at + count) % all.length
    return chosen.join(",")
  }
}
