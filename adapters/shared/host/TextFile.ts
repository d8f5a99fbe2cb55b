/**
 * The text files that options name: certificates, keys, tokens and secrets.
 *
 * They are read through `FileSystem` of @effect/platform, so that tests can keep them in memory.
 */
import { readFileSync } from "node:fs"
import * as PlatformError from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as OsError from "../host/OsError.ts"

/**
 * The host's files. Only `readFile` works, because commands need no more: the whole service comes with
 * @effect/platform-node, whose peers are @effect/rpc, cluster and sql.
 */
export const layer: Layer.Layer<FileSystem.FileSystem> = FileSystem.layerNoop({
  readFile: (path) =>
    Effect.try({
      try: () => readFileSync(path),
      catch: (cause) =>
        new PlatformError.SystemError({
          reason: reasons[(cause as NodeJS.ErrnoException).code ?? ""] ?? "Unknown",
          module: "FileSystem",
          method: "readFile",
          pathOrDescriptor: path,
          description: OsError.fromUnknown(cause).message,
          cause,
        }),
    }),
})

const reasons: Readonly<Record<string, PlatformError.SystemErrorReason>> = {
  ENOENT: "NotFound",
  EACCES: "PermissionDenied",
}

/** Reads a file as UTF-8. `toError` makes the error from a reason such as `No such file or directory (os error 2)`. */
export const readText = <E>(
  file: string,
  toError: (reason: string) => E,
): Effect.Effect<string, E, FileSystem.FileSystem> =>
  Effect.flatMap(FileSystem.FileSystem, (files) => files.readFile(file)).pipe(
    Effect.mapBoth({
      onSuccess: (bytes) => new TextDecoder().decode(bytes),
      onFailure: (error) => toError(error.description ?? error.message),
    }),
  )
