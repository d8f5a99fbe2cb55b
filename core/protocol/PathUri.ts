/**
 * `file:` URIs, the form of every path on the wire, to native paths and back.
 *
 * Percent codes are decoded, `.` and `..` are resolved as text before the operating system sees the path, and a
 * trailing slash is dropped. Bytes that are not UTF-8 are kept (see `NativePath`). Error texts are those of the peer
 * implementation.
 */
import * as Data from "effect/Data"
import * as Either from "effect/Either"
import { utf8 } from "./Bytes.ts"
import * as NativePath from "./NativePath.ts"

/**
 * Why a text is no path of a host: it is no `file:` URI (`Malformed`), it has a percent-encoded NUL (`Nul`), or it is a
 * path of another host, or none that this program can use (`NotNative`). `message` is the text that the client sees.
 */
export class PathUriError extends Data.TaggedError("PathUriError")<{
  /** Which of the three it is. */
  readonly reason: "Malformed" | "Nul" | "NotNative"
  readonly message: string
}> {}

/** The native absolute path of a `file:` URI on a platform (`linux`, `macos`, `windows`). */
export const toPath = (uri: string, platform: string): Either.Either<string, PathUriError> => {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):(.*)$/s.exec(uri)
  if (scheme === null) return malformed("invalid URI: relative URL without a base")
  const [, name = "", rest = ""] = scheme
  if (name.toLowerCase() !== "file") return malformed(`unsupported path URI scheme \`${name.toLowerCase()}\``)
  if (rest.includes("#")) return malformed("fragments are not allowed in path URIs")
  if (rest.includes("?")) return malformed("query parameters are not allowed in path URIs")
  const [host, path] = splitHost(rest)
  const decoded = decode(path)
  const windows = platform === "windows"
  if (
    (host !== "" && host.toLowerCase() !== "localhost") ||
    decoded.includes("\0") ||
    (!windows && drive.test(decoded))
  ) {
    return Either.left(invalidOn(uri, platform, rest.includes("%00") ? "Nul" : "NotNative"))
  }
  return Either.right(normalise(windows ? decoded.replace(drive, "$1") : decoded))
}

/** The same, where only a path of valid UTF-8 will do: spawners and their tools take text. */
export const toTextPath = (uri: string, platform: string): Either.Either<string, PathUriError> =>
  Either.filterOrLeft(toPath(uri, platform), NativePath.isText, () => invalidOn(uri, platform, "NotNative"))

/** The `file:` URI of a native absolute path. */
export const fromPath = (path: string): string => {
  const slashed = path.replaceAll("\\", path.startsWith("/") ? "\\" : "/")
  const encoded = slashed.split("/").map(encodeSegment).join("/")
  return `file://${encoded.startsWith("/") ? "" : "/"}${encoded}`
}

/** True for an absolute POSIX path, which earlier clients send in the place of a URI. */
export const isNativePath = (text: string): boolean => text.startsWith("/")

/** Resolves `.` and `..` as text and drops a trailing slash. */
export const normalise = (path: string): string => {
  const kept: Array<string> = []
  for (const segment of path.split("/")) {
    if (segment === "..") kept.pop()
    else if (segment !== "" && segment !== ".") kept.push(segment)
  }
  return `${/^[A-Za-z]:/.test(path) ? "" : "/"}${kept.join("/")}`
}

/** A drive letter at the beginning of a URI's path. */
const drive = /^\/([A-Za-z]:)/

const malformed = (message: string) => Either.left(new PathUriError({ reason: "Malformed", message }))

const invalidOn = (uri: string, platform: string, reason: PathUriError["reason"]) =>
  new PathUriError({ reason, message: `'${uri}' is invalid on '${platform}'` })

const splitHost = (rest: string): readonly [host: string, path: string] => {
  if (!rest.startsWith("//")) return ["", rest]
  const slash = rest.indexOf("/", 2)
  return slash === -1 ? [rest.slice(2), "/"] : [rest.slice(2, slash), rest.slice(slash)]
}

const decode = (path: string): string => {
  try {
    return decodeURIComponent(path.replace(/%(?![0-9A-Fa-f]{2})/g, "%25"))
  } catch {
    const byte = (code: string) => Uint8Array.of(Number.parseInt(code.slice(1), 16))
    const parts = path.split(/(%[0-9A-Fa-f]{2})/)
    return NativePath.fromBytes(
      Uint8Array.from(
        parts.flatMap((part, index) => [...(index % 2 === 1 ? byte(part) : utf8.encode(part))]),
      ),
    )
  }
}

const encodeSegment = (segment: string): string =>
  NativePath.isText(segment)
    ? encodeText(segment)
    : NativePath.pieces(segment)
        .map((piece) =>
          NativePath.isText(piece)
            ? encodeText(piece)
            : `%${NativePath.byteOf(piece).toString(16).toUpperCase()}`,
        )
        .join("")

const encodeText = (text: string): string =>
  encodeURI(text).replaceAll("?", "%3F").replaceAll("#", "%23").replaceAll("[", "%5B").replaceAll("]", "%5D")
