/** Writes lines into an open file, and knows which are whole in it when the system writes only a part. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"

/** An open file. Its effects fail with what the system said. */
export interface Descriptor {
  /** Writes some of the bytes, at the end of the file, and returns how many. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<number, unknown>
  /** Waits until the disk has what was written. */
  readonly sync: Effect.Effect<void, unknown>
  /** True if the file ended within a line when it was opened. */
  readonly torn: boolean
}

/** How far a write has come. */
export interface Written {
  /** How many of the lines, from the first, are whole in the file. */
  readonly whole: number
  /** Why the others are not, or why the disk does not have them. */
  readonly result: Either.Either<void, unknown>
}

export interface LineWriter {
  /** Writes lines, and with `durable` waits for the disk. One call at a time. */
  readonly write: (lines: ReadonlyArray<string>, durable: boolean) => Effect.Effect<Written>
}

/** Bytes that are encoded at once, roughly: 1 MiB. A disk that fails is noticed before more is. */
const batchSize = 1024 * 1024

export const make = (descriptor: Descriptor): LineWriter => {
  let { torn } = descriptor

  const writeBatch = (lines: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const pieces = lines.map((line, index) => Buffer.from(`${index === 0 && torn ? "\n" : ""}${line}\n`))
      const bytes = Buffer.concat(pieces)
      let at = 0
      const all = Effect.gen(function* () {
        while (at < bytes.length) at += yield* descriptor.write(bytes.subarray(at))
      })
      const result = yield* Effect.either(all)
      if (at > 0) torn = bytes[at - 1] !== newline
      return { whole: countWhole(pieces, at), result }
    })

  return {
    write: (lines, durable) =>
      Effect.gen(function* () {
        let whole = 0
        while (whole < lines.length) {
          const written = yield* writeBatch(lines.slice(whole, batchEnd(lines, whole)))
          whole += written.whole
          if (Either.isLeft(written.result)) return { whole, result: written.result }
        }
        return { whole, result: durable ? yield* Effect.either(descriptor.sync) : Either.void }
      }),
  }
}

const newline = 0x0a

/** The end of a batch of lines, of which there is at least one. */
const batchEnd = (lines: ReadonlyArray<string>, start: number): number => {
  let end = start
  for (let size = 0; end < lines.length && size < batchSize; end++) size += lines[end]?.length ?? 0
  return end
}

const countWhole = (pieces: ReadonlyArray<Uint8Array>, written: number): number => {
  let end = 0
  const first = pieces.findIndex(({ length }) => (end += length) > written)
  return first === -1 ? pieces.length : first
}
