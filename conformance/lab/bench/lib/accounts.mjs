// @ts-check
// What the kernel counts of a server: CPU time in nanoseconds and system calls that read and write, of its own threads
// only. What children did that it has reaped is not in there.
import { readdirSync, readFileSync } from "node:fs"

/** @param {string} path */
const read = (path) => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

/** A file of each thread of some processes. @param {readonly number[]} pids @param {string} file */
const ofThreads = (pids, file) =>
  pids.flatMap((pid) => {
    try {
      return readdirSync(`/proc/${pid}/task`).map((tid) => read(`/proc/${pid}/task/${tid}/${file}`))
    } catch {
      return []
    }
  })

/** @param {readonly number[]} numbers */
const sum = (numbers) => numbers.reduce((all, one) => all + one, 0)

/**
 * CPU time of the threads that live, in milliseconds. The files say nanoseconds, those of the whole process 10 ms.
 * @param {readonly number[]} pids
 */
export const cpu = (pids) => sum(ofThreads(pids, "schedstat").map((text) => Number(text.split(" ")[0]))) / 1e6

/** System calls that read or write, but for those of sockets. @param {readonly number[]} pids */
export const calls = (pids) =>
  sum(
    ofThreads(pids, "io").flatMap((text) =>
      [...text.matchAll(/^sysc[rw]: (\d+)/gm)].map(([, n]) => Number(n)),
    ),
  )

/** Times that a thread went to sleep of its own will: an idle server does not. @param {readonly number[]} pids */
export const naps = (pids) =>
  sum(
    ofThreads(pids, "status").map((text) =>
      Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(text)?.[1] ?? 0),
    ),
  )

/** Resident KiB. @param {readonly number[]} pids */
export const resident = (pids) =>
  sum(pids.map((pid) => Number(/^VmRSS:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0)))
