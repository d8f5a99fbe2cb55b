/**
 * The output of a terminal up to a mark, without the mark. What comes behind it belongs to the next output.
 */
import * as Effect from "effect/Effect"
import { concat, indexOf } from "../../protocol/Bytes.ts"
import type * as PlainText from "../PlainText.ts"
import { HeadTailBuffer } from "../HeadTailBuffer.ts"

export class MarkedOutput {
  /** Opens when the mark has come. */
  readonly marked = Effect.unsafeMakeLatch(true)
  /** Is told of output in front of the mark. */
  listener: ((bytes: Uint8Array) => void) | undefined
  private buffer = new HeadTailBuffer()
  private late = new HeadTailBuffer()
  private mark: Uint8Array | undefined
  /** The last bytes, which may begin the mark. */
  private held = new Uint8Array(0)

  /** Looks for this mark from now on. */
  expect(mark: Uint8Array): void {
    this.mark = mark
    this.marked.unsafeClose()
  }

  push(bytes: Uint8Array): void {
    if (this.mark === undefined) {
      this.late.push(bytes)
      return
    }
    const all = concat([this.held, bytes])
    const at = find(all, this.mark)
    const end = at === -1 ? Math.max(0, all.length - this.mark.length + 1) : at
    this.show(all.subarray(0, end))
    this.held = at === -1 ? all.slice(end) : new Uint8Array(0)
    if (at === -1) return
    this.late.push(all.subarray(at + this.mark.length))
    this.mark = undefined
    this.marked.unsafeOpen()
  }

  /** Takes the output since the last call, up to the mark. `last`: neither it nor more output is waited for. */
  take(last: boolean, form: PlainText.Form = "raw"): PlainText.Taken {
    if (this.mark !== undefined) {
      this.show(this.held)
      this.held = new Uint8Array(0)
      if (!last) return this.buffer.take(false, form)
      this.mark = undefined
    }
    const taken = this.buffer.take(true)
    const { buffer } = this
    this.buffer = this.late
    this.late = buffer
    return taken
  }

  private show(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.buffer.push(bytes)
    this.listener?.(bytes)
  }
}

/** Where the first bytes of that kind begin; -1 if there are none. */
const find = (bytes: Uint8Array, wanted: Uint8Array): number => {
  const [first = 0] = wanted
  for (let at = indexOf(bytes, first); at !== -1; at = indexOf(bytes, first, at + 1)) {
    if (wanted.every((byte, index) => bytes[at + index] === byte)) return at
  }
  return -1
}
