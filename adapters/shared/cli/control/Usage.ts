/**
 * Processor time and memory of processes, with all their descendants, from /proc of the host of the server,
 * read by `fs/*`: also where that is another host. If there is none, or the server hides it, nothing is
 * known.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { RemoteFiles } from "../../../../core/client/RemoteFiles.ts"

export interface Used {
  /** Time of the processor in milliseconds, of those that run now. */
  readonly cpuMillis: number
  /** Bytes in memory; shared memory counts for each. */
  readonly memory: number
}

/** Ticks of a second in /proc, the same on every architecture of Linux that matters here. */
const ticks = 100

/** Processes that are looked at below one: a fork bomb is not counted to its end. */
const mostDescendants = 256

type Files = Pick<RemoteFiles, "readTextFile">

/** Usage of the tree below a pid; undefined if it is not known, because the process has gone, say. */
export const of = (files: Files, pid: number): Effect.Effect<Used | undefined> =>
  Effect.gen(function* () {
    const pids = [pid]
    let [cpuMillis, memory, known] = [0, 0, false]
    for (let index = 0; index < pids.length && index < mostDescendants; index++) {
      const found = yield* one(files, pids[index] ?? 0)
      if (found === undefined) continue
      known = true
      cpuMillis += found.cpuMillis
      memory += found.memory
      pids.push(...found.children)
    }
    return known ? { cpuMillis, memory } : undefined
  })

const one = (files: Files, pid: number) =>
  Effect.gen(function* () {
    const read = (name: string) => Effect.option(files.readTextFile(`/proc/${pid}/${name}`))
    const texts = yield* Effect.all([read("stat"), read("status"), read(`task/${pid}/children`)], {
      concurrency: "unbounded",
    })
    const [stat, status, children] = texts.map((text) => Option.getOrElse(text, () => ""))
    return parse(stat ?? "", status ?? "", children ?? "")
  })

export interface Condition {
  /** Stopped by a signal, such as SIGSTOP or SIGTSTP. */
  readonly stopped: boolean
  /** When the child that runs now was started, in milliseconds since 1970. */
  readonly childStartedAtMs: number | undefined
}

/** The conditions of processes, in their order; undefined where it is not known. */
export const conditions = (
  files: Files,
  pids: ReadonlyArray<number | undefined>,
): Effect.Effect<ReadonlyArray<Condition | undefined>> =>
  Effect.gen(function* () {
    const read = (path: string) => Effect.option(files.readTextFile(path))
    if (pids.every((pid) => pid === undefined)) return pids.map(() => undefined)
    const boot = Number(/^btime (\d+)$/m.exec(Option.getOrElse(yield* read("/proc/stat"), () => ""))?.[1])
    const one = (pid: number | undefined) =>
      pid === undefined
        ? Effect.succeed(undefined)
        : Effect.map(
            read(`/proc/${pid}/stat`),
            Option.match({ onNone: () => undefined, onSome: (stat) => conditionOf(stat, boot) }),
          )
    return yield* Effect.forEach(pids, one, { concurrency: 8 })
  })

/** The condition by `stat` of a process, on a host that was booted at a time in seconds since 1970. */
export const conditionOf = (stat: string, boot: number): Condition => {
  const fields = fieldsOf(stat)
  const millis = boot * 1000 + (Number(fields[19]) * 1000) / ticks
  return {
    // `t` is one that a debugger has stopped.
    stopped: fields[0] === "T" || fields[0] === "t",
    childStartedAtMs: Number.isFinite(millis) ? millis : undefined,
  }
}

/** The fields behind the name, which may have blanks and parentheses. */
const fieldsOf = (stat: string): ReadonlyArray<string> => stat.slice(stat.lastIndexOf(")") + 2).split(" ")

/** Usage by the texts of /proc of one process; undefined if they have none. */
export const parse = (stat: string, status: string, children: string) => {
  const fields = fieldsOf(stat)
  const [user, system] = [Number(fields[11]), Number(fields[12])]
  if (!Number.isFinite(user + system)) return undefined
  return {
    cpuMillis: ((user + system) * 1000) / ticks,
    memory: Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024,
    children: children
      .split(" ")
      .map(Number)
      .filter((child) => child > 1),
  }
}
