/** Paths on the server's machine: as people write them, and as the wire has them. */
import * as Either from "effect/Either"
import type { EnvironmentInfo } from "../protocol/Environment.ts"
import * as PathUri from "../protocol/PathUri.ts"

type Info = Pick<EnvironmentInfo, "cwd" | "platformOs">

/** The URI of a native path, relative to the server's directory, or of what is one already. */
export const toUri = (path: string, { cwd: base, platformOs }: Info): string => {
  if (/^file:/i.test(path)) return path
  if (path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path)) return PathUri.fromPath(path)
  const directory = PathUri.toPath(base ?? "file:///", platformOs ?? "linux")
  return PathUri.fromPath(PathUri.normalise(`${Either.getOrElse(directory, () => "")}/${path}`))
}

/** The native path of a URI that the server has told; the URI itself if it is none here. */
export const toNative = (uri: string, { platformOs }: Info): string =>
  Either.getOrElse(PathUri.toPath(uri, platformOs ?? "linux"), () => uri)
