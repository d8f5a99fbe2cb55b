/** `Path` of `@effect/platform` for the server's host: paths of POSIX, relative ones from the server's directory. */
import * as Path from "@effect/platform/Path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ExecClient } from "../../../core/client/ExecClient.ts"
import * as RemotePath from "../../../core/client/RemotePath.ts"

/** Paths as the server of `client` reads them. */
export const make = ({ environmentInfo }: ExecClient): Effect.Effect<Path.Path> =>
  Effect.scoped(
    Effect.map(Layer.build(Path.layer), (built) => {
      const posix = Context.get(built, Path.Path)
      const cwd = RemotePath.toNative(environmentInfo.cwd ?? "file:///", environmentInfo)
      const resolve = (...segments: ReadonlyArray<string>) => posix.resolve(cwd, ...segments)
      return {
        ...posix,
        resolve,
        relative: (from, to) => posix.relative(resolve(from), resolve(to)),
        toFileUrl: (path) => posix.toFileUrl(path.endsWith("/") ? `${resolve(path)}/` : resolve(path)),
      }
    }),
  )
