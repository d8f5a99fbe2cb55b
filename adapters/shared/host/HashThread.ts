/**
 * A thread that computes SHA-256, so that the thread of the event loop only copies the bytes into a `HashRing`.
 *
 * While bytes come it looks for them every millisecond, so that nobody has to wake it, and sleeps when there were none
 * for a while. It answers with messages: digests, and that half of the ring is free if that was asked for. It keeps the
 * program alive only while an answer is awaited, and ends when it has had no hash for a while.
 */
import { Worker } from "node:worker_threads"
import * as HashRing from "./HashRing.ts"

/** Milliseconds without a hash after which the thread ends: 5 seconds. */
const idleMillis = 5_000

/** The thread. */
export interface HashThread {
  /** Opens a hash: its number. */
  readonly open: () => number
  /** Takes bytes, at most half of the ring. False if there is no room for them. */
  readonly update: (id: number, bytes: Uint8Array) => boolean
  /** Calls back when there may be room. */
  readonly whenRoom: (then: () => void) => void
  /** Calls back with the digest; undefined if the thread has died. */
  readonly digest: (id: number, then: (hex: string | undefined) => void) => void
  /** Forgets a hash. */
  readonly drop: (id: number) => void
  /** False after the thread has ended. */
  readonly alive: () => boolean
}

/** Starts a thread. Throws where there are none. */
export const start = (): HashThread => {
  const ring = HashRing.make()
  const worker = toWorker(ring)
  const digests = new Map<number, (hex: string | undefined) => void>()
  const commands: Array<readonly [id: number, command: number]> = []
  const waiters: Array<() => void> = []
  const hashes = new Set<number>()
  let idle: NodeJS.Timeout | undefined
  let last = 0
  let alive = true

  const hold = () => {
    if (digests.size + waiters.length + commands.length > 0) worker.ref()
    else worker.unref()
  }
  const send = (id: number, command: number) => {
    if (commands.length > 0 || !ring.offer(id, command)) commands.push([id, command])
    hold()
  }
  const room = () => {
    for (let [next] = commands; next !== undefined && ring.offer(...next); [next] = commands) commands.shift()
    for (const then of waiters.splice(0)) then()
    hold()
  }
  const end = () => {
    if (!alive) return
    alive = false
    clearTimeout(idle)
    commands.length = 0
    for (const then of digests.values()) then(undefined)
    digests.clear()
    room()
  }
  const close = (id: number) => {
    hashes.delete(id)
    clearTimeout(idle)
    if (hashes.size > 0 || !alive) return
    idle = setTimeout(() => {
      end()
      void worker.terminate()
    }, idleMillis).unref()
  }
  worker.unref()
  worker.on("message", (answer: Answer) => {
    if (answer === undefined) return room()
    const [id, hex] = answer
    digests.get(id)?.(hex)
    digests.delete(id)
    close(id)
    hold()
  })
  worker.on("error", end)
  worker.on("exit", end)
  return {
    open: () => {
      clearTimeout(idle)
      hashes.add((last += 1))
      return last
    },
    update: (id, bytes) => !alive || (commands.length === 0 && ring.offer(id, bytes.length, bytes)),
    whenRoom: (then) => {
      if (!alive) return then()
      waiters.push(then)
      hold()
      if (!ring.waits()) queueMicrotask(room)
    },
    digest: (id, then) => {
      if (!alive) return then(undefined)
      digests.set(id, then)
      send(id, HashRing.DIGEST)
    },
    drop: (id) => {
      if (!hashes.has(id)) return
      if (alive) send(id, HashRing.DROP)
      close(id)
    },
    alive: () => alive,
  }
}

const toWorker = ({ shared }: HashRing.HashRing): Worker => {
  const workerData = { ...shared, DIGEST: HashRing.DIGEST }
  // What Node was told to load first is none of this thread's business.
  return new Worker(source, { eval: true, execArgv: [], workerData })
}

type Answer = readonly [id: number, hex: string] | undefined

/** What the thread runs: text, because a program that is one file has no other file to start. */
const source = `
const { parentPort, workerData } = require("node:worker_threads")
const { createHash } = require("node:crypto")
const { memory, controlBytes, size, DIGEST } = workerData
const { READ, WRITTEN, ORIGIN, WAITING, SLEEPING } = workerData.places
const control = new Int32Array(memory, 0, controlBytes / 4)
const words = new Int32Array(memory, controlBytes)
const bytes = new Uint8Array(memory, controlBytes)
const hashes = new Map()
const hashOf = (id) => {
  if (!hashes.has(id)) hashes.set(id, createHash("sha256"))
  return hashes.get(id)
}
const take = (at) => {
  const id = words[at >> 2]
  const length = words[(at >> 2) + 1]
  if (length >= 0) {
    const begin = (at + 8) & (size - 1)
    const head = Math.min(length, size - begin)
    hashOf(id).update(bytes.subarray(begin, begin + head))
    if (head < length) hashOf(id).update(bytes.subarray(0, length - head))
    return 8 + ((length + 7) & ~7)
  }
  if (length === DIGEST) parentPort.postMessage([id, hashOf(id).digest("hex")])
  hashes.delete(id)
  return 8
}
const drain = (from) => {
  let read = from
  for (let written; (written = Atomics.load(control, WRITTEN)) !== read; ) {
    read = (read + take((read - Atomics.load(control, ORIGIN)) & (size - 1))) | 0
    Atomics.store(control, READ, read)
    if (((written - read) | 0) <= size / 2 && Atomics.exchange(control, WAITING, 0) === 1) {
      parentPort.postMessage(undefined)
    }
  }
  return read
}
for (let read = 0, looks = 0; ; ) {
  const before = read
  read = drain(read)
  if (read !== before) looks = 0
  if (looks++ < 20) {
    Atomics.wait(control, WRITTEN, read, 1)
    continue
  }
  Atomics.store(control, SLEEPING, 1)
  Atomics.wait(control, WRITTEN, read)
  Atomics.store(control, SLEEPING, 0)
  looks = 0
}
`
