/**
 * Memory for bytes that wait for a child, used again and again: fresh memory for each message is collected, which costs
 * a flood more than all that is done with its bytes.
 *
 * Whoever is done with bytes gives them back. Bytes that are not given back are collected like any others, and bytes of
 * another origin are given back without effect. So it is always right not to give back, and never to give back what
 * somebody may still look at.
 */

/** Bytes of one piece: as much as clients mostly write at once. More bytes than that are not pooled. */
const pieceBytes = 64 * 1024
/** Nor are fewer, so that what waits takes at most twice its size. */
const leastBytes = pieceBytes / 2
/** Pieces that are kept while nobody uses them: 2 MiB for each owner. */
const mostFree = 32

const origin = Symbol("procwire/protocol/MemoryPool")

interface Taken extends Uint8Array {
  /** Where it belongs while nobody uses it. */
  [origin]?: Array<ArrayBufferLike> | undefined
}

/** The memory of one owner, a connection for example. */
export class MemoryPool {
  private readonly free: Array<ArrayBufferLike> = []

  /** Memory of that length, with any content. */
  take(length: number): Uint8Array {
    if (length > pieceBytes || length < leastBytes) return new Uint8Array(length)
    const taken: Taken = new Uint8Array(this.free.pop() ?? new ArrayBuffer(pieceBytes), 0, length)
    taken[origin] = this.free
    return taken
  }
}

/** Says that nobody looks at these bytes any more. */
export const giveBack = (bytes: Uint8Array): void => {
  const taken: Taken = bytes
  const free = taken[origin]
  if (free === undefined) return
  taken[origin] = undefined
  if (free.length < mostFree) free.push(taken.buffer)
}
