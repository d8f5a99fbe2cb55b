/**
 * `file:` URLs as the WHATWG URL standard reads them, in the form that the peer implementation gives them.
 *
 * The runtime's `URL` is not used for paths: Node 20 keeps a `/.` at the end, and for drive letters and for slashes at
 * the beginning the peer departs from the standard. Error texts are those of the peer.
 */
import * as Result from "effect/Result"
import * as Url from "./Url.ts"

/** A `file:` URL without query and fragment. */
export interface FileUrl {
  /** Empty for this host. */
  readonly host: string
  /** Absolute, dots resolved, with the percent codes as they were written. */
  readonly path: string
}

/** Parses a `file:` URL. A failure is the text of the error. */
export const parse = (text: string): Result.Result<FileUrl, string> => {
  const url = text.replace(ignored, "")
  if (!/^file:/i.test(url)) return Result.fail(otherScheme(url))
  const end = url.search(/[?#]/)
  const parsed = parseHost((end === -1 ? url : url.slice(0, end)).slice(5).replaceAll("\\", "/"))
  if (end === -1 || Result.isFailure(parsed)) return parsed
  return Result.fail(`${url[end] === "?" ? "query parameters" : "fragments"} are not allowed in path URIs`)
}

/** The URL as text, with percent codes for what a URL cannot contain. */
export const toText = ({ host, path }: FileUrl): string =>
  `file://${host}${path.replace(unsafe, encodeURIComponent)}`

/** A drive letter, as the first segment of a path has it. */
const drive = /^[A-Za-z][:|]$/

/** What the parser drops: control characters and blanks around a URL, tabs and line ends in it. */
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
  if (!rest.startsWith("//")) return Result.succeed({ host: "", path: resolve(rest, true).path })
  const slash = rest.indexOf("/", 2)
  const authority = rest.slice(2, slash === -1 ? undefined : slash)
  if (drive.test(authority)) return Result.succeed({ host: "", path: resolve(rest.slice(2), true).path })
  const path = slash === -1 ? "/" : rest.slice(slash)
  const named = authority === "" ? Result.succeed("") : Url.host(authority)
  return Result.mapBoth(named, {
    onFailure: (fault) => `invalid URI: ${fault}`,
    onSuccess: (name) => {
      const host = name === "localhost" ? "" : name
      const resolved = resolve(path, host !== "")
      return { host: resolved.hasDrive ? "" : host, path: resolved.path }
    },
  })
}

/**
 * Resolves `.` and `..`, which a drive letter stops, and makes one slash of those at the beginning. With `drives` a
 * first segment `C|` is the drive `C:`.
 */
const resolve = (text: string, drives: boolean) => {
  const segments = (text.startsWith("/") ? text.slice(1) : text).split("/")
  let path = "/"
  let hasDrive = false
  for (const [index, segment] of segments.entries()) {
    const slash = index < segments.length - 1 ? "/" : ""
    if (/^(?:\.|%2e){2}$/i.test(segment)) {
      path = parent(path)
    } else if (!/^(?:\.|%2e)$/i.test(segment)) {
      const isDrive = drives && path === "/" && drive.test(segment)
      hasDrive ||= isDrive
      path += `${isDrive ? `${segment[0]}:` : segment}${slash}`
    }
  }
  return { path: path.replace(/^\/+/, "/"), hasDrive }
}

/** A path that ends with a slash without its last segment, unless that is a drive letter. */
const parent = (path: string): string => {
  const before = path.lastIndexOf("/", path.length - 2)
  return before === -1 || drive.test(path.slice(before + 1, -1)) ? path : path.slice(0, before + 1)
}
