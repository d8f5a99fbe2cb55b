/**
 * `limits:mem=512m,pids=64,cpu=1,nofile=256,time=60s`: what each process and its descendants may use together: memory
 * and processes, by a cgroup of their own; what each of them may use: open files and processor time, by `prlimit`; and
 * on how many processors they run, by `taskset`.
 *
 * Where this server may not make cgroups, `prlimit` bounds the address space of each process instead, and counts with
 * `pids` every process of the user on the machine, to which the kernel does not hold root.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { type Ending, type ExitStatus, Spawner, type SpawnSpec } from "../../core/spawn/Spawner.ts"
import type { BuiltIn } from "./BuiltIn.ts"
import * as BuiltIns from "./BuiltIn.ts"
import * as LimitCgroups from "./LimitCgroups.ts"
import * as LimitValues from "./LimitValues.ts"
import { layerWrap } from "./Wrap.ts"

export const limitsOf: BuiltIn = {
  name: "limits",
  options: `:${LimitValues.options}`,
  says:
    "limits each process with its descendants: memory and processes (with cgroups; else the address space of each, and " +
    "the processes of its user), the processors they may use, open files, and processor time",
  example: "limits:mem=512m,cpu=1,time=60s",
  missing: () => BuiltIns.lacks("prlimit", "util-linux") ?? BuiltIns.lacks("taskset", "util-linux"),
  read: (text) =>
    Either.map(LimitValues.read(text), (values) =>
      Layer.unwrapScoped(
        Effect.map(LimitCgroups.make(values.bounds), (enter) =>
          Layer.provide(layerCommands(values, enter === undefined), layerCgroups(values, enter)),
        ),
      ),
    ),
}

/** `taskset` and `prlimit` in front of the program. */
const layerCommands = ({ bounds, nofile, processors, time }: LimitValues.LimitValues, all: boolean) => {
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

/** Each child in cgroups of its own, and what they and its status tell of the limits at its end. */
const layerCgroups = ({ time }: LimitValues.LimitValues, enter: LimitCgroups.Enter | undefined) =>
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
  const setting = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const between = argv[0].includes("=") ? ["/usr/bin/nice", "-n", "0"] : []
  const command = ["/usr/bin/env", "-i", ...setting, ...between, ...argv]
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
