/**
 * The output of one command, to be read again: its bytes in blocks, each of which knows how many bytes and lines came
 * before it, so that any line is found in time that does not grow with the output.
 *
 * The last bytes are kept, up to a bound. Lines are counted from 1, and bytes from 0, from the first of the command.
 */
import * as Lines from "../pattern/Lines.ts"
import { concat } from "../protocol/Bytes.ts"
import { firstThat } from "../protocol/Sorted.ts"

/** Bytes of a full block. */
export const blockBytes = 64 * 1024

/** The least bytes of a block, which grows. */
const leastBytes = 1024

interface Block {
  /** Its begin, in bytes and in ends of lines. */
  readonly offset: number
  readonly ends: number
  bytes: Uint8Array
  length: number
}

export class Transcript {
  /** All bytes so far, and all ends of lines in them. */
  written = 0
  private ends = 0
  private endsInLine = false
  private readonly most: number
  private blocks: Array<Block> = []

  /** At most about `most` bytes are kept. */
  constructor(most: number) {
    this.most = most
  }

  /** The first byte that is kept. */
  get begin(): number {
    return this.blocks[0]?.offset ?? this.written
  }

  /** The kept bytes. */
  get kept(): number {
    return this.written - this.begin
  }

  /** The lines, the last one also without its end. */
  get lines(): number {
    return this.ends + (this.endsInLine ? 1 : 0)
  }

  push(bytes: Uint8Array): void {
    for (let rest = bytes; rest.length > 0;) rest = rest.subarray(this.append(rest))
    while (this.written - this.begin > this.most && this.blocks.length > 1) this.dropOldest()
  }

  /** Drops the oldest block. Returns how many bytes that were. */
  dropOldest(): number {
    return this.blocks.shift()?.length ?? 0
  }

  /** The bytes from one offset to another, as far as they are kept. They do not change any more. */
  slice(from: number, to: number): Uint8Array {
    const pieces = this.blocks
      .filter(({ offset, length }) => offset < to && offset + length > from)
      .map(({ offset, bytes, length }) =>
        bytes.subarray(Math.max(0, from - offset), Math.min(length, to - offset)),
      )
    return concat(pieces)
  }

  /** The line that the byte at this offset belongs to. */
  lineAt(offset: number): number {
    const block = this.blocks[this.lastBlock((each) => each.offset <= offset)]
    if (block === undefined) return offset >= this.written ? this.ends + 1 : 1
    return (
      block.ends + Lines.count(block.bytes.subarray(0, Math.min(block.length, offset - block.offset))) + 1
    )
  }

  /** The begin of a line: its first byte, or the first that is kept; the end for a line that there is not yet. */
  startOf(line: number): number {
    if (line <= 1) return this.begin
    const wanted = line - 1
    const block = this.blocks[this.lastBlock((each) => each.ends < wanted)]
    if (block === undefined) return this.begin
    const at = Lines.behind(block.bytes.subarray(0, block.length), wanted - block.ends)
    return at === undefined ? this.written : block.offset + at
  }

  /** The index of the last block of which this holds, as it does for all before it; -1 if there is none. */
  private lastBlock(holds: (block: Block) => boolean): number {
    return firstThat(this.blocks, (block) => !holds(block)) - 1
  }

  /** Appends what fits into the last block, or into a new one. Returns how many bytes that were. */
  private append(bytes: Uint8Array): number {
    let block = this.blocks.at(-1)
    if (block === undefined || block.length === blockBytes) {
      block = { offset: this.written, ends: this.ends, bytes: new Uint8Array(0), length: 0 }
      this.blocks.push(block)
    }
    const piece = bytes.subarray(0, blockBytes - block.length)
    const needed = block.length + piece.length
    if (needed > block.bytes.length) {
      const grown = new Uint8Array(Math.min(blockBytes, Math.max(leastBytes, 2 * needed)))
      grown.set(block.bytes.subarray(0, block.length))
      block.bytes = grown
    }
    block.bytes.set(piece, block.length)
    block.length = needed
    this.written += piece.length
    this.ends += Lines.count(piece)
    this.endsInLine = piece[piece.length - 1] !== Lines.lineEnd
    return piece.length
  }
}
