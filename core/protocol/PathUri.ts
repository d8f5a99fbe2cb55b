/**
 * `file:` URIs, the form of every path on the wire, to native paths and back.
 *
 * Percent codes are decoded, `.` and `..` are resolved as text before the operating system sees the path, and a
 * trailing slash is dropped. Bytes that are not UTF-8 are kept (see `NativePath`). Error texts are those of the peer
 * implementation.
 */
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import { utf8 } from "./Bytes.ts"
import * as NativePath from "./NativePath.ts"
import * as Url from "./Url.ts"
import { type Judge, text } from "./shape/index.ts"

/**
 * The fault of a text that is no path of a host: it is no `file:` URI (`Malformed`), it has a percent-encoded NUL
 * (`Nul`), or it is a path of another host, or none that this program can use (`NotNative`). `message` is the text that
 * the client sees.
 */
export class PathUriError extends Data.TaggedError("PathUriError")<{
  /** One of the three. */
  readonly reason: "Malformed" | "Nul" | "NotNative"
  readonly message: string
}> {}

/** The native absolute path of a `file:` URI on a platform (`linux`, `macos`, `windows`). */
export const toPath = (uri: string, platform: string): Result.Result<string, PathUriError> =>
  isPlain(uri)
    ? Result.succeed(uri.slice(prefix.length))
    : Result.flatMap(parse(uri, platform), (url) => {
        const windows = platform === "windows"
        if (url.host !== "" || (!windows && drive.test(url.path))) {
          return Result.fail(invalidOn(url, platform, "NotNative"))
        }
        const path = decode(url.path)
        return Result.succeed(normalise(windows ? path.replace(/^\/([A-Za-z]:)/, "$1") : path))
      })

/** The same, where only a path of valid UTF-8 will do: spawners and their tools take text. */
export const toTextPath = (uri: string, platform: string): Result.Result<string, PathUriError> =>
  Result.flatMap(toPath(uri, platform), (path) =>
    NativePath.isText(path)
      ? Result.succeed(path)
      : Result.flatMap(parse(uri, platform), (url) => Result.fail(invalidOn(url, platform, "NotNative"))),
  )

/** The URI as the peer implementation writes it, with the spelling of its percent codes. */
export const canonical = (uri: string, platform: string): Result.Result<string, PathUriError> =>
  isPlain(uri) ? Result.succeed(uri) : Result.map(parse(uri, platform), urlText)

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

const prefix = "file://"

/** True for a URI with nothing to decode, resolve or refuse: the rest is its path. */
const isPlain = (uri: string): boolean =>
  // oxlint-disable-next-line no-control-regex -- control characters are not plain
  /^file:\/\/\/[^\0- "#%:<>?\\`{|}\x7f-\uffff]+$/.test(uri) &&
  !/\/\.{0,2}(?:\/|$)/.test(uri.slice(prefix.length))

/** A drive letter as the first segment of a path. */
const drive = /^\/[A-Za-z](?::|%3a)(?=\/|$)/i

/** The parsed URI, if its path has no NUL. */
const parse = (uri: string, platform: string): Result.Result<FileUrl, PathUriError> =>
  Result.flatMap(
    Result.mapError(parseUrl(uri), (message) => new PathUriError({ reason: "Malformed", message })),
    (url) =>
      url.path.includes("\0") || url.path.includes("%00")
        ? Result.fail(invalidOn(url, platform, "Nul"))
        : Result.succeed(url.host === "" ? { ...url, path: url.path.replace(drive, upperCase) } : url),
  )

const upperCase = (segment: string) => `/${segment.charAt(1).toUpperCase()}${segment.slice(2)}`

const invalidOn = (url: FileUrl, platform: string, reason: PathUriError["reason"]) =>
  new PathUriError({ reason, message: `'${urlText(url)}' is invalid on '${platform}'` })

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

const encodeText = (text: string): string => text.replace(reserved, encodeURIComponent)

/** Characters that a segment of a path cannot contain. Brackets, `|` and `^` need no codes, as in the peer. */
// oxlint-disable-next-line no-control-regex -- control characters need percent codes
const reserved = /[\0- "#%<>?\\`{}\x7f]|[^\0-\x7f]+/g

/** A `file:` URL without query and fragment. */
export interface FileUrl {
  /** Empty for this host. */
  readonly host: string
  /** Absolute, dots resolved, with the percent codes as they were written. */
  readonly path: string
}

/** Parses a `file:` URL. A failure is the text of the error. */
const parseUrl = (text: string): Result.Result<FileUrl, string> => {
  const url = text.replace(ignored, "")
  if (!/^file:/i.test(url)) return Result.fail(otherScheme(url))
  const end = url.search(/[?#]/)
  const parsed = parseHost((end === -1 ? url : url.slice(0, end)).slice(5).replaceAll("\\", "/"))
  if (end === -1 || Result.isFailure(parsed)) return parsed
  return Result.fail(`${url[end] === "?" ? "query parameters" : "fragments"} are not allowed in path URIs`)
}

/** The URL as text, with percent codes for what a URL cannot contain. */
const urlText = ({ host, path }: FileUrl): string =>
  `file://${host}${path.replace(unsafe, encodeURIComponent)}`

/** A drive letter, as the first segment of a path has it. */
const driveSegment = /^[A-Za-z][:|]$/

/** Characters that the parser drops: controls and blanks around a URL, tabs and line ends in it. */
// oxlint-disable-next-line no-control-regex -- control characters are exactly what is dropped
const ignored = /^[\0- ]+|[\0- ]+$|[\t\n\r]+/g

// oxlint-disable-next-line no-control-regex -- control characters need percent codes
const unsafe = /[\0- "#<>?`{}\x7f]|[^\0-\x7f]+/g

const otherScheme = (text: string): string =>
  Result.match(Url.parse(text), {
    onFailure: (fault) => `invalid URI: ${fault}`,
    onSuccess: (url) => `unsupported path URI scheme \`${Url.schemeOf(url)}\``,
  })

const parseHost = (rest: string): Result.Result<FileUrl, string> => {
  if (!rest.startsWith("//")) return Result.succeed({ host: "", path: resolveDots(rest, true).path })
  const slash = rest.indexOf("/", 2)
  const authority = rest.slice(2, slash === -1 ? undefined : slash)
  if (driveSegment.test(authority))
    return Result.succeed({ host: "", path: resolveDots(rest.slice(2), true).path })
  const path = slash === -1 ? "/" : rest.slice(slash)
  const named = authority === "" ? Result.succeed("") : Url.host(authority)
  return Result.mapBoth(named, {
    onFailure: (fault) => `invalid URI: ${fault}`,
    onSuccess: (name) => {
      const host = name === "localhost" ? "" : name
      const resolved = resolveDots(path, host !== "")
      return { host: resolved.hasDrive ? "" : host, path: resolved.path }
    },
  })
}

/**
 * Resolves `.` and `..`, which a drive letter stops, and makes one slash of those at the beginning. With `drives` a
 * first segment `C|` is the drive `C:`.
 */
const resolveDots = (text: string, drives: boolean) => {
  const segments = (text.startsWith("/") ? text.slice(1) : text).split("/")
  let path = "/"
  let hasDrive = false
  for (const [index, segment] of segments.entries()) {
    const slash = index < segments.length - 1 ? "/" : ""
    if (/^(?:\.|%2e){2}$/i.test(segment)) {
      path = parent(path)
    } else if (!/^(?:\.|%2e)$/i.test(segment)) {
      const isDrive = drives && path === "/" && driveSegment.test(segment)
      hasDrive ||= isDrive
      path += `${isDrive ? `${segment[0]}:` : segment}${slash}`
    }
  }
  return { path: path.replace(/^\/+/, "/"), hasDrive }
}

/** A path that ends with a slash without its last segment, unless that is a drive letter. */
const parent = (path: string): string => {
  const before = path.lastIndexOf("/", path.length - 2)
  return before === -1 || driveSegment.test(path.slice(before + 1, -1)) ? path : path.slice(0, before + 1)
}

/** The fault of a text that is no `file:` URI without a NUL. */
const faultOfUri: Judge = (uri, platform) =>
  Result.match(canonical(uri, platform), {
    onFailure: ({ message }) => message,
    onSuccess: () => undefined,
  })

/** Earlier clients send an absolute POSIX path in the place of a URI. */
const faultOfEither: Judge = (text, platform) => (isNativePath(text) ? undefined : faultOfUri(text, platform))

/** A path in params, a `file:` URI of any host. */
export const Uri = text(faultOfUri, { format: "uri" })

/** The same, or an absolute native path. */
export const UriOrPath = text(faultOfEither, {})
