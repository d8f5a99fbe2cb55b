/**
 * Rules for the hosts that processes may reach: `allow:HOST[:PORT]`, `deny:HOST[:PORT]`, `ask:HOST[:PORT]`, and `ask`
 * for what no rule names. A denial wins over an allowance, this over a question, and what nothing allows is denied: no
 * rules at all deny everything.
 *
 * HOST is a name (`x.org`), the names below one (`*.x.org`), these and itself (`**.x.org`), an address or a network
 * (`10.0.0.0/8`). Names are judged before they are resolved; each address that a name has is judged before it is
 * dialled: by the rules that deny addresses, and if it is not public, by those that allow it.
 */
import * as Result from "effect/Result"
import type { Allowed, Attempt, Decision, DenialReason, Denied } from "../../spawn/Egress.ts"
import * as Address from "./Address.ts"
import * as Host from "./Host.ts"

/** One rule. */
export interface Rule {
  /** The rule as it was written, with its `allow:`, `deny:` or `ask:`. */
  readonly text: string
  readonly host:
    | { readonly kind: "exact" | "below" | "withApex"; readonly name: string }
    | { readonly kind: "network"; readonly network: Address.Network }
    /** Every name, and every public address: of the settings of a peer alone. */
    | { readonly kind: "every" }
  /** Undefined for all of them. */
  readonly port: number | undefined
}

/** The rules of one who has a say. */
export interface Rules {
  readonly allow: ReadonlyArray<Rule>
  readonly deny: ReadonlyArray<Rule>
  /** A client is asked about these, as far as no other rule names them. */
  readonly ask: ReadonlyArray<Rule>
  /** True: a client is asked about everything else that is public. */
  readonly asksRest: boolean
}

/** Rules, and their origin. Several policies hold at once: what one of them does not allow is denied. */
export interface Policy {
  /** The origin, for texts: `the server`. */
  readonly of: string
  /** The rules of this moment. */
  readonly rules: () => Rules
}

/** The most rules of one policy. */
export const mostRules = 10_000

/** Allows nothing. */
export const nothing: Rules = { allow: [], deny: [], ask: [], asksRest: false }

/** The text of the rule for everything else. */
const rest = "ask"

/** The shortest prefix of a network that is allowed: that of the private addresses of IPv6. */
const leastBits = 7

/** The effect of a rule. */
export type Effect = "allow" | "deny" | "ask"

/** The rules of texts such as `allow:x.org,*.y.org:443`. A failure is a sentence that names the value. */
export const parse = (texts: ReadonlyArray<string>): Result.Result<Rules, string> =>
  Result.gen(function* () {
    const rules: Readonly<Record<Effect, Array<Rule>>> = { allow: [], deny: [], ask: [] }
    let asksRest = false
    let effect: Effect | undefined
    for (const text of texts) {
      effect = undefined
      for (const word of text.split(/[\s,]+/)) {
        if (word === "") continue
        if (word === rest) {
          asksRest = true
          effect = undefined
          continue
        }
        const [, begin, given = word] = /^(allow|deny|ask):(.*)$/.exec(word) ?? []
        if (begin !== undefined) effect = begin as Effect
        if (effect === undefined)
          return yield* Result.fail(`the rule ${Host.shown(word)} begins with none of allow:, deny: and ask:`)
        if (given === "") continue
        rules[effect].push(yield* ruleOf(effect, given))
        if (rules.allow.length + rules.deny.length + rules.ask.length > mostRules)
          return yield* Result.fail(`there are more than ${mostRules} rules`)
      }
    }
    return { ...rules, asksRest }
  })

/** True if a client may be asked. */
export const asks = ({ ask, asksRest }: Rules): boolean => asksRest || ask.length > 0

/**
 * The rules of a file: lines as for `parse`, and comments behind `#`; or an object of JSON with the lists `allow`,
 * `deny` and `ask` of hosts. An `ask` of true is for everything else.
 */
export const parseFile = (text: string): Result.Result<Rules, string> => {
  if (!/^\s*\{/.test(text)) return parse(text.split("\n").map((line) => line.replace(/#.*/, "")))
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return Result.fail("it is no JSON")
  }
  const { allow = [], deny = [], ask = [], ...others } = json as Readonly<Record<string, unknown>>
  const [unknown] = Object.keys(others)
  if (unknown !== undefined)
    return Result.fail(`it has the key ${Host.shown(unknown)}: the keys are allow, deny and ask`)
  const isList = (value: unknown): value is ReadonlyArray<string> =>
    Array.isArray(value) && value.every((host) => typeof host === "string")
  if (!isList(allow) || !isList(deny)) return Result.fail("its allow and deny are not both lists of texts")
  if (typeof ask !== "boolean" && !isList(ask))
    return Result.fail("its ask is neither a list of texts, nor true or false")
  return parse([
    ...allow.map((host) => `allow:${host}`),
    ...deny.map((host) => `deny:${host}`),
    ...(isList(ask) ? ask.map((host) => `ask:${host}`) : ask ? [rest] : []),
  ])
}

/** The rule of a host, and perhaps a port. A failure is a sentence that names both. */
export const ruleOf = (effect: Effect, given: string): Result.Result<Rule, string> => {
  const refuse = (why: string) => Result.fail(`the rule ${Host.shown(`${effect}:${given}`)} ${why}`)
  if (given.includes("://")) return refuse("is a URL: a rule has a host, and perhaps a port: x.org:443")
  const [host, behind] = split(given)
  const port = behind === undefined ? undefined : portOf(behind)
  if (behind !== undefined && port === undefined)
    return refuse("has no port from 1 to 65535 behind its colon")
  const rule = (of: Rule["host"]): Result.Result<Rule, string> =>
    Result.succeed({ text: `${effect}:${given}`, host: of, port })
  if (host.includes("/")) {
    const network = Address.network(host)
    if (typeof network === "string") return refuse(network)
    if (effect !== "deny" && network.prefix < leastBits)
      return refuse(`${effect === "ask" ? "asks for" : "allows"} too many addresses`)
    return rule({ kind: "network", network })
  }
  const [, stars = "", name = ""] = /^(\*{1,2}\.|)(.*)$/s.exec(host) ?? []
  if (name.includes("*"))
    return refuse(
      name === "*"
        ? `is everything: ${effect === "ask" ? "that is the word ask alone" : "name what is needed"}`
        : "has a * elsewhere than in front: *.x.org",
    )
  const parsed = Host.parse(name)
  if (Result.isFailure(parsed)) return refuse(`is not valid: ${parsed.failure}`)
  const address = Address.parse(parsed.success)
  if (address !== undefined) {
    if (stars !== "") return refuse("has a * in front of an address")
    // A number that was meant as a port would be an address, too.
    if (address.bits === 32 && parsed.success !== name) return refuse(`is written ${parsed.success}`)
    return rule({ kind: "network", network: { address, prefix: address.bits } })
  }
  if (stars !== "" && effect !== "deny" && !parsed.success.includes("."))
    return refuse("is all names of a top level: name what is needed, as *.x.org")
  const kind = stars === "" ? "exact" : stars === "*." ? "below" : "withApex"
  return rule({ kind, name: parsed.success })
}

/** The host of a rule, and the text behind its colon. */
const split = (given: string): readonly [host: string, port: string | undefined] => {
  const [, inBrackets, behind] = /^\[([^[\]]*)\](?::(.*))?$/.exec(given) ?? []
  if (inBrackets !== undefined) return [inBrackets, behind]
  const [host = "", port, ...more] = given.split(":")
  return more.length > 0 ? [given, undefined] : [host, port]
}

/** The port of a text in decimal; undefined if it is none. */
export const portOf = (text: string): number | undefined =>
  /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined

/** The rule by which a client is asked. */
export interface Question {
  /** The rule. */
  readonly ask: string
  /** Its origin. */
  readonly of: string
}

/** Judges an attempt before its name is resolved. A question if no rule names it, and a client may be asked. */
export const judge = (policies: ReadonlyArray<Policy>, attempt: Attempt): Decision | Question => {
  const { host, port } = attempt
  const literal = Address.parse(host)
  const kind = literal === undefined ? undefined : Address.special(literal)
  let allowed: Rule | undefined
  let question: Question | undefined
  for (const { of, rules } of policies) {
    const { allow, deny, ask, asksRest } = rules()
    const denies = deny.find(
      (rule) => matches(rule, host, literal, port) || (literal !== undefined && reaches(rule, literal, port)),
    )
    if (denies !== undefined) return denied(attempt, { reason: "denied", of, rule: denies })
    const allows = allow.find((rule) => matches(rule, host, literal, port))
    allowed ??= allows
    if (allows !== undefined) continue
    const asks = ask.find((rule) => matches(rule, host, literal, port))
    // For an address of the inside there has to be a rule that names it.
    if (asks === undefined && kind !== undefined)
      return denied(attempt, { reason: "not_allowed_local", of, kind })
    if (asks === undefined && !asksRest) return denied(attempt, { reason: "not_allowed", of })
    question ??= { ask: asks?.text ?? rest, of }
  }
  if (question !== undefined) return question
  return allowed === undefined
    ? denied(attempt, { reason: "not_allowed", of: "the server" })
    : { allowed: true, rule: allowed.text }
}

/** Judges an address that the name of an allowed attempt has. */
export const judgeAddress = (
  policies: ReadonlyArray<Policy>,
  attempt: Attempt,
  text: string,
  decision: Allowed,
): Decision => {
  const address = Address.parse(text)
  if (address === undefined)
    return denied(attempt, {
      reason: "not_allowed_local",
      of: "the server",
      kind: "of no known form",
      at: text,
    })
  const kind = Address.special(address)
  for (const { of, rules } of policies) {
    const { allow, deny, ask } = rules()
    const at = Address.toText(address)
    const denies = deny.find((rule) => reaches(rule, address, attempt.port))
    if (denies !== undefined) return denied(attempt, { reason: "denied", of, rule: denies, at })
    // A question was about the address only if the attempt has named it.
    const naming = attempt.host === at ? [...allow, ...ask] : allow
    if (kind !== undefined && !naming.some((rule) => matches(rule, at, address, attempt.port)))
      return denied(attempt, { reason: "not_allowed_local", of, kind, at })
  }
  return decision
}

/** True if the rule names this host, which is in its usual form, and the port. */
export const matches = (
  { host: of, port: own }: Rule,
  host: string,
  literal: Address.Address | undefined,
  port: number,
): boolean => {
  if (own !== undefined && own !== port) return false
  if (of.kind === "every") return literal === undefined || Address.special(literal) === undefined
  if (of.kind === "network") return literal !== undefined && Address.isIn(literal, of.network)
  const isBelow = host.length > of.name.length + 1 && host.endsWith(`.${of.name}`)
  return of.kind === "below" ? isBelow : host === of.name || (of.kind === "withApex" && isBelow)
}

/** True if the rule names this address, or the one of IPv4 within it. */
const reaches = ({ host, port: own }: Rule, address: Address.Address, port: number): boolean => {
  if (host.kind !== "network" || (own !== undefined && own !== port)) return false
  const inner = Address.embedded(address)
  return Address.isIn(address, host.network) || (inner !== undefined && Address.isIn(inner, host.network))
}

/** The denial of an attempt; `at` is the address of its name, and `kind` that of the address. */
export const denied = (
  { host, port }: Pick<Attempt, "host" | "port">,
  about: {
    readonly reason: DenialReason
    readonly of: string
    readonly rule?: Rule | undefined
    readonly kind?: string | undefined
    readonly at?: string | undefined
    /** The rule that asks, and the end of a sentence: the client has not allowed it. */
    readonly asked?: { readonly rule: string; readonly why: string } | undefined
  },
): Denied => {
  const { reason, of, rule, kind, at, asked } = about
  const subject = at === undefined || at === host ? "it" : `its address ${at}`
  const allowing = `allow:${Host.withPort(at ?? host, port)}`
  const why =
    asked !== undefined
      ? `the rule ${asked.rule} of ${of} asks the client, ${asked.why}`
      : rule === undefined
        ? `${subject} is ${kind === undefined ? "" : `${kind}, and `}not in the allow list of ${of}`
        : `the rule ${rule.text} of ${of} denies ${subject}`
  const remedy = rule === undefined ? `, and the rule ${allowing} would allow it` : ""
  return {
    allowed: false,
    reason,
    ...(rule === undefined && asked === undefined ? {} : { rule: asked?.rule ?? rule?.text }),
    message: `${Host.withPort(host, port)} is blocked: ${why}; this is no fault of the network or the proxy${remedy}`,
  }
}
