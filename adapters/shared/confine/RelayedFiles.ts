/** The calls to files, relayed to another server over its client. */
import { randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type FileError, invalid } from "../../../core/files/FileError.ts"
import type { FileCalls } from "../../../core/files/FileCalls.ts"
import type { Call } from "../../../core/client/Calls.ts"
import type { ClientError } from "../../../core/client/ClientError.ts"
import type { ExecClient } from "../../../core/client/ExecClient.ts"
import { toBase64 } from "../../../core/protocol/Bytes.ts"
import * as PathUri from "../../../core/protocol/PathUri.ts"

/** Random bytes of a handle id, which has at most 32 characters: these have 32 as hexadecimal digits. */
const HANDLE_BYTES = 16

/** `fail` turns what the other server refused, or the loss of it, into the failure of the call. */
export const make = (
  client: Pick<ExecClient, "call">,
  fail: (error: ClientError) => Effect.Effect<never, FileError>,
): FileCalls => {
  const call = <M extends Parameters<Call>[0]>(method: M, params: Parameters<typeof client.call<M>>[1]) =>
    Effect.catch(client.call(method, params), fail)
  const at = (path: string) => ({ path: PathUri.fromPath(path) })
  return {
    readFile: (path, followSymlinks) =>
      Effect.map(call("fs/readFile", { ...at(path), followSymlinks }), ({ dataBase64 }) => dataBase64),
    writeFile: (path, bytes, followSymlinks) =>
      Effect.asVoid(call("fs/writeFile", { ...at(path), followSymlinks, dataBase64: toBase64(bytes) })),
    createDirectory: (path, recursive, followSymlinks) =>
      Effect.asVoid(call("fs/createDirectory", { ...at(path), recursive, followSymlinks })),
    getMetadata: (path, followSymlinks) => call("fs/getMetadata", { ...at(path), followSymlinks }),
    canonicalize: (path) =>
      Effect.flatMap(call("fs/canonicalize", at(path)), ({ path }) =>
        Result.match(PathUri.toPath(path, "linux"), {
          onFailure: ({ message }) => Effect.fail(invalid(message)),
          onSuccess: Effect.succeed,
        }),
      ),
    readDirectory: (path) => Effect.map(call("fs/readDirectory", at(path)), ({ entries }) => entries),
    walk: (path, options) => call("fs/walk", { ...at(path), options }),
    remove: (path, { recursive, force, follow }) =>
      Effect.asVoid(call("fs/remove", { ...at(path), recursive, force, followSymlinks: follow })),
    copy: (source, destination, recursive) =>
      Effect.asVoid(
        call("fs/copy", {
          sourcePath: PathUri.fromPath(source),
          destinationPath: PathUri.fromPath(destination),
          recursive,
        }),
      ),
    rename: (source, destination, { overwrite, follow }) =>
      Effect.asVoid(
        call("fs/rename", {
          sourcePath: PathUri.fromPath(source),
          destinationPath: PathUri.fromPath(destination),
          overwrite,
          followSymlinks: follow,
        }),
      ),
    setMode: (path, mode, followSymlinks) =>
      Effect.asVoid(call("fs/setMode", { ...at(path), mode, followSymlinks })),
    createSymlink: (target, path, followSymlinks) =>
      Effect.asVoid(call("fs/createSymlink", { ...at(path), target, followSymlinks })),
    open: (path, mode) =>
      Effect.gen(function* () {
        const handleId = randomBytes(HANDLE_BYTES).toString("hex")
        yield* Effect.acquireRelease(call("fs/open", { ...at(path), handleId, mode }), () =>
          Effect.ignore(call("fs/close", { handleId })),
        )
        return {
          read: (offset, len) =>
            Effect.flatMap(whole(offset), (offset) =>
              Effect.map(call("fs/readBlock", { handleId, offset, len }), ({ chunk }) => chunk),
            ),
          write: (offset, bytes) =>
            Effect.flatMap(whole(offset), (offset) =>
              Effect.asVoid(call("fs/writeBlock", { handleId, offset, chunk: toBase64(bytes) })),
            ),
        }
      }),
  }
}

/** An offset as JSON has it; no file is longer than a number counts exactly. */
const whole = (offset: bigint): Effect.Effect<number, FileError> =>
  offset <= BigInt(Number.MAX_SAFE_INTEGER)
    ? Effect.succeed(Number(offset))
    : Effect.fail(invalid("Invalid argument (os error 22)"))
