/** Paths on the server's host: native on this side, `file:` URIs on the wire. */
import * as Result from "effect/Result"
import type { EnvironmentInfo } from "../protocol/Environment.ts"
import * as PathUri from "../protocol/PathUri.ts"

type Info = Pick<EnvironmentInfo, "cwd" | "platformOs">

/**
 * The URI of a native path, which may be relative to the server's directory. A URI is returned as it is; so is what is
 * no string, which programs in JavaScript may pass (the server refuses it, and names the field), and a path with half
 * a character, which is not sent (see `WellFormed`).
 */
export const toUri = (path: string, info: Info): string => {
  if (typeof path !== "string" || /^file:/i.test(path)) return path
  try {
    return encoded(path, info)
  } catch (error) {
    if (error instanceof URIError) return path
    throw error
  }
}

const encoded = (path: string, { cwd: base, platformOs }: Info): string => {
  if (path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path)) return PathUri.fromPath(path)
  const directory = PathUri.toPath(base ?? "file:///", platformOs ?? "linux")
  return PathUri.fromPath(PathUri.normalise(`${Result.getOrElse(directory, () => "")}/${path}`))
}

/** The native path of a URI from the server; the URI itself if it has no native form. */
export const toNative = (uri: string, { platformOs }: Info): string =>
  Result.getOrElse(PathUri.toPath(uri, platformOs ?? "linux"), () => uri)
