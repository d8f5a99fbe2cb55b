// @ts-check
// Counts garbage inside a measured Node: `NODE_OPTIONS=--import=…/probe.mjs` with a path in BENCH_COUNTS. At SIGUSR2 it
// writes what has been allocated and collected since it was loaded. A server that is only timed does not have it.
import { renameSync, writeFileSync } from "node:fs"
import { GCProfiler, getHeapStatistics } from "node:v8"
import { isMainThread } from "node:worker_threads"

const path = process.env["BENCH_COUNTS"]

/** @param {string} prefix */
const probe = (prefix) => {
  let [freed, collections, micros, asked] = [0, 0, 0, 0]
  const began = () => {
    const profiler = new GCProfiler()
    profiler.start()
    return profiler
  }
  let profiler = began()
  const answer = () => {
    for (const { beforeGC, afterGC, cost } of profiler.stop().statistics) {
      freed += beforeGC.heapStatistics.usedHeapSize - afterGC.heapStatistics.usedHeapSize
      collections += 1
      micros += cost
    }
    profiler = began()
    const allocated = freed + getHeapStatistics().used_heap_size
    writeFileSync(`${prefix}.new`, `${allocated} ${collections} ${micros}\n`)
    renameSync(`${prefix}.new`, `${prefix}.${asked}`)
    asked += 1
  }
  process.on("SIGUSR2", answer)
  writeFileSync(`${prefix}.ready`, "")
}

if (isMainThread && path !== undefined) probe(`${path}.${process.pid}`)
