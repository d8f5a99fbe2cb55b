/**
 * The last bytes of a stream, up to a capacity: new bytes evict as many of the oldest as do not fit.
 *
 * Memory doubles as the ring fills, and small pieces cost no more than their bytes.
 */
export class ByteRing {
  /** How many bytes are held. */
  length = 0
  private readonly capacity: number
  private bytes = new Uint8Array(0)
  private start = 0

  constructor(capacity: number) {
    this.capacity = capacity
  }

  /** Appends a piece. Returns how many bytes were dropped, from the ring or from the piece itself. */
  push(piece: Uint8Array): number {
    const kept = piece.length > this.capacity ? piece.subarray(piece.length - this.capacity) : piece
    const excess = Math.max(0, this.length + kept.length - this.capacity)
    this.length -= excess
    if (excess > 0) this.start = (this.start + excess) % this.bytes.length
    this.reserve(this.length + kept.length)
    if (kept.length > 0) this.write(kept)
    return excess + piece.length - kept.length
  }

  /** A copy of the bytes, oldest first. */
  toBytes(): Uint8Array {
    const bytes = new Uint8Array(this.length)
    const first = this.bytes.subarray(this.start, this.start + this.length)
    bytes.set(first)
    bytes.set(this.bytes.subarray(0, this.length - first.length), first.length)
    return bytes
  }

  clear(): void {
    this.bytes = new Uint8Array(0)
    this.start = 0
    this.length = 0
  }

  private reserve(needed: number): void {
    if (needed <= this.bytes.length) return
    const held = this.toBytes()
    this.bytes = new Uint8Array(Math.min(this.capacity, Math.max(1024, 2 * needed)))
    this.bytes.set(held)
    this.start = 0
  }

  private write(piece: Uint8Array): void {
    const at = (this.start + this.length) % this.bytes.length
    const first = piece.subarray(0, this.bytes.length - at)
    this.bytes.set(first, at)
    this.bytes.set(piece.subarray(first.length), 0)
    this.length += piece.length
  }
}
