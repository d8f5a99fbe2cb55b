/**
 * `fs/*`: each request picks its calls by its sandbox and waits for its turn.
 *
 * Requests that only look run together and those that change something run exclusively, in the order of arrival. The
 * open files and the watch of a connection end with it.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { FileCalls } from "../../files/FileCalls.ts"
import { invalid } from "../../files/FileError.ts"
import * as Handles from "../../files/Handles.ts"
import * as MissingWatch from "../../files/MissingWatch.ts"
import * as ReadWriteLock from "../../files/ReadWriteLock.ts"
import * as Walk from "../../files/Walk.ts"
import { fromBase64 } from "../../protocol/Bytes.ts"
import * as ErrorText from "../../protocol/ErrorText.ts"
import type { ParamsOf } from "../../protocol/Methods.ts"
import * as PathUri from "../../protocol/PathUri.ts"
import { ParamsError } from "../../protocol/ParamsError.ts"
import type { Sandbox } from "../../protocol/Sandbox.ts"
import type { RequestContext } from "../../rpc/Router.ts"
import type { Connection, Failure } from "../Feature.ts"
import type { WalkResult } from "./wire.ts"

/** The handlers of one connection; open files and the watch end with the scope. */
export const make = ({ server, files, sandboxed, write, scope, fork }: Connection) => {
  const { platform } = server.host
  const native = (uri: string) => Effect.mapError(Effect.fromResult(PathUri.toPath(uri, platform)), refusal)
  const access: Access = {
    platform,
    lock: ReadWriteLock.make(),
    native,
    calls: (params, use) =>
      Effect.gen(function* () {
        const calls = yield* sandboxed.calls(params.sandbox)
        return yield* use(calls, yield* native(params.path))
      }),
  }
  return {
    ...pathMethods(access),
    ...handleMethods(access, Handles.make(scope)),
    ...watchMethod(access, MissingWatch.make(files, scope, fork), write),
  }
}

/** The way of the requests of one connection to files. */
interface Access {
  readonly platform: string
  readonly lock: ReadWriteLock.ReadWriteLock
  /** The native path of a URI. */
  readonly native: (uri: string) => Effect.Effect<string, Failure>
  /** Gives `use` the native path of a request and the calls that its sandbox allows. */
  readonly calls: <A, E>(
    params: { readonly path: string; readonly sandbox?: Sandbox | null | undefined },
    use: Use<A, E>,
  ) => Effect.Effect<A, E | Failure, Scope.Scope>
}

type Use<A, E> = (calls: FileCalls, path: string) => Effect.Effect<A, E, Scope.Scope>

/** The methods that name a path and are complete with their answer. */
const pathMethods = ({ platform, lock, native, calls }: Access) => {
  type Params = Parameters<Access["calls"]>[0]
  const look = <A, E>(params: Params, use: Use<A, E>) => lock.shared(Effect.scoped(calls(params, use)))
  const change = <E>(params: Params, use: Use<void, E>) =>
    Effect.as(lock.exclusive(Effect.scoped(calls(params, use))), {})

  return {
    "fs/readFile": (params: ParamsOf<"fs/readFile">) => {
      const content = look(params, (calls, path) => calls.readFile(path, follows(params)))
      return Effect.map(content, (dataBase64) => ({ dataBase64 }))
    },

    "fs/writeFile": (params: ParamsOf<"fs/writeFile">) =>
      Result.match(fromBase64(params.dataBase64), {
        onFailure: badContent,
        onSuccess: (bytes) => change(params, (calls, path) => calls.writeFile(path, bytes, follows(params))),
      }),

    "fs/createDirectory": (params: ParamsOf<"fs/createDirectory">) => {
      const recursive = params.recursive ?? true
      return change(params, (calls, path) => calls.createDirectory(path, recursive, follows(params)))
    },

    "fs/getMetadata": (params: ParamsOf<"fs/getMetadata">) =>
      look(params, (calls, path) => calls.getMetadata(path, follows(params))),

    "fs/canonicalize": (params: ParamsOf<"fs/canonicalize">) => {
      const canonical = look(params, (calls, path) => calls.canonicalize(path))
      return Effect.map(canonical, (path) => ({ path: PathUri.fromPath(path) }))
    },

    "fs/readDirectory": (params: ParamsOf<"fs/readDirectory">) => {
      const listed = look(params, (calls, path) => calls.readDirectory(path))
      return Effect.map(listed, (entries) => ({ entries }))
    },

    "fs/walk": (params: ParamsOf<"fs/walk">) => {
      const { options } = params
      const walked = look(params, (calls, path) =>
        Effect.map(calls.walk(path, options), (result) => spelled(result, path, params.path, platform)),
      )
      return Effect.andThen(Walk.check(options), walked)
    },

    "fs/remove": (params: ParamsOf<"fs/remove">) => {
      const { recursive, force } = params
      const options = { recursive: recursive ?? true, force: force ?? true, follow: follows(params) }
      return change(params, (calls, path) => calls.remove(path, options))
    },

    "fs/copy": ({ sourcePath, destinationPath, recursive, sandbox }: ParamsOf<"fs/copy">) =>
      change({ path: sourcePath, sandbox }, (calls, source) =>
        Effect.flatMap(native(destinationPath), (to) => calls.copy(source, to, recursive)),
      ),

    "fs/rename": (params: ParamsOf<"fs/rename">) => {
      const { sourcePath, destinationPath, overwrite, sandbox } = params
      const options = { overwrite: overwrite ?? false, follow: follows(params) }
      return change({ path: sourcePath, sandbox }, (calls, source) =>
        Effect.flatMap(native(destinationPath), (to) => calls.rename(source, to, options)),
      )
    },

    "fs/setMode": (params: ParamsOf<"fs/setMode">) =>
      change(params, (calls, path) => calls.setMode(path, params.mode, follows(params))),

    "fs/createSymlink": (params: ParamsOf<"fs/createSymlink">) =>
      change(params, (calls, path) => calls.createSymlink(params.target, path, follows(params))),
  }
}

const handleMethods = ({ lock, calls }: Access, handles: Handles.Handles) => ({
  "fs/open": (params: ParamsOf<"fs/open">) => {
    const { handleId, mode = "read" } = params
    const opening = calls(params, (calls, path) => calls.open(path, mode))
    const opened = lock.exclusive(handles.open(handleId, mode, opening))
    return Effect.as(opened, { handleId })
  },

  "fs/readBlock": ({ handleId, offset, len }: ParamsOf<"fs/readBlock">) =>
    lock.shared(handles.read(handleId, offset, len)),

  "fs/writeBlock": ({ handleId, offset, chunk }: ParamsOf<"fs/writeBlock">) =>
    Effect.as(lock.exclusive(handles.write(handleId, offset, chunk)), {}),

  "fs/close": ({ handleId }: ParamsOf<"fs/close">) => Effect.as(lock.exclusive(handles.close(handleId)), {}),
})

const watchMethod = (
  { platform, lock }: Access,
  watch: MissingWatch.MissingWatch,
  write: Connection["write"],
) => ({
  "fs/watchMissing": (params: ParamsOf<"fs/watchMissing">, { afterReply }: RequestContext) =>
    Effect.gen(function* () {
      const { watchId: id } = params
      // The notification must follow the answer, but the watch may fire before it.
      let fired = false
      let answered = false
      const notify = () => {
        // JSON.stringify cannot write a bigint.
        if (fired && answered) write(`{"method":"fs/missingChanged","params":{"watchId":${id}}}`)
      }
      const started = lock.shared(
        watch.watch({ id, ...toWatch(params, platform) }, () => {
          fired = true
          notify()
        }),
      )
      const watching = yield* started
      afterReply(() => {
        answered = true
        notify()
      })
      return { watching }
    }),
})

/** The native paths of a watch; none, which is not watched, if one of the URIs is no path of this host. */
const toWatch = ({ missing, present }: ParamsOf<"fs/watchMissing">, platform: string) => {
  const toPath = (uri: string) => PathUri.toPath(uri, platform)
  const paths = Result.all({
    missing: Result.all(missing.map(toPath)),
    present: present == null ? Result.succeed(undefined) : toPath(present),
  })
  return Result.getOrElse(paths, () => ({ missing: [], present: undefined }))
}

/** The result of a walk with the root as the request spells it: clients strip it from the paths. */
const spelled = (result: WalkResult, path: string, uri: string, platform: string): WalkResult => {
  const root = Result.getOrElse(PathUri.canonical(uri, platform), () => uri)
  const plain = PathUri.fromPath(path)
  if (root === plain) return result
  const [from, to] = [plain, root].map((text) => text.replace(/\/$/, "").length)
  const spell = <A extends { readonly path: string }>(item: A): A => ({
    ...item,
    path: item.path === plain ? root : `${root.slice(0, to)}${item.path.slice(from)}`,
  })
  return { ...result, entries: result.entries.map(spell), errors: result.errors.map(spell) }
}

const follows = ({ followSymlinks }: { readonly followSymlinks?: boolean | null | undefined }): boolean =>
  followSymlinks ?? true

const badContent = (fault: string) => Effect.fail(invalid(ErrorText.of("badContent", { reason: fault })))

/** A URI of another host has the code of a bad file, not of bad params, as in the peer. */
const refusal = ({ reason, message }: PathUri.PathUriError): Failure =>
  reason === "NotNative" ? invalid(message) : new ParamsError({ message })
