/**
 * `networkProxy` of a start, the settings of a proxy in the words of the peer, as rules below those of the server.
 *
 * A setting that would take something from the process is carried out, or refused; one that would give it more than the
 * rules of the server has no effect.
 */
import * as Result from "effect/Result"
import { describe, isObject, type Json } from "../../protocol/Json.ts"
import { longestMillis } from "./Asking.ts"
import * as Rules from "./Rules.ts"

/** The settings of one start. */
export interface Settings {
  readonly rules: Rules.Rules
  /** The time for an answer of the client, in milliseconds; undefined if it is not asked. */
  readonly answerMillis: number | undefined
  /** The variables by which programs of the peer know the proxy. */
  readonly env: Readonly<Record<string, string>>
}

/** The settings that allow more than the rules of the server, or that change nothing here. */
const flags = [
  "enabled",
  "enableSocks5",
  "enableSocks5Udp",
  "allowUpstreamProxy",
  "dangerouslyAllowAllUnixSockets",
  "allowLocalBinding",
] as const

/** The others that are read here. Unix sockets of the host are never reached through the proxy. */
const others: ReadonlySet<string> = new Set(["mode", "domains", "unixSockets"])

/** The settings of what a client has sent; a failure is a text for it. */
export const read = (sent: Json): Result.Result<Settings, string> =>
  Result.gen(function* () {
    if (!isObject(sent) || !isObject(sent["proxy"] ?? null))
      return yield* Result.fail("`networkProxy` has to be an object with an object `proxy`")
    const { proxy, policyDecisionTimeoutMs = null } = sent as { readonly [name: string]: Json }
    const settings = proxy as { readonly [name: string]: Json }
    for (const name of flags) {
      const value = settings[name]
      if (value === undefined) return yield* Result.fail(`missing field \`${name}\``)
      if (typeof value !== "boolean")
        return yield* Result.fail(`invalid type: ${describe(value)}, expected a boolean (field \`${name}\`)`)
    }
    if (settings["enabled"] !== true)
      return yield* invalid("executor-local network proxy launch requires an enabled proxy")
    const { mode = null, domains = null, allowLocalBinding } = settings
    if (mode !== "full" && mode !== "limited")
      return yield* Result.fail(`unknown variant \`${String(mode)}\`, expected \`limited\` or \`full\``)
    if (mode === "limited")
      return yield* invalid(
        "the mode limited is not supported by this server: it does not look into requests",
      )
    for (const [name, value] of [...Object.entries(sent), ...Object.entries(settings)]) {
      const isKnown = others.has(name) || flags.some((flag) => flag === name) || known.has(name)
      if (!isKnown && wishes(value)) return yield* invalid(`\`${name}\` is not supported by this server`)
    }
    const rules = yield* rulesOf(domains)
    const answerMillis = yield* millisOf(policyDecisionTimeoutMs)
    return {
      rules: { ...rules, asksRest: answerMillis !== undefined },
      answerMillis,
      env: {
        CODEX_NETWORK_PROXY_ACTIVE: "1",
        CODEX_NETWORK_ALLOW_LOCAL_BINDING: allowLocalBinding === true ? "1" : "0",
      },
    }
  })

/** The fields beside `proxy`. The last three are for the logs of the peer. */
const known: ReadonlySet<string> = new Set([
  "proxy",
  "policyDecisionTimeoutMs",
  "auditMetadata",
  "environmentId",
  "executionId",
])

/** False for what asks for nothing. */
const wishes = (value: Json): boolean =>
  value !== null && value !== false && !(typeof value === "object" && Object.keys(value).length === 0)

const invalid = (why: string) => Result.fail(`invalid network proxy config: ${why}`)

const rulesOf = (domains: Json): Result.Result<Rules.Rules, string> =>
  Result.gen(function* () {
    const lists: Readonly<Record<"allow" | "deny", Array<Rules.Rule>>> = { allow: [], deny: [] }
    if (domains === null) return Rules.nothing
    if (!isObject(domains))
      return yield* Result.fail(`invalid type: ${describe(domains)}, expected a map (field \`domains\`)`)
    for (const [pattern, permission] of Object.entries(domains)) {
      if (permission === "none") continue
      if (permission !== "allow" && permission !== "deny")
        return yield* Result.fail(
          `unknown variant \`${String(permission)}\`, expected one of \`none\`, \`allow\`, \`deny\``,
        )
      if (pattern === "*" && permission === "allow") lists.allow.push(everything)
      else {
        const rule = Rules.ruleOf(permission, pattern)
        if (Result.isFailure(rule)) return yield* invalid(rule.failure)
        lists[permission].push(rule.success)
      }
      if (lists.allow.length + lists.deny.length > Rules.mostRules)
        return yield* invalid(`there are more than ${Rules.mostRules} domains`)
    }
    return { ...Rules.nothing, ...lists }
  })

const everything: Rules.Rule = { text: "allow:*", host: { kind: "every" }, port: undefined }

const millisOf = (given: Json): Result.Result<number | undefined, string> => {
  if (given === null) return Result.succeed(undefined)
  if (typeof given !== "number" && typeof given !== "bigint")
    return Result.fail(`invalid type: ${describe(given)}, expected u64 (field \`policyDecisionTimeoutMs\`)`)
  if (!Number.isInteger(Number(given)) || given < 0) return Result.fail("invalid number")
  return Number(given) === 0
    ? Result.fail("network policy decision callback timeout must be nonzero")
    : Result.succeed(Math.min(Number(given), longestMillis))
}
