/** What happened in a run, as lines, and a hash of all of them: two runs are the same if their hashes are. */
import { hash } from "./Seed.ts"

/** Lines that are kept if nobody asks for all. */
const kept = 4000

/** The trace of one run. */
export class Trace {
  /** The last lines. */
  readonly lines: Array<string> = []
  private low = 0x811c9dc5 | 0
  private high = 0x9e3779b9 | 0
  private count = 0

  /** Notes what happens at a time, in milliseconds. */
  add(at: number, text: string): void {
    const line = `${at} ${text}`
    this.low = hash(line, this.low)
    this.high = hash(line, this.high)
    this.count += 1
    this.lines.push(`${(at / 1000).toFixed(3).padStart(9)} ${text}`)
    if (this.lines.length > 2 * kept) this.lines.splice(0, kept)
  }

  /** The number of lines so far. */
  get length(): number {
    return this.count
  }

  /** 16 hexadecimal digits. */
  get digest(): string {
    return [this.high, this.low].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("")
  }
}
