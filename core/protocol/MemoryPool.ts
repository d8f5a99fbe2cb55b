/**
 * Memory for bytes that wait, for a child or a file, used again and again: fresh memory for each message is collected,
 * which costs a flood more than all that is done with its bytes.
 *
 * The last user of bytes gives them back. Bytes that are not given back are collected like any others, and bytes of
 * another origin are given back without effect. So it is always right not to give back, and never to give back bytes
 * that may still be read.
 */

/** Bytes of one piece: as much as clients mostly write at once. */
const usualBytes = 64 * 1024
/** Unused pieces that are kept: 2 MiB. */
const usuallyFree = 32

const origin = Symbol("procwire/protocol/MemoryPool")

interface Taken extends Uint8Array {
  /** Returns it to its owner; undefined while it has none. */
  [origin]?: ((memory: ArrayBufferLike) => void) | undefined
}

/** The memory of one owner: a listener, whose connections share it, for example. */
export class MemoryPool {
  private readonly free: Array<ArrayBufferLike> = []
  private readonly pieceBytes: number
  private readonly keep: (memory: ArrayBufferLike) => void

  /** Pieces of so many bytes, of which so many are kept unused. */
  constructor(pieceBytes = usualBytes, mostFree = usuallyFree) {
    this.pieceBytes = pieceBytes
    this.keep = (memory) => {
      if (this.free.length < mostFree) this.free.push(memory)
    }
  }

  /**
   * Memory of that length, with any content. More than a piece is not pooled, nor is less than half of one, so that
   * what waits takes at most twice its size.
   */
  take(length: number): Uint8Array {
    const { pieceBytes } = this
    if (length > pieceBytes || length < pieceBytes / 2) return new Uint8Array(length)
    const taken: Taken = new Uint8Array(this.free.pop() ?? new ArrayBuffer(pieceBytes), 0, length)
    taken[origin] = this.keep
    return taken
  }
}

/** Returns bytes that have no reader any more. */
export const giveBack = (bytes: Uint8Array): void => {
  const taken: Taken = bytes
  const keep = taken[origin]
  if (keep === undefined) return
  taken[origin] = undefined
  keep(taken.buffer)
}
