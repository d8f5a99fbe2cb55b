/** Either side of a copy: this machine, or the host of a server. What is new gets its name when it is whole. */
import * as fs from "node:fs"
import * as posix from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as ExecClient from "../../../../core/client/ExecClient.ts"
import type { ClientError } from "../../../../core/client/ClientError.ts"
import * as ErrorCode from "../../../../core/protocol/ErrorCode.ts"
import * as OsError from "../../host/OsError.ts"
import { Unable } from "../server/Unable.ts"

/** What is at a path. */
export interface Found {
  readonly kind: "file" | "folder" | "other"
  readonly size: number
}

/** One side. */
export interface Place {
  /** What a user calls a path of it. */
  readonly label: (path: string) => string
  /** Undefined if there is nothing. */
  readonly look: (path: string) => Effect.Effect<Found | undefined, Unable>
  /** The path without links. */
  readonly real: (path: string) => Effect.Effect<string, Unable>
  /** A new folder in one that is there, which goes with the scope. */
  readonly fresh: (folder: string) => Effect.Effect<string, Unable, Scope.Scope>
  readonly rename: (from: string, to: string) => Effect.Effect<void, Unable>
}

const prefix = ".procwire-"

/** This machine. */
export const here: Place = {
  label: (path) => path,
  look: (path) =>
    attempt(path, () => {
      const found = fs.statSync(path, { throwIfNoEntry: false })
      if (found === undefined) return undefined
      return { kind: found.isFile() ? "file" : found.isDirectory() ? "folder" : "other", size: found.size }
    }),
  real: (path) => attempt(path, () => fs.realpathSync(path)),
  fresh: (folder) =>
    Effect.acquireRelease(
      attempt(folder, () => fs.mkdtempSync(posix.join(folder, prefix))),
      (path) => Effect.sync(() => fs.rmSync(path, { recursive: true, force: true })),
    ),
  rename: (from, to) => attempt(to, () => fs.renameSync(from, to)),
}

const attempt = <A>(path: string, act: () => A): Effect.Effect<A, Unable> =>
  Effect.try({
    try: act,
    catch: (cause) => new Unable({ message: `${path}: ${OsError.fromUnknown(cause).message}` }),
  })

/** The host of a server, which commands call `name`. */
export const there = (client: ExecClient.ExecClient, name: string): Place => {
  const label = (path: string) => `${name}:${path}`
  const told = (path: string) =>
    Effect.mapError(
      ({ message, serverMessage = message }: ClientError) =>
        new Unable({ message: `${label(path)}: ${serverMessage}` }),
    )
  const script = (path: string, text: string, ...args: ReadonlyArray<string>) =>
    Effect.flatMap(
      told(path)(client.run({ argv: ["/bin/sh", "-c", text, "sh", ...args], reject: false })),
      ({ exitCode, stderr, stdout }) =>
        exitCode === 0
          ? Effect.succeed(stdout)
          : Effect.fail(
              new Unable({ message: `${label(path)}: ${stderr.trim() || `exit code ${exitCode}`}` }),
            ),
    )
  return {
    label,
    look: (path) =>
      client.fs.stat(path).pipe(
        Effect.map(({ isDirectory, isFile, size }): Found => ({
          kind: isFile ? "file" : isDirectory ? "folder" : "other",
          size,
        })),
        Effect.catchIf(
          ({ rpcCode }) => rpcCode === ErrorCode.notFound,
          () => Effect.succeed(undefined),
        ),
        told(path),
      ),
    real: (path) => told(path)(client.fs.canonicalize(path)),
    fresh: (folder) =>
      Effect.acquireRelease(
        script(folder, `d=$(mktemp -d "$1/${prefix}XXXXXXXX") && printf %s "$d"`, folder),
        (path) => Effect.ignore(Effect.timeout(client.fs.remove(path), "5 seconds")),
      ),
    rename: (from, to) =>
      Effect.asVoid(
        script(to, 'mv -fT -- "$1" "$2" 2>/dev/null || { [ ! -d "$2" ] && mv -f -- "$1" "$2"; }', from, to),
      ),
  }
}

/** The folder and the name of what is copied, and the name that it gets in a folder. */
export const source = (place: Place, path: string) =>
  Effect.gen(function* () {
    const found = yield* place.look(path)
    if (found === undefined)
      return yield* new Unable({ message: `${place.label(path)}: there is no such file` })
    if (found.kind === "other")
      return yield* new Unable({ message: `${place.label(path)}: it is no regular file and no folder` })
    const real = yield* place.real(path)
    if (real === "/") return yield* new Unable({ message: `${place.label(path)}: the root is not copied` })
    const given = posix.basename(path)
    const name = ["", ".", "..", "~"].includes(given) ? posix.basename(real) : given
    return { ...found, folder: posix.dirname(real), entry: posix.basename(real), name }
  })

/** The path that something gets: in a folder that is there, or as it was given. */
export const target = (
  place: Place,
  path: string,
  { kind, name }: { readonly kind: string; readonly name: string },
) =>
  Effect.gen(function* () {
    const refused = (at: string, why: string) => new Unable({ message: `${place.label(at)}: ${why}` })
    const found = yield* place.look(path)
    if (found === undefined && path.endsWith("/")) return yield* refused(path, "there is no such folder")
    const at = found?.kind === "folder" ? posix.join(path, name) : path
    const old = found?.kind === "folder" ? yield* place.look(at) : found
    if (old?.kind === "folder")
      return yield* refused(at, "there is a folder already; remove it, or name another")
    if (old?.kind === "other") return yield* refused(at, "it is no regular file")
    if (old !== undefined && kind === "folder") return yield* refused(at, "it is a file, and no folder")
    // What a link leads to is replaced, and the link stays.
    if (old !== undefined) return yield* place.real(at)
    return posix.join(yield* place.real(posix.dirname(at)), posix.basename(at))
  })
