/**
 * What processes use of the processor and of memory, with all their descendants, from /proc of the host of the server,
 * read by `fs/*`: also where that is another host. Where there is none, or the server lets nobody read it, nothing is
 * known.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { RemoteFiles } from "../../../../core/client/RemoteFiles.ts"

/** What a process and its descendants use. */
export interface Used {
  /** Time of the processor in milliseconds, of those that run now. */
  readonly cpuMillis: number
  /** Bytes in memory; what they share counts for each. */
  readonly memory: number
}

/** Ticks of a second in /proc, the same on every architecture of Linux that matters here. */
const ticks = 100

/** Processes that are looked at below one: a fork bomb is not counted to its end. */
const mostDescendants = 256

type Files = Pick<RemoteFiles, "readTextFile">

/** What the tree below a pid uses; undefined if it is not known, because the process has gone, say. */
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

/** What /proc says of one process; undefined if it says nothing. */
export const parse = (stat: string, status: string, children: string) => {
  // The name in front may have blanks and parentheses.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
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
