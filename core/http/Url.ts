/** URLs of requests: the parser of the runtime, with error texts of the peer implementation. */
import * as Either from "effect/Either"

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

/** Parses a URL. Left is the text of the error. */
export const parse = (text: string, base?: string): Either.Either<Url, string> => {
  try {
    return Either.right(new Parser(text, base))
  } catch {
    return Either.left(fault(text.trim()))
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

const fault = (text: string): string => {
  const authority = /^[a-z][a-z0-9+.-]*:[/\\]*([^/\\?#]*)/i.exec(text)
  if (authority === null) return "relative URL without a base"
  const [, host = ""] = /^(?:.*@)?(\[.*\]|[^:]*)(?::\d*)?$/.exec(authority[1] ?? "") ?? []
  if (host.startsWith("[")) return "invalid IPv6 address"
  if (authority[1] === "") return "empty host"
  return /:\d+$/.test(authority[1] ?? "") ? "invalid port number" : "invalid international domain name"
}
