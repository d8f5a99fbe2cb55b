/** Paths as the server of a client reads them. */
import type { Path } from "@effect/platform/Path"
import type { Client } from "../node/index.ts"

export const toPath = (uri: string): string => decodeURIComponent(new URL(uri).pathname)

/** Those of POSIX, which begin at the server's directory. */
export const make = ({ environmentInfo }: Client, posix: Path): Path => {
  const cwd = toPath(environmentInfo.cwd ?? "file:///")
  const resolve = (...segments: ReadonlyArray<string>) => posix.resolve(cwd, ...segments)
  return {
    ...posix,
    resolve,
    relative: (from, to) => posix.relative(resolve(from), resolve(to)),
    toFileUrl: (path) => posix.toFileUrl(path.endsWith("/") ? `${resolve(path)}/` : resolve(path)),
  }
}
