/** `fs/*`: from params to the calls that the request's sandbox allows, in lock, and the handles of the connection. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Scope from "effect/Scope"
import type { FileCalls } from "../../files/FileCalls.ts"
import { invalid } from "../../files/FileError.ts"
import type { FilesService } from "../../files/Files.ts"
import * as Handles from "../../files/Handles.ts"
import * as MissingWatch from "../../files/MissingWatch.ts"
import * as ReadWriteLock from "../../files/ReadWriteLock.ts"
import { fromBase64 } from "../../protocol/Bytes.ts"
import type { ParamsOf } from "../../protocol/Methods.ts"
import * as PathUri from "../../protocol/PathUri.ts"
import type { Sandbox } from "../../protocol/Sandbox.ts"
import type { RequestContext } from "../../rpc/Router.ts"
import type { SandboxedFiles } from "../SandboxedFiles.ts"
import { type HandlerError, ParamsError } from "../WireError.ts"

/** What the handlers of one connection work with. */
export interface FileContext {
  readonly platform: string
  readonly files: FilesService
  readonly sandboxed: SandboxedFiles
  /** Sends a message. */
  readonly write: (text: string) => void
}

/** The end of the scope closes what is open. */
export const make = ({ platform, files, sandboxed, write }: FileContext) =>
  Effect.gen(function* () {
    const lock = ReadWriteLock.make()
    const handles = yield* Handles.make
    const missing = yield* MissingWatch.make(files)
    const native = (uri: string) => toNative(uri, platform)

    /** What a request does with its path, under its sandbox. */
    const using = <A, E>(
      { path, sandbox }: { readonly path: string; readonly sandbox?: Sandbox | null | undefined },
      use: (calls: FileCalls, path: string) => Effect.Effect<A, E, Scope.Scope>,
    ) =>
      Effect.gen(function* () {
        const place = yield* native(path)
        return yield* use(yield* sandboxed.calls(sandbox), place)
      })

    const shared = <A, E>(work: Effect.Effect<A, E, Scope.Scope>) => lock.shared(Effect.scoped(work))
    const alone = <A, E>(work: Effect.Effect<A, E, Scope.Scope>) => lock.exclusive(Effect.scoped(work))

    return {
      "fs/readFile": (params: ParamsOf<"fs/readFile">) =>
        shared(using(params, (calls, path) => calls.readFile(path, follows(params)))).pipe(
          Effect.map((dataBase64) => ({ dataBase64 })),
        ),

      "fs/writeFile": (params: ParamsOf<"fs/writeFile">) => {
        const content = fromBase64(params.dataBase64)
        if (Either.isLeft(content)) return badContent(content.left)
        const write = using(params, (calls, path) => calls.writeFile(path, content.right, follows(params)))
        return Effect.as(alone(write), {})
      },

      "fs/createDirectory": (params: ParamsOf<"fs/createDirectory">) => {
        const recursive = params.recursive ?? true
        const make = using(params, (calls, path) => calls.createDirectory(path, recursive, follows(params)))
        return Effect.as(alone(make), {})
      },

      "fs/getMetadata": (params: ParamsOf<"fs/getMetadata">) =>
        shared(using(params, (calls, path) => calls.getMetadata(path, follows(params)))),

      "fs/canonicalize": (params: ParamsOf<"fs/canonicalize">) =>
        shared(using(params, (calls, path) => calls.canonicalize(path))).pipe(
          Effect.map((path) => ({ path: PathUri.fromPath(path) })),
        ),

      "fs/readDirectory": (params: ParamsOf<"fs/readDirectory">) =>
        shared(using(params, (calls, path) => calls.readDirectory(path))).pipe(
          Effect.map((entries) => ({ entries })),
        ),

      "fs/walk": (params: ParamsOf<"fs/walk">) =>
        shared(using(params, (calls, path) => calls.walk(path, params.options))),

      "fs/remove": (params: ParamsOf<"fs/remove">) => {
        const { recursive, force } = params
        const options = { recursive: recursive ?? true, force: force ?? true, follow: follows(params) }
        return Effect.as(alone(using(params, (calls, path) => calls.remove(path, options))), {})
      },

      "fs/copy": ({ sourcePath, destinationPath, recursive, sandbox }: ParamsOf<"fs/copy">) => {
        const copy = using({ path: sourcePath, sandbox }, (calls, source) =>
          Effect.flatMap(native(destinationPath), (to) => calls.copy(source, to, recursive)),
        )
        return Effect.as(alone(copy), {})
      },

      "fs/open": (params: ParamsOf<"fs/open">) => {
        const { handleId, mode = "read" } = params
        const opening = using(params, (calls, path) => calls.open(path, mode))
        return Effect.as(lock.exclusive(handles.open(handleId, mode, opening)), { handleId })
      },

      "fs/readBlock": ({ handleId, offset, len }: ParamsOf<"fs/readBlock">) =>
        lock.shared(handles.read(handleId, offset, len)),

      "fs/writeBlock": ({ handleId, offset, chunk }: ParamsOf<"fs/writeBlock">) =>
        Effect.as(lock.exclusive(handles.write(handleId, offset, chunk)), {}),

      "fs/close": ({ handleId }: ParamsOf<"fs/close">) =>
        Effect.as(lock.exclusive(handles.close(handleId)), {}),

      "fs/watchMissing": (params: ParamsOf<"fs/watchMissing">, { afterReply }: RequestContext) =>
        Effect.gen(function* () {
          const { watchId: id } = params
          const paths = yield* Effect.forEach(params.missing, native)
          const present = params.present == null ? undefined : yield* native(params.present)
          let tell = () => {
            told = true
          }
          let told = false
          // JSON.stringify knows no integers of 64 bits.
          const notify = () => write(`{"method":"fs/missingChanged","params":{"watchId":${id}}}`)
          const watching = yield* lock.shared(missing.watch({ id, missing: paths, present }, () => tell()))
          afterReply(() => {
            tell = notify
            if (told) notify()
          })
          return { watching }
        }),
    }
  })

const follows = ({ followSymlinks }: { readonly followSymlinks?: boolean | null | undefined }): boolean =>
  followSymlinks ?? true

const badContent = (fault: string) =>
  Effect.fail(invalid(`fs/writeFile requires valid base64 dataBase64: ${fault}`))

/** The native path of a URI. A URI of another host has the code of a bad file, not of bad params, as in the peer. */
const toNative = (uri: string, platform: string): Effect.Effect<string, HandlerError> =>
  Effect.mapError(PathUri.toPath(uri, platform), ({ reason, message }) =>
    reason === "NotNative" ? invalid(message) : new ParamsError({ message }),
  )
