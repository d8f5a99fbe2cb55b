/**
 * `file:` URIs, the form of every path on the wire, to native paths and back.
 *
 * Percent codes are decoded, `.` and `..` are resolved as text before the operating system sees the
 * path, a trailing slash is dropped. Bytes that are no UTF-8 are kept (see `NativePath`). Error texts are those
 * of the peer implementation.
 */
import * as Either from "effect/Either"
import { utf8 } from "./Bytes.ts"
import * as NativePath from "./NativePath.ts"

/** The native absolute path of a `file:` URI, or the text of the error (code -32602). */
export const toPath = (uri: string, platform: string): Either.Either<string, string> => {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):(.*)$/s.exec(uri)
  if (scheme === null) return Either.left("invalid URI: relative URL without a base")
  const [, name = "", rest = ""] = scheme
  if (name.toLowerCase() !== "file") {
    return Either.left(`unsupported path URI scheme \`${name.toLowerCase()}\``)
  }
  if (rest.includes("#")) return Either.left("fragments are not allowed in path URIs")
  if (rest.includes("?")) return Either.left("query parameters are not allowed in path URIs")
  const [host, path] = splitHost(rest)
  const invalid = Either.left(`'${uri}' is invalid on '${platform}'`)
  if (host !== "" && host.toLowerCase() !== "localhost") return invalid
  const decoded = decode(path)
  if (decoded.includes("\0")) return invalid
  if (platform === "windows") return Either.right(normalise(decoded.replace(/^\/([A-Za-z]:)/, "$1")))
  return /^\/[A-Za-z]:/.test(decoded) ? invalid : Either.right(normalise(decoded))
}

/** The `file:` URI of a native absolute path. */
export const fromPath = (path: string): string => {
  const slashed = path.replaceAll("\\", path.startsWith("/") ? "\\" : "/")
  const encoded = slashed.split("/").map(encodeSegment).join("/")
  return `file://${encoded.startsWith("/") ? "" : "/"}${encoded}`
}

/** True for an absolute native path, the form that earlier clients send. */
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
            : `%${(piece.charCodeAt(0) - 0xdc00).toString(16).toUpperCase()}`,
        )
        .join("")

const encodeText = (text: string): string =>
  encodeURI(text).replaceAll("?", "%3F").replaceAll("#", "%23").replaceAll("[", "%5B").replaceAll("]", "%5D")
