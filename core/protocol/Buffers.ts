/**
 * Who is told of the bounded buffers that the core makes: by default nobody. A simulation is, and compares each with
 * its bound. They are told of once for each process, so that nothing on the path of bytes asks.
 */
import * as Context from "effect/Context"

/** A buffer, and how much it may hold. */
export interface Buffer {
  /** What it is, whose, and in which unit. */
  readonly name: string
  /** How much it holds now; undefined once it is not used any more. */
  readonly size: () => number | undefined
  /** The most that it may hold now. */
  readonly bound: () => number
}

/** Is told of new buffers. */
export interface BuffersService {
  /** Called with each buffer when it is made; absent if nobody wants to know. */
  readonly made?: (buffer: Buffer) => void
}

/** The service; by default nobody is told. */
export const Buffers = Context.Reference("procwire/Buffers", {
  defaultValue: (): BuffersService => ({}),
})
