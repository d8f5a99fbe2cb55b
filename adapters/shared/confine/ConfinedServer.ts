/** The server for one confinement: the program `procwire` under bubblewrap, over stdio, and its files. */
import * as Effect from "effect/Effect"
import type { ClientError } from "../../../core/client/ClientError.ts"
import * as ExecClient from "../../../core/client/ExecClient.ts"
import { FileError, invalid } from "../../../core/files/FileError.ts"
import type { FilesService } from "../../../core/files/Files.ts"
import * as Reading from "../../../core/files/Reading.ts"
import { utf8Decoder, toBase64 } from "../../../core/protocol/Bytes.ts"
import type { Confinement } from "../../../core/protocol/Confinement.ts"
import * as ErrorCode from "../../../core/protocol/ErrorCode.ts"
import * as CommandTransport from "../transport/CommandTransport.ts"
import { cannot } from "./ConfinedFiles.ts"
import * as OwnProgram from "./OwnProgram.ts"
import * as Wrapped from "./Wrapped.ts"
import { randomBytes } from "node:crypto"
import * as Result from "effect/Result"
import type { FileCalls } from "../../../core/files/FileCalls.ts"
import type { Call } from "../../../core/client/Calls.ts"
import * as PathUri from "../../../core/protocol/PathUri.ts"

/** Only a hang reaches this deadline of a start: a starved machine takes its time. */
const longest = "60 seconds"

/** The limit for a message is larger than any that this server accepts. */
const serving = ["serve", "--listen", "stdio", "--max-message-bytes", String(256 * 1024 * 1024)]

export const start = (
  files: FilesService,
  program: string,
  own: OwnProgram.Command,
  confinement: Confinement,
) =>
  Effect.gen(function* () {
    // Deno's own calls read this only with all permissions; these files go through libc.
    const maps = yield* Reading.readFile(files, "/proc/self/maps", true)
    const visible = confinement.places.some(({ path, access }) => path === "/" && access !== "none")
    const { argv, env, mounts } = yield* Effect.try({
      try: () => OwnProgram.make(own, visible, serving, utf8Decoder().decode(maps)),
      catch: cannot,
    })
    const rest = { cwd: "/", env, stdio: { kind: "pipe", stdin: true } } as const
    const spec = yield* Effect.mapError(
      Wrapped.wrap(program, argv, confinement, rest, { first: mounts }),
      cannot,
    )
    const [command, ...args] = spec.argv
    const options = { command, args, cwd: spec.cwd, env: {}, stderr: "ignore" } as const
    return yield* CommandTransport.connectCommand(options).pipe(
      Effect.flatMap((transport) => ExecClient.make(transport, { initializeTimeout: longest })),
      Effect.mapError(cannot),
    )
  })

/** The files that it shows. `gone` runs when it does not answer any more. */
export const filesOf = (client: ExecClient.ExecClient, gone: Effect.Effect<void>) =>
  relayed(client, (error) =>
    Effect.andThen(error.reason === "Server" ? Effect.void : gone, Effect.fail(toFileError(error))),
  )

const toFileError = ({ reason, code, message }: ClientError): FileError => {
  if (reason !== "Server") return cannot(message)
  if (code === ErrorCode.notFound) return new FileError({ reason: "NotFound", message })
  return new FileError({ reason: code === ErrorCode.invalidRequest ? "InvalidInput" : "Other", message })
}

/** Random bytes of a handle id, which has at most 32 characters: these have 32 as hexadecimal digits. */
const HANDLE_BYTES = 16

/**
 * The calls to files, relayed to another server over its client. `fail` turns its refusal, or the loss of it, into the
 * failure of the call.
 */
const relayed = (
  client: Pick<ExecClient.ExecClient, "call">,
  fail: (error: ClientError) => Effect.Effect<never, FileError>,
): FileCalls => {
  const call = <M extends Parameters<Call>[0]>(method: M, params: Parameters<typeof client.call<M>>[1]) =>
    Effect.catch(client.call(method, params), fail)
  const placeOf = (path: string) => ({ path: PathUri.fromPath(path) })
  return {
    readFile: (path, followSymlinks) =>
      Effect.map(call("fs/readFile", { ...placeOf(path), followSymlinks }), ({ dataBase64 }) => dataBase64),
    writeFile: (path, bytes, followSymlinks) =>
      Effect.asVoid(call("fs/writeFile", { ...placeOf(path), followSymlinks, dataBase64: toBase64(bytes) })),
    createDirectory: (path, recursive, followSymlinks) =>
      Effect.asVoid(call("fs/createDirectory", { ...placeOf(path), recursive, followSymlinks })),
    getMetadata: (path, followSymlinks) => call("fs/getMetadata", { ...placeOf(path), followSymlinks }),
    canonicalize: (path) =>
      Effect.flatMap(call("fs/canonicalize", placeOf(path)), ({ path }) =>
        Result.match(PathUri.toPath(path, "linux"), {
          onFailure: ({ message }) => Effect.fail(invalid(message)),
          onSuccess: Effect.succeed,
        }),
      ),
    readDirectory: (path) => Effect.map(call("fs/readDirectory", placeOf(path)), ({ entries }) => entries),
    walk: (path, options) => call("fs/walk", { ...placeOf(path), options }),
    remove: (path, { recursive, force, follow }) =>
      Effect.asVoid(call("fs/remove", { ...placeOf(path), recursive, force, followSymlinks: follow })),
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
      Effect.asVoid(call("fs/setMode", { ...placeOf(path), mode, followSymlinks })),
    createSymlink: (target, path, followSymlinks) =>
      Effect.asVoid(call("fs/createSymlink", { ...placeOf(path), target, followSymlinks })),
    open: (path, mode) =>
      Effect.gen(function* () {
        const handleId = randomBytes(HANDLE_BYTES).toString("hex")
        yield* Effect.acquireRelease(call("fs/open", { ...placeOf(path), handleId, mode }), () =>
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
