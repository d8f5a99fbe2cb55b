/**
 * `limits:mem=512m,pids=64,cpu=1,nofile=256,time=60s`: what each process and its descendants may use together: memory
 * and processes, by a cgroup of their own; what each of them may use: open files and processor time, by `prlimit`; and
 * on how many processors they run, by `taskset`.
 *
 * If this server may not make cgroups, `prlimit` bounds the address space of each process instead, and counts with
 * `pids` every process of the user on the machine, to which the kernel does not hold root.
 */
import { readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Layer from "effect/Layer"
import { type Ending, type ExitStatus, Spawner, type SpawnSpec } from "../../core/spawn/Spawner.ts"
import type { BuiltIn } from "./BuiltIn.ts"
import * as BuiltIns from "./BuiltIn.ts"
import * as LimitCgroups from "./LimitCgroups.ts"
import type { SpawnerProblem } from "./SpawnerProblem.ts"
import { behindEnv, layerWrap } from "./Wrap.ts"

/** The options of `limits:`. */
const options = "mem=SIZE,pids=N,cpu=N,nofile=N,time=SECONDS"

export const limitsOf: BuiltIn = {
  name: "limits",
  options: `:${options}`,
  says:
    "limits each process with its descendants: memory and processes (with cgroups; else the address space of each, and " +
    "the processes of its user), the processors they may use, open files, and processor time",
  example: "limits:mem=512m,cpu=1,time=60s",
  missing: () => BuiltIns.lacks("prlimit", "util-linux") ?? BuiltIns.lacks("taskset", "util-linux"),
  read: (text) =>
    Result.map(read(text), (values) =>
      Layer.unwrap(
        Effect.map(LimitCgroups.make(values.bounds), (enter) =>
          Layer.provide(layerCommands(values, enter === undefined), layerCgroups(values, enter)),
        ),
      ),
    ),
}

/** `taskset` and `prlimit` in front of the program. */
const layerCommands = ({ bounds, nofile, processors, time }: LimitValues, all: boolean) => {
  const { memory, pids } = all ? bounds : {}
  const args = [
    ...(memory === undefined ? [] : [`--as=${memory}:${memory}`]),
    ...(pids === undefined ? [] : [`--nproc=${pids}:${pids}`]),
    ...(nofile === undefined ? [] : [`--nofile=${nofile}:${nofile}`]),
    // SIGXCPU at the limit, and SIGKILL a second later for who ignores it.
    ...(time === undefined ? [] : [`--cpu=${time}:${time + 1}`]),
  ]
  const limiting = args.length === 0 ? [] : [BuiltIns.find("prlimit") ?? "prlimit", ...args]
  const taskset = BuiltIns.find("taskset") ?? "taskset"
  return layerWrap((spec) => {
    const list = processors()
    const pinned = list === undefined ? [] : [taskset, "--cpu-list", list]
    const [first = spec.argv[0], ...rest] = [...pinned, ...limiting, ...spec.argv]
    return { ...spec, argv: [first, ...rest] }
  })
}

/** Enters the cgroups, given before `--`, and executes the rest. */
const script = 'while [ "$1" != -- ]; do echo $$ >"$1" || exit 126; shift; done; shift; exec "$@"'

/** Each child in cgroups of its own, which with its status say at its end whether a limit was reached. */
const layerCgroups = ({ time }: LimitValues, enter: LimitCgroups.Enter | undefined) =>
  Layer.effect(
    Spawner,
    Effect.map(Spawner, (inner) => ({
      ...inner,
      spawn: (spec, events) =>
        Effect.flatMap(enter ?? Effect.succeed(undefined), (entry) => {
          const exit: typeof events.exit = (status, ending) =>
            events.exit(status, { ...ending, ...overLimit(status, entry, time) })
          const entering = entry === undefined ? spec : behindDoors(entry.doors, spec)
          return inner.spawn(entering, { ...events, exit })
        }),
    })),
  )

/** A shell changes its environment, so `env` sets it: its arguments, which others can see, have it for a moment. */
const behindDoors = (doors: ReadonlyArray<string>, { argv, env, ...rest }: SpawnSpec): SpawnSpec => {
  const command = behindEnv(argv, Object.entries(env), "-i")
  return { ...rest, env: {}, argv: ["/bin/sh", "-c", script, "limits", ...doors, "--", ...command] }
}

const SIGXCPU = 24

const overLimit = (status: ExitStatus, entry: LimitCgroups.Entry | undefined, time?: number): Ending => {
  const code = status.kind === "exited" ? status.code : 128 + status.signal
  const oomKilled = entry?.reached("memory") === true
  const over = oomKilled ? "mem" : entry?.reached("pids") === true ? "pids" : undefined
  const limit = over ?? (time !== undefined && code === 128 + SIGXCPU ? "time" : undefined)
  return {
    ...(oomKilled ? { oomKilled } : {}),
    ...(limit === undefined || code === 0 ? {} : { limit, endedBy: "limit" }),
  }
}

/** The limits of the options; the rest is undefined. */
interface LimitValues {
  /** Bytes of memory, and the number of processes. */
  readonly bounds: LimitCgroups.Bounds
  readonly nofile: number | undefined
  /** Seconds of processor time. */
  readonly time: number | undefined
  /** The processors of the next process, as `0-1`. */
  readonly processors: () => string | undefined
}

const names = ["mem", "pids", "cpu", "nofile", "time"] as const

/** Reads `mem=512m,pids=64`. */
const read = (text: string | undefined): Result.Result<LimitValues, SpawnerProblem> =>
  Result.gen(function* () {
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
  if (count !== undefined) return Result.succeed(Number(count) * (sizes[unit.toLowerCase()] ?? 1))
  return BuiltIns.invalid(`mem is '${value}': expected a size such as 512m or 2g`)
}

const seconds = (value: string) => {
  const [, count, unit] = /^([1-9][0-9]{0,6})([smh]?)$/.exec(value) ?? []
  if (count !== undefined)
    return Result.succeed(Number(count) * (unit === "h" ? 3600 : unit === "m" ? 60 : 1))
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
