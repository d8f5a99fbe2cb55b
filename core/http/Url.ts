/** URLs of requests: every runtime's own parser, with faults in the words of the peer implementation. */
import * as Either from "effect/Either"

/** What is used of the `URL` that every runtime has. */
export interface Url {
  readonly href: string
  readonly origin: string
  readonly protocol: string
  readonly hostname: string
  username: string
  password: string
  hash: string
}

const { URL: Parser } = globalThis as unknown as {
  readonly URL: new (text: string, base?: string) => Url
}

/** The parsed URL, or what is wrong with it. */
export const parse = (text: string, base?: string): Either.Either<Url, string> => {
  try {
    return Either.right(new Parser(text, base))
  } catch {
    return Either.left(fault(text.trim()))
  }
}

/** True for the schemes that can be asked. */
export const isWeb = ({ protocol }: Url): boolean => protocol === "http:" || protocol === "https:"

/** The scheme as error texts name it. */
export const schemeOf = ({ protocol }: Url): string => protocol.slice(0, -1)

/** The URL as a request line and an error text may show it. */
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
