/**
 * The text files that options name: certificates, keys, tokens, secrets and configurations.
 *
 * They are a service, so that tests can keep them in memory.
 */
import { closeSync, openSync, readSync } from "node:fs"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as OsError from "./OsError.ts"

/** A file cannot be read. The message is the system's: `No such file or directory (os error 2)`. */
export class TextFileError extends Data.TaggedError("TextFileError")<{
  readonly reason: "NotRead"
  readonly message: string
  readonly cause?: unknown
}> {}

/** Reads whole files as UTF-8, of at most 16 MiB on a host. */
export class TextFiles extends Context.Service<
  TextFiles,
  { readonly read: (file: string) => Effect.Effect<string, TextFileError> }
>()("procwire/TextFiles") {}

/** The most bytes of a file that an option names, far above what any of them needs: 16 MiB. */
const mostBytes = 16 * 1024 * 1024

/**
 * The text of a file by its path, or of a descriptor up to its end, as UTF-8. Throws what the system says, and EFBIG
 * where there are more than `most` bytes: a device may have no end.
 */
export const readAtMost = (file: string | number, most: number): string => {
  const descriptor = typeof file === "number" ? file : openSync(file, "r")
  try {
    const chunks: Array<Buffer> = []
    for (let size = 0; ;) {
      const chunk = Buffer.allocUnsafe(64 * 1024)
      const count = readSync(descriptor, chunk)
      if (count === 0) return new TextDecoder().decode(Buffer.concat(chunks))
      size += count
      if (size > most) throw OsError.coded("EFBIG")
      chunks.push(chunk.subarray(0, count))
    }
  } finally {
    if (descriptor !== file) closeSync(descriptor)
  }
}

export const layer: Layer.Layer<TextFiles> = Layer.succeed(TextFiles, {
  read: (file) =>
    Effect.try({
      try: () => readAtMost(file, mostBytes),
      catch: (cause) =>
        new TextFileError({ reason: "NotRead", message: OsError.fromUnknown(cause).message, cause }),
    }),
})

export const layerMemory = (contents: Readonly<Record<string, string>>): Layer.Layer<TextFiles> =>
  Layer.succeed(TextFiles, {
    read: (file) =>
      Object.hasOwn(contents, file)
        ? Effect.succeed(contents[file] ?? "")
        : new TextFileError({ reason: "NotRead", message: "No such file or directory (os error 2)" }),
  })

/** Reads a file as UTF-8. `toError` makes the error from a reason such as `No such file or directory (os error 2)`. */
export const readText = <E>(
  file: string,
  toError: (reason: string) => E,
): Effect.Effect<string, E, TextFiles> =>
  Effect.flatMap(TextFiles, ({ read }) => Effect.mapError(read(file), ({ message }) => toError(message)))
