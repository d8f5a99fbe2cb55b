/**
 * The memory that the event loop shares with the thread that hashes: a ring of records, each the number of a hash, a
 * length, and so many bytes; or a command in place of the length. The event loop writes, and the thread reads.
 */

/** Bytes of the ring: 4 MiB, a power of two. What is used of it is what comes between two looks of the thread. */
const size = 4 * 1024 * 1024
/** The thread is woken for a command, or if it sleeps for so many bytes: to wake it costs more than to copy a chunk. */
const batchBytes = 256 * 1024
const controlBytes = 32
/**
 * Places in the control words: what the thread has read and what was written, which count on without end; which of
 * these counts is at the begin of the ring; whether the event loop waits for room, and whether the thread sleeps.
 */
const places = { READ: 0, WRITTEN: 1, ORIGIN: 2, WAITING: 3, SLEEPING: 4 } as const
const { READ, WRITTEN, ORIGIN, WAITING, SLEEPING } = places

/** Commands in place of a length. */
export const DIGEST = -1
export const DROP = -2

/** The end of the ring that is written to. */
export interface HashRing {
  /** What the thread needs to read it. */
  readonly shared: {
    readonly memory: SharedArrayBuffer
    readonly controlBytes: number
    readonly size: number
    readonly places: typeof places
  }
  /** Adds a record. False if there is no room: the thread tells when there is. */
  readonly offer: (id: number, command: number, data?: Uint8Array) => boolean
  /** True while the thread has yet to tell that there is room. */
  readonly waits: () => boolean
}

export const make = (): HashRing => {
  const memory = new SharedArrayBuffer(controlBytes + size)
  const control = new Int32Array(memory, 0, controlBytes / 4)
  const words = new Int32Array(memory, controlBytes)
  const bytes = new Uint8Array(memory, controlBytes)

  let origin = 0
  const put = (id: number, command: number, data?: Uint8Array): boolean => {
    const needed = 8 + padded(data?.length ?? 0)
    const written = Atomics.load(control, WRITTEN)
    const unread = (written - Atomics.load(control, READ)) | 0
    if (size - unread < needed) return false
    // An empty ring is filled from its begin, which is in the cache, while the rest may never have been touched.
    if (unread === 0 && origin !== written) Atomics.store(control, ORIGIN, (origin = written))
    const at = (written - origin) & (size - 1)
    words[at >> 2] = id
    words[(at >> 2) + 1] = command
    if (data !== undefined) {
      const begin = (at + 8) & (size - 1)
      const head = Math.min(data.length, size - begin)
      bytes.set(head === data.length ? data : data.subarray(0, head), begin)
      if (head < data.length) bytes.set(data.subarray(head), 0)
    }
    Atomics.store(control, WRITTEN, (written + needed) | 0)
    if (data === undefined || (unread + needed >= batchBytes && Atomics.load(control, SLEEPING) === 1)) {
      Atomics.notify(control, WRITTEN)
    }
    return true
  }
  return {
    shared: { memory, controlBytes, size, places },
    offer: (id, command, data) => {
      if (put(id, command, data)) return true
      Atomics.store(control, WAITING, 1)
      Atomics.notify(control, WRITTEN)
      // The thread looks at the flag after each record: it may have read the last one before the flag was set.
      return put(id, command, data)
    },
    waits: () => Atomics.load(control, WAITING) === 1,
  }
}

/** Records begin at multiples of 8, so their headers are never cut. */
const padded = (length: number): number => (length + 7) & ~7
