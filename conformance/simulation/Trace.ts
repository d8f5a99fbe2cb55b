/** The events of a run, as lines, and a hash of all of them: two runs are the same if their hashes are. */
import { finished } from "./Seed.ts"

/** Lines that are kept unless all are asked for. */
const kept = 4000

/** A line that is put in words when somebody asks for it: most runs go well. */
interface Line {
  readonly at: number
  readonly text: string
}

export class Trace {
  private readonly last: Array<Line> = []
  private low = 0x811c9dc5 | 0
  private high = 0x9e3779b9 | 0

  /** Notes what happens at a time, in milliseconds. */
  add(at: number, text: string): void {
    const line = `${at} ${text}`
    let { low, high } = this
    for (let i = 0; i < line.length; i++) {
      const code = line.charCodeAt(i)
      low = Math.imul(low ^ code, 0x01000193)
      high = Math.imul(high ^ code, 0x01000193)
    }
    this.low = finished(low)
    this.high = finished(high)
    this.last.push({ at, text })
    if (this.last.length > 2 * kept) this.last.splice(0, kept)
  }

  get lines(): ReadonlyArray<string> {
    return this.last.map(({ at, text }) => `${(at / 1000).toFixed(3).padStart(9)} ${text}`)
  }

  /** 16 hexadecimal digits. */
  get digest(): string {
    return [this.high, this.low].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("")
  }
}
