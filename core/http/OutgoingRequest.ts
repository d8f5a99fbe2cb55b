/**
 * Makes the request that the params of `http/request` ask for.
 *
 * It has the given headers, `accept` and `accept-encoding`, nothing about this program. Values of headers may come from
 * the environment of the server, but not from the variables that hold its own credentials.
 */
import * as Result from "effect/Result"
import { toBase64, utf8 } from "../protocol/Bytes.ts"
import type { RequestHeader, RequestParams } from "../features/http/wire.ts"
import type { Header, Request } from "./HttpClient.ts"
import * as Url from "../protocol/Url.ts"

/** Environment variables that no header may contain, as in the peer implementation. Case is ignored. */
export const protectedVariables: ReadonlySet<string> = new Set([
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "CODEX_ACCESS_TOKEN",
  "CODEX_API_KEY",
  "CODEX_CONNECTORS_TOKEN",
  "CODEX_EXEC_SERVER_NOISE_AUTH_TOKEN",
  "NODE_REPL_AUTH_TOKEN",
  "OPENAI_API_KEY",
  "OPENAI_FEDERATION_RULE_ID",
  "OPENAI_IDENTITY_TOKEN_FILE",
  "OPENAI_WORKLOAD_IDENTITY_CONTEXT",
])

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
// Not allowed in the value of a header: control characters except the tab.
const control = /[^\t\x20-\x7e\u0080-\uffff]/

/** The members of the params that make the request. */
export type Params = Pick<RequestParams, "method" | "url" | "headers" | "bodyBase64">

/**
 * The request. A failure is the text of the error. `env` is the environment of the server, `codings` are those that the
 * client decodes.
 */
export const fromParams = (
  { method, url: given, headers: wanted, bodyBase64 }: Params,
  env: Readonly<Record<string, string>>,
  codings: ReadonlyArray<string> = [],
): Result.Result<Request, string> =>
  Result.gen(function* () {
    if (!token.test(method)) return yield* invalid("method is invalid: invalid HTTP method")
    const url = yield* Result.mapError(Url.parse(given), (fault) => `http/request url is invalid: ${fault}`)
    if (!Url.isWeb(url)) return yield* invalid(`only supports http and https URLs, got ${Url.schemeOf(url)}`)
    const headers: Array<Header> = []
    for (const header of wanted) headers.push(yield* toHeader(header, env))
    const has = (wanted: string) => headers.some(({ name }) => name === wanted)
    const credentials = basic(url)
    if (credentials !== undefined && !has("authorization"))
      headers.push({ name: "authorization", value: credentials })
    if (!has("accept")) headers.push({ name: "accept", value: "*/*" })
    if (!has("accept-encoding") && codings.length > 0)
      headers.push({ name: "accept-encoding", value: codings.join(",") })
    return { method, url: Url.bare(url), headers, body: bodyBase64 ?? new Uint8Array() }
  })

const toHeader = (
  { name, value, valueEnvVar }: RequestHeader,
  env: Readonly<Record<string, string>>,
): Result.Result<Header, string> =>
  Result.gen(function* () {
    if (!token.test(name)) return yield* invalid("header name is invalid: invalid HTTP header name")
    const whole = value + (valueEnvVar == null ? "" : yield* variable(name, valueEnvVar, env))
    if (control.test(whole))
      return yield* invalid(`header value is invalid for ${name}: failed to parse header value`)
    return { name: name.toLowerCase(), value: whole }
  })

const variable = (
  header: string,
  name: string,
  env: Readonly<Record<string, string>>,
): Result.Result<string, string> => {
  if (protectedVariables.has(name.toUpperCase()))
    return invalid(`header ${header} cannot use executor environment variable ${name}`)
  const value = Object.hasOwn(env, name) ? env[name] : undefined
  if (value === undefined) return invalid(`header ${header} requires executor environment variable ${name}`)
  if (value === "")
    return invalid(`header ${header} requires a non-empty executor environment variable ${name}`)
  return Result.succeed(value)
}

/** The credentials for user and password in a URL (basic authentication). */
const basic = ({ username, password }: Url.Url): string | undefined =>
  username === "" && password === ""
    ? undefined
    : `Basic ${toBase64(utf8.encode(`${decode(username)}:${decode(password)}`))}`

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const invalid = (text: string) => Result.fail(`http/request ${text}`)
