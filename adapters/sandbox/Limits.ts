/**
 * `limits:mem=512m,pids=64,cpu=1,nofile=256,time=60s`: resource limits (rlimits) of each process, by `prlimit`, and
 * the processors it may use, by `taskset`. They are inherited by what the process starts, each of which has them for
 * itself.
 *
 * `pids` counts every process of the user on the machine, and the kernel does not hold root to it.
 */
import { readFileSync } from "node:fs"
import * as Either from "effect/Either"
import type { BuiltIn } from "./BuiltIn.ts"
import * as BuiltIns from "./BuiltIn.ts"
import type { SpawnerProblem } from "./SpawnerProblem.ts"
import { layerWrap } from "./Wrap.ts"

/** What each option makes of its value. */
const limits: Readonly<
  Record<string, (value: string) => Either.Either<ReadonlyArray<string>, SpawnerProblem>>
> = {
  mem: (value) => Either.map(bytes(value), (size) => [`--as=${size}:${size}`]),
  pids: (value) =>
    Either.map(BuiltIns.whole("pids", value, 1, 2 ** 22), (count) => [`--nproc=${count}:${count}`]),
  nofile: (value) =>
    Either.map(BuiltIns.whole("nofile", value, 8, 2 ** 20), (count) => [`--nofile=${count}:${count}`]),
  // SIGXCPU at the limit, and SIGKILL a second later for who ignores it.
  time: (value) => Either.map(seconds(value), (count) => [`--cpu=${count}:${count + 1}`]),
}

const names = [...Object.keys(limits), "cpu"]

export const limitsOf: BuiltIn = {
  name: "limits",
  options: ":mem=SIZE,pids=N,cpu=N,nofile=N,time=SECONDS",
  says:
    "limits each process: its memory (address space), the processes of its user (not of root), the processors it may " +
    "use, its open files, and its processor time",
  example: "limits:mem=512m,cpu=1,time=60s",
  missing: () => BuiltIns.lacks("prlimit", "util-linux") ?? BuiltIns.lacks("taskset", "util-linux"),
  read: (text) =>
    Either.gen(function* () {
      const given = yield* BuiltIns.pairs(text, names)
      if (given.length === 0) return yield* BuiltIns.invalid(`it needs a limit: ${names.join(", ")}`)
      const args: Array<string> = []
      let processors = 0
      for (const [name, value = ""] of given) {
        const limit = limits[name]
        if (limit === undefined) processors = yield* BuiltIns.whole(name, value, 1, 4096)
        else args.push(...(yield* limit(value)))
      }
      const next = rotation(processors)
      const [prlimit = "prlimit", taskset = "taskset"] = ["prlimit", "taskset"].map(BuiltIns.find)
      return layerWrap((spec) => {
        const list = next()
        const pinned = list === undefined ? [] : [taskset, "--cpu-list", list]
        const [first = prlimit, ...rest] = [...pinned, prlimit, ...args, ...spec.argv]
        return { ...spec, argv: [first, ...rest] }
      })
    }),
}

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
