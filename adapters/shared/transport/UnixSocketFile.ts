/**
 * The file of a listening unix socket: it has mode 0600 from the moment it exists, and is removed at the end.
 *
 * The server binds inside a private folder beside the path. Once the socket listens with the right mode it is linked to
 * the path, so the path never leads to a socket that is open to others or not ready. `link` fails if the path exists:
 * what is there is replaced only if it is a socket on which no server listens. At the end the path is removed only if
 * it is still this server's socket.
 */
import * as fs from "node:fs"
import * as net from "node:net"
import { dirname, join } from "node:path"
import process from "node:process"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { TransportError } from "../../../core/transport/Transport.ts"
import * as OsError from "../host/OsError.ts"

/** The longest path of a unix socket, in bytes (`sun_path`); Node 20 silently truncates a longer one. */
const maxPathBytes = process.platform === "linux" ? 107 : 103

const mode = 0o600

/** The bytes that the private folder and the socket in it add to a path: `/.xxxxxx/s`. */
const privateBytes = 10

/** Fails if the path is too long for the address of a unix socket. */
export const checkLength = (
  path: string,
  taken = Buffer.byteLength(path),
): Effect.Effect<void, TransportError> =>
  taken <= maxPathBytes
    ? Effect.void
    : Effect.fail(
        openError(`path too long for a unix socket: ${path} takes ${taken} bytes of at most ${maxPathBytes}`),
      )

/**
 * Binds a server by `bind` and keeps its path until the scope closes. The caller closes the server. With `replaces` a
 * socket on which another server listens is replaced at once, so that a connection at any time finds one of the two.
 */
export const listen = (
  path: string,
  bind: (path: string) => Effect.Effect<void, TransportError>,
  replaces = false,
): Effect.Effect<void, TransportError, Scope.Scope> =>
  Effect.gen(function* () {
    yield* checkLength(path)
    yield* checkLength(path, Buffer.byteLength(dirname(path)) + privateBytes)
    yield* Effect.acquireUseRelease(
      attempt(path, () => fs.mkdtempSync(`${dirname(path)}/.`)),
      (folder) =>
        Effect.gen(function* () {
          const bound = join(folder, "s")
          yield* bind(bound)
          const ours = yield* attempt(path, () => {
            fs.chmodSync(bound, mode)
            return fs.lstatSync(bound)
          })
          const claimed = replaces ? replace(path, bound) : claim(path, bound, join(folder, "o"))
          yield* Effect.acquireRelease(claimed, () => remove(path, ours))
        }),
      (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true })),
    )
  })

/** Puts the bound socket at its path; `aside` is a free name next to it. */
const claim = (path: string, bound: string, aside: string): Effect.Effect<void, TransportError> =>
  Effect.gen(function* () {
    if (yield* link(path, bound)) return
    const found = yield* look(path)
    if (found === "served") return yield* inUse(path)
    if (found === "foreign") {
      return yield* Effect.fail(openError(`cannot listen on unix:${path}: a file that is no socket is there`))
    }
    if (found === "stale") {
      yield* attempt(path, () => fs.renameSync(path, aside))
      // Another server may have taken the path since `look`: give it back.
      if ((yield* look(aside)) !== "stale") {
        yield* link(path, aside)
        return yield* inUse(path)
      }
    }
    if (!(yield* link(path, bound))) return yield* inUse(path)
  })

/** Puts the bound socket in the place of another one. */
const replace = (path: string, bound: string): Effect.Effect<void, TransportError> =>
  Effect.gen(function* () {
    if ((yield* look(path)) === "foreign")
      return yield* Effect.fail(openError(`cannot listen on unix:${path}: a file that is no socket is there`))
    yield* attempt(path, () => fs.renameSync(bound, path))
  })

/** False if something is at the path. */
const link = (path: string, bound: string): Effect.Effect<boolean, TransportError> =>
  attempt(path, () => {
    try {
      fs.linkSync(bound, path)
      return true
    } catch (error) {
      if (codeOf(error) === "EEXIST") return false
      throw error
    }
  })

type Found = "absent" | "stale" | "served" | "foreign"

/** Looks at a path. Only a refused connection proves that no server listens. */
const look = (path: string): Effect.Effect<Found> =>
  Effect.suspend(() => {
    const stat = fs.lstatSync(path, { throwIfNoEntry: false })
    if (stat === undefined) return Effect.succeed("absent" as const)
    if (!stat.isSocket()) return Effect.succeed("foreign" as const)
    return Effect.match(connects(path), {
      onSuccess: () => "served" as const,
      onFailure: (error) => {
        const code = codeOf(error)
        return code === "ECONNREFUSED" ? "stale" : code === "ENOENT" ? "absent" : "served"
      },
    })
  })

/**
 * Completes when a server has accepted a connection at a path, which ends then. Fails with ECONNREFUSED only if none
 * listens: with EAGAIN if one does, and its queue of connections is full.
 */
export const connects = (path: string): Effect.Effect<void, NodeJS.ErrnoException> =>
  Effect.callback<void, NodeJS.ErrnoException>((resume) => {
    const socket = net.connect({ path })
    socket.on("error", (error) => resume(Effect.fail(error)))
    socket.on("connect", () => {
      socket.destroy()
      resume(Effect.void)
    })
    return Effect.sync(() => socket.destroy())
  }).pipe((connected) =>
    "Bun" in globalThis ? Effect.catch(connected, (error) => asItIs(path, error)) : connected,
  )

/** The error as the kernel tells it. */
const asItIs = (path: string, error: NodeJS.ErrnoException): Effect.Effect<never, NodeJS.ErrnoException> =>
  Effect.flatMap(
    Effect.promise(() => import("./BunConnect.ts")),
    ({ refuses }) => {
      const isBusy = error.code === "ECONNREFUSED" && !refuses(path)
      return Effect.fail(
        isBusy ? Object.assign(new Error(`connect EAGAIN ${path}`), { code: "EAGAIN" }) : error,
      )
    },
  )

const remove = (path: string, ours: fs.Stats): Effect.Effect<void> =>
  Effect.sync(() => {
    const there = fs.lstatSync(path, { throwIfNoEntry: false })
    if (there?.ino === ours.ino && there.dev === ours.dev) fs.rmSync(path, { force: true })
  })

const inUse = (path: string): Effect.Effect<never, TransportError> =>
  Effect.fail(openError(`cannot listen on unix:${path}: Address in use (os error 98)`))

/** True if only its user can open the socket: one that was passed on has the mode that somebody else has chosen. */
export const isPrivate = ({
  path,
  fd,
}: {
  readonly path: string
  readonly fd?: number | undefined
}): boolean => {
  if (fd === undefined) return true
  try {
    const { mode, uid } = fs.statSync(path)
    return (mode & 0o077) === 0 && uid === process.getuid?.()
  } catch {
    // A socket without a file, in the abstract namespace, say.
    return false
  }
}

const attempt = <A>(path: string, run: () => A): Effect.Effect<A, TransportError> =>
  Effect.try({
    try: run,
    catch: (cause) =>
      openError(`cannot listen on unix:${path}: ${OsError.fromUnknown(cause).message}`, cause),
  })

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

const openError = (message: string, cause?: unknown): TransportError =>
  new TransportError({ reason: "Open", message, cause })
