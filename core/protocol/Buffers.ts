/**
 * A listener for the bounded buffers that the core makes: by default there is none. A simulation has one, and compares
 * each buffer with its bound. Buffers are reported once for each process, so that nothing on the path of bytes asks.
 */
import * as Context from "effect/Context"

/** A buffer and its bound. */
export interface Buffer {
  /** Its name, its owner, and its unit. */
  readonly name: string
  /** The size of its content now; undefined once it is not used any more. */
  readonly size: () => number | undefined
  /** The most that it may hold now. */
  readonly bound: () => number
}

/** Takes reports of new buffers. */
export interface BuffersService {
  /** Called with each buffer when it is made; absent without a listener. */
  readonly made?: (buffer: Buffer) => void
}

/** The service; by default without a listener. */
export const Buffers = Context.Reference("procwire/Buffers", {
  defaultValue: (): BuffersService => ({}),
})
