/**
 * The hosts that processes ask for, in one form: what is judged is what is resolved and dialled.
 *
 * The parser is the one of URLs that the runtime has (WHATWG): it lowers the case, maps other scripts to punycode, and
 * turns each form of an IPv4 address (`0x7f.1`, `2130706433`, `127.1`) into the usual one. It also decodes percent
 * codes, drops tabs, and ends at a slash, so everything but the characters of names and addresses is refused before.
 */
import * as Result from "effect/Result"
import * as Url from "../../protocol/Url.ts"
import * as Address from "./Address.ts"

/** The most characters of a name, and of a label of it. */
const [longest, longestLabel] = [253, 63]

/**
 * A host in its usual form: a name in lower case without a dot at its end, or an address without brackets. An IPv4
 * address that is mapped into IPv6 becomes itself. A failure is a sentence that names the value.
 */
export const parse = (given: string): Result.Result<string, string> => {
  const refuse = (why: string) => Result.fail(`the host ${shown(given)} ${why}`)
  if (given === "") return refuse("is empty")
  if (given.length > 4 * longest) return refuse(`is longer than ${longest} characters`)
  // oxlint-disable-next-line no-control-regex -- what a resolver would end at, and a parser drop
  if (/[\0- \x7f]/.test(given)) return refuse("has a space or a control character")
  if (given.includes("%")) return refuse("has a percent code or a zone")
  const bare = given.startsWith("[") && given.endsWith("]") ? given.slice(1, -1) : given
  const isV6 = bare.includes(":")
  if (bare !== given && !isV6) return refuse("has brackets around what is no address of IPv6")
  if (isV6 ? !/^[\da-f:.]+$/i.test(bare) : /[^\w.\-\u0080-\uffff]/.test(bare))
    return refuse("has a character that no host has")
  const parsed = Url.host(isV6 ? `[${bare}]` : bare)
  if (Result.isFailure(parsed)) return refuse(`is not valid: ${parsed.failure}`)
  const host = parsed.success
  const address = Address.parse(host.startsWith("[") ? host.slice(1, -1) : host)
  if (address !== undefined) return Result.succeed(Address.toText(address))
  const name = host.endsWith(".") ? host.slice(0, -1) : host
  if (name.length > longest) return refuse(`is longer than ${longest} characters`)
  const labels = name.split(".")
  if (labels.some((label) => label.length > longestLabel))
    return refuse(`has a label longer than ${longestLabel} characters`)
  return labels.every((label) => /^[a-z\d_](?:[\w-]*[a-z\d_])?$/.test(label))
    ? Result.succeed(name)
    : refuse("has an empty label, or one with a hyphen at an end")
}

/** A value of a peer for a message: quoted, and of bounded length. */
export const shown = (value: string): string =>
  JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value)

/** A host and a port in text. */
export const withPort = (host: string, port: number): string =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`
