/** Whether every buffer stays within its bound: looked at each time before the clock goes on. */
import type { Buffer, BuffersService } from "../protocol/Buffers.ts"

/** The buffers of a run. */
export class Memory {
  /** For the core, and for the transports of the simulation. */
  readonly service: BuffersService = { made: (buffer) => void this.buffers.push(buffer) }
  private buffers: Array<Buffer> = []

  /** What exceeds its bound, and by how much; undefined if nothing does. */
  get excess(): string | undefined {
    let gone = 0
    let found: string | undefined
    for (const buffer of this.buffers) {
      const size = buffer.size()
      if (size === undefined) gone += 1
      else if (size > buffer.bound()) found ??= `${buffer.name}: ${size} of ${buffer.bound()}`
    }
    if (gone > this.buffers.length / 2) this.buffers = this.buffers.filter(({ size }) => size() !== undefined)
    return found
  }
}
