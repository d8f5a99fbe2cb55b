/**
 * Finds many patterns in bytes that come in pieces: the automaton of Aho and Corasick over a trie, whose state is all
 * that goes from one piece to the next. While no pattern is begun, it skips as Wu and Manber do: the last three bytes
 * of a window as long as the shortest pattern tell how far no pattern begins.
 */

/** A pattern, and the number that is told where it is found. */
export interface Pattern {
  readonly bytes: Uint8Array
  readonly id: number
}

/** Told of the longest pattern that ends in front of an index of the piece; it may begin in a piece before. */
export type Found = (end: number, length: number, id: number) => void

/** The bytes whose hash says how far to skip. */
const block = 3

/** A window that is longer skips hardly faster. */
const longestWindow = 64

/** A state of no more bytes is given up for a skip. */
const shallow = 2

const hashes = 1 << 15

const hash = (bytes: Uint8Array, at: number): number =>
  (bytes[at]! ^ (bytes[at + 1]! << 5) ^ (bytes[at + 2]! << 10)) & (hashes - 1)

/** Patterns of at least 6 bytes each. */
export class Matcher {
  /** The length of the window. */
  private readonly least: number
  private readonly shifts: Uint8Array
  // A node of the trie is a state; 0 is the root.
  private readonly roots = new Int32Array(256)
  private readonly byte: Uint8Array
  private readonly child: Int32Array
  private readonly sibling: Int32Array
  private readonly fail: Int32Array
  /** Those of the longest state with a next byte that it ends with. */
  private readonly depths: Int32Array
  /** The length of the longest pattern that ends with the state, 0 for none, and its id. */
  private readonly lengths: Int32Array
  private readonly ids: Int32Array

  /** Of equal patterns the first one is found. */
  constructor(patterns: ReadonlyArray<Pattern>) {
    const size = patterns.reduce((sum, { bytes }) => sum + bytes.length, 1)
    this.least = patterns.reduce((least, { bytes }) => Math.min(least, bytes.length), longestWindow)
    this.shifts = new Uint8Array(hashes).fill(this.least - block + 1)
    this.byte = new Uint8Array(size)
    const column = () => new Int32Array(size)
    this.child = column()
    this.sibling = column()
    this.fail = column()
    this.depths = column()
    this.lengths = column()
    this.ids = column()
    this.link(this.grow(patterns))
  }

  /** The bytes at the end of what was scanned that may be the beginning of a pattern, and are not a whole one. */
  depth(state: number): number {
    return this.depths[state]!
  }

  /** Scans the next piece, and returns the state behind it; the first state is 0. */
  scan(bytes: Uint8Array, state: number, found: Found): number {
    const { depths, least, lengths, shifts } = this
    const { length } = bytes
    const last = length - least
    /** Beginnings in front of it were looked at. */
    let looked = 0
    for (let at = 0; at < length;) {
      const begin = at - depths[state]!
      if (begin >= looked && begin <= last && at - begin <= shallow) {
        let next = begin
        for (let shift = 1; next <= last; next += shift) {
          shift = shifts[hash(bytes, next + least - block)]!
          if (shift === 0) break
        }
        looked = next + 1
        if (next > begin) {
          state = 0
          at = next
        }
      }
      state = this.next(state, bytes[at]!)
      at += 1
      if (lengths[state]! > 0) found(at, lengths[state]!, this.ids[state]!)
    }
    return state
  }

  private next(from: number, byte: number): number {
    let state = from
    while (state !== 0) {
      const found = this.childOf(state, byte)
      if (found !== 0) return found
      state = this.fail[state]!
    }
    return this.roots[byte]!
  }

  private childOf(state: number, byte: number): number {
    let found = this.child[state]!
    while (found !== 0 && this.byte[found] !== byte) found = this.sibling[found]!
    return found
  }

  /** Makes the trie; returns the number of its nodes. */
  private grow(patterns: ReadonlyArray<Pattern>): number {
    let size = 1
    for (const { bytes, id } of patterns) {
      let state = 0
      for (const byte of bytes) {
        let next = state === 0 ? this.roots[byte]! : this.childOf(state, byte)
        if (next === 0) {
          next = size
          size += 1
          this.byte[next] = byte
          this.depths[next] = this.depths[state]! + 1
          if (state === 0) this.roots[byte] = next
          else {
            this.sibling[next] = this.child[state]!
            this.child[state] = next
          }
        }
        state = next
      }
      if (this.lengths[state] === 0) this.ids[state] = id
      this.lengths[state] = bytes.length
      for (let at = 0; at <= this.least - block; at++) {
        const key = hash(bytes, at)
        this.shifts[key] = Math.min(this.shifts[key]!, this.least - block - at)
      }
    }
    return size
  }

  /** Links each state to the longest one that it ends with, breadth first. */
  private link(size: number): void {
    const queue = new Int32Array(size)
    let end = 0
    for (const root of this.roots) if (root !== 0) queue[end++] = root
    for (let begin = 0; begin < end; begin++) {
      const state = queue[begin]!
      for (let next = this.child[state]!; next !== 0; next = this.sibling[next]!) {
        const ending = this.next(this.fail[state]!, this.byte[next]!)
        this.fail[next] = ending
        if (this.lengths[next] === 0) {
          this.lengths[next] = this.lengths[ending]!
          this.ids[next] = this.ids[ending]!
        }
        if (this.child[next] === 0) this.depths[next] = this.depths[ending]!
        queue[end++] = next
      }
    }
  }
}
