/** Checks that every buffer stays within its bound, each time before the clock goes on. */
import type { Buffer, BuffersService } from "../../core/protocol/Buffers.ts"

export class Memory {
  /** For the core, and for the transports of the simulation. */
  readonly service: BuffersService = { made: (buffer) => void this.buffers.push(buffer) }
  private readonly buffers: Array<Buffer> = []

  /** The buffer that exceeds its bound, and by how much; undefined if none does. Forgets those that are over. */
  get excess(): string | undefined {
    const { buffers } = this
    let live = 0
    let found: string | undefined
    for (const buffer of buffers) {
      const size = buffer.size()
      if (size === undefined) continue
      buffers[live] = buffer
      live += 1
      if (size > buffer.bound()) found ??= `${buffer.name}: ${size} of ${buffer.bound()}`
    }
    buffers.length = live
    return found
  }
}
