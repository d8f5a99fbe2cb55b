/** URLs of any scheme: the parser of the runtime, with error texts of the peer implementation. */
import * as Result from "effect/Result"

/** The part of the global `URL` class that is used here. */
export interface Url {
  /** The whole URL. */
  readonly href: string
  /** Scheme, host and port. */
  readonly origin: string
  /** The scheme with its colon. */
  readonly protocol: string
  /** The host without the port. */
  readonly hostname: string
  /** Percent-encoded; empty if there is none. */
  username: string
  /** Percent-encoded; empty if there is none. */
  password: string
  /** The fragment with its `#`; empty if there is none. */
  hash: string
}

const { URL: Parser } = globalThis as unknown as {
  readonly URL: new (text: string, base?: string) => Url
}

/** Parses a URL. A failure is the text of the error. */
export const parse = (text: string, base?: string): Result.Result<Url, string> => {
  try {
    return Result.succeed(new Parser(text, base))
  } catch {
    // oxlint-disable-next-line no-control-regex -- what the parser ignores
    return Result.fail(fault(text.replace(/^[\0- ]+|[\t\n\r]+/g, "")))
  }
}

/** True for `http:` and `https:`. */
export const isWeb = ({ protocol }: Url): boolean => protocol === "http:" || protocol === "https:"

/** The scheme without the colon, for error texts. */
export const schemeOf = ({ protocol }: Url): string => protocol.slice(0, -1)

/** The URL without credentials and fragment. */
export const bare = (url: Url): string => {
  const copy = new Parser(url.href)
  copy.username = copy.password = copy.hash = ""
  return copy.href
}

/** The canonical host of a `file:` URL or a web URL: lower case, percent codes decoded, IP addresses in one form. */
export const host = (text: string): Result.Result<string, string> => {
  const inBrackets = text.startsWith("[")
  // A port or credentials would parse, but the host of a file has none.
  if (inBrackets ? text.endsWith("]") : !/[:@]/.test(text)) {
    try {
      return Result.succeed(new Parser(`ws://${text}`).hostname)
    } catch {
      // hostFault says why.
    }
  }
  return Result.fail(hostFault(text))
}

/** The schemes, beside `file`, whose URLs always have a host. */
const web = /^(?:https?|wss?|ftp)$/i

const fault = (text: string): string => {
  const [, scheme, rest = ""] = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(text) ?? []
  if (scheme === undefined) return "relative URL without a base"
  const authority = (web.test(scheme) ? /^[/\\]*([^/\\?#]*)/ : /^\/\/([^/?#]*)/).exec(rest)?.[1] ?? ""
  const [, name = "", port] = /^(?:.*@)?(\[.*\]|[^:]*)(:.*)?$/s.exec(authority) ?? []
  if (name === "") return "empty host"
  if (!web.test(scheme) && !name.startsWith("[")) return /[\s<>\\^|[\]]/.test(name) ? badCharacter : badPort
  return port === undefined || Result.isFailure(host(name)) ? hostFault(name) : badPort
}

const badPort = "invalid port number"
const badCharacter = "invalid domain character"

const hostFault = (text: string): string => {
  if (text.startsWith("[")) return "invalid IPv6 address"
  if (/^\p{Default_Ignorable_Code_Point}+$/u.test(text)) return "empty host"
  const [last = ""] = /[^.]*(?=\.?$)/.exec(text) ?? []
  return /^(?:\d+|0x[\da-f]*)$/i.test(last) ? "invalid IPv4 address" : "invalid international domain name"
}
