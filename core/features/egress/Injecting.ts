/**
 * Secrets that only some hosts get: the checks of their hosts, headers and variables, the placeholders that a process
 * has in place of values, and what the proxy needs to put the values back.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { toBase64, utf8 } from "../../protocol/Bytes.ts"
import type { Gate, Injection, Outlet } from "../../spawn/Egress.ts"
import type { GivenSecret, Secret, SpawnSpec } from "../../spawn/Spawner.ts"
import { SpawnError } from "../../spawn/SpawnError.ts"
import * as Secrets from "../secrets/Secrets.ts"
import * as Address from "./Address.ts"
import * as Rules from "./Rules.ts"

/** The header of a secret that names none. */
export const usualHeader = "authorization: Bearer ${value}"

/** The port of a route whose host names none. */
const usualPort = 443

/** A secret with hosts. */
type Hosted = GivenSecret & { readonly hosts: ReadonlyArray<string> }

/** Those that only some hosts get, each name once. */
export const hosted = (secrets: ReadonlyArray<GivenSecret>): ReadonlyArray<Hosted> =>
  secrets.filter(
    (secret, index): secret is Hosted =>
      secret.hosts !== undefined && secrets.findIndex(({ name }) => name === secret.name) === index,
  )

/** Reads the value of a secret again. Its errors name the secret, and never say a value. */
export type Renewal = Effect.Effect<string, { readonly message: string }>

const renewals = new WeakMap<GivenSecret, Renewal>()

/** The value of this secret of the server is read again for each start. */
export const renew = (secret: GivenSecret, renewal: Renewal): void => void renewals.set(secret, renewal)

/** The same with their values of now. Fails where one cannot be had, or has a fault. */
export const renewed = (secrets: ReadonlyArray<Hosted>): Effect.Effect<ReadonlyArray<Hosted>, SpawnError> =>
  Effect.forEach(secrets, (secret) => {
    const renewal = renewals.get(secret)
    return renewal === undefined
      ? Effect.succeed(secret)
      : Effect.map(renewal, (value): Hosted => ({ ...secret, value }))
  }).pipe(
    Effect.flatMap((all) => {
      const message = Secrets.fault(all) ?? fault(all)
      return message === undefined ? Effect.succeed(all) : Effect.fail({ message })
    }),
    Effect.mapError(({ message }) => new SpawnError({ reason: "Unknown", message })),
  )

/** The spec whose output is masked of these values, too. */
export const masking = (spec: SpawnSpec, secrets: ReadonlyArray<Hosted>): SpawnSpec => {
  const known = spec.secrets ?? []
  const added = secrets.flatMap(({ name, value }): ReadonlyArray<Secret> =>
    known.some((one) => one.name === name && one.value === value) ? [] : [{ name, value }],
  )
  return added.length === 0 ? spec : { ...spec, secrets: [...added, ...known] }
}

/** The fault of secrets that name hosts, or what only such a secret may have. It never says a value. */
export const fault = (secrets: ReadonlyArray<GivenSecret>): string | undefined => {
  for (const secret of secrets) {
    const { name, value, hosts, header, base, http } = secret
    const wrong = (why: string) => `secret ${name}: ${why}`
    if (hosts === undefined) {
      const without = Object.entries({ header, base, http }).find(([, given]) => given !== undefined)
      if (without !== undefined) return wrong(`${without[0]} is for a secret with hosts`)
      continue
    }
    const rules = rulesOf(hosts)
    if (Result.isFailure(rules)) return wrong(`hosts: ${rules.failure}`)
    if (rules.success.length === 0) return wrong("hosts names none")
    if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value))
      return wrong("its value has a character that no header may have")
    const parts = partsOf(header ?? usualHeader)
    if (typeof parts === "string") return wrong(`header ${parts}`)
    if (base === undefined) continue
    if (!Secrets.isName(base)) return wrong("base is not the name of a variable")
    if (secrets.some((other) => other.name === base || (other !== secret && other.base === base)))
      return wrong(`base: the variable ${base} is of a secret already`)
    if (baseOf(rules.success) === undefined) return wrong("base needs a host in hosts that is no pattern")
  }
  return undefined
}

const rulesOf = (hosts: ReadonlyArray<string>): Result.Result<ReadonlyArray<Rules.Rule>, string> => {
  const odd = hosts.find((host) => /^(?:allow|deny):|[\s,]|^ask$|^$/.test(host))
  return odd === undefined
    ? Result.map(Rules.parse(hosts.map((host) => `allow:${host}`)), ({ allow }) => allow)
    : Result.fail(
        `${JSON.stringify(odd)} is no host: expected a list such as ["api.github.com", "*.x.org:443"]`,
      )
}

/** Of a request and its framing, or for the proxy. */
const ofRequest = new Set(
  "host connection content-length transfer-encoding upgrade te trailer expect keep-alive".split(" "),
)

/** The name and the template of a header; a text is the end of a sentence. */
const partsOf = (header: string): readonly [name: string, template: string] | string => {
  const [, name, template = ""] = /^([\w!#$%&'*+.^`|~-]+): *([\x20-\x7e]+)$/.exec(header) ?? []
  if (name === undefined) return "is none: expected NAME: VALUE"
  if (ofRequest.has(name.toLowerCase()) || /^proxy-/i.test(name)) return `${name} is not for a secret`
  return /\$\{(?:value|basic:[^:{}]*)\}/.test(template)
    ? [name, template]
    : "has no ${value}, or ${basic:USER} for the base64 of USER:VALUE"
}

const headerOf = ({ header = usualHeader, value }: Hosted): Injection["header"] => {
  const [name = "", template = ""] = partsOf(header)
  const filled = template.replaceAll(/\$\{(?:value|basic:([^:{}]*))\}/g, (_, user: string | undefined) =>
    user === undefined ? value : toBase64(utf8.encode(`${user}:${value}`)),
  )
  return [name, filled]
}

/** The first host that is no pattern. */
const baseOf = (rules: ReadonlyArray<Rules.Rule>): Injection["base"] => {
  for (const { host: of, port = usualPort } of rules) {
    if (of.kind === "exact") return { host: of.name, port }
    if (of.kind === "network" && of.network.prefix === of.network.address.bits)
      return { host: Address.toText(of.network.address), port }
  }
  return undefined
}

/**
 * The injections for the proxy of one process. `next` makes a fresh UUID from a cryptographic source, for a secret
 * without a placeholder that is known.
 */
export const make = (
  secrets: ReadonlyArray<Hosted>,
  next: Effect.Effect<string>,
  known: Outlet["placeholders"] = {},
): Effect.Effect<ReadonlyArray<Injection>> =>
  Effect.forEach(secrets, (secret) => {
    const own = known[secret.name]
    const given = own === undefined ? placeholderOf(secret.value, next) : Effect.succeed(own)
    return Effect.map(given, (placeholder): Injection => {
      const rules = Result.getOrThrow(rulesOf(secret.hosts))
      return {
        name: secret.name,
        placeholder,
        value: secret.value,
        header: headerOf(secret),
        base: baseOf(rules),
        variable: secret.base,
        http: secret.http === true,
        mayGoTo: (host, port) => {
          const literal = Address.parse(host)
          return rules.some((rule) => Rules.matches(rule, host, literal, port))
        },
      }
    })
  })

/** Public begins of tokens, by which programs know the kind; they tell nothing of a value. */
const kinds = (
  "github_pat_ ghp_ gho_ ghu_ ghs_ ghr_ glpat- sk-ant-api03- sk-ant- sk-proj- sk- sk_live_ sk_test_ rk_live_ " +
  "rk_test_ xoxb- xoxp- npm_ pypi- hf_ dop_v1_"
).split(" ")

/** The characters of a placeholder behind its kind, at least and at most; each has 5.95 random bits. */
const [leastRandom, usualRandom, mostRandom] = [24, 32, 100]

/** A text of the kind of a value, as long where that has a kind, and random for the rest: at least 140 bits. */
const placeholderOf = (value: string, next: Effect.Effect<string>): Effect.Effect<string> => {
  const kind = kinds.find((begin) => value.startsWith(begin))
  const wanted = kind === undefined ? usualRandom : value.length - kind.length
  const length = Math.min(Math.max(wanted, leastRandom), mostRandom)
  const pieces = Effect.replicateEffect(next, Math.ceil(length / ofUuid))
  return Effect.map(pieces, (uuids) => `${kind ?? ""}${uuids.map(letters).join("").slice(0, length)}`)
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** The letters of a UUID: as many as its 120 bits outside of the digits that are the same in many. */
const ofUuid = 20

const letters = (uuid: string): string => {
  const digits = uuid.replaceAll("-", "")
  let rest = BigInt(`0x${digits.slice(0, 12)}${digits.slice(13, 16)}${digits.slice(17)}`)
  let text = ""
  while (text.length < ofUuid) {
    text += alphabet[Number(rest % 62n)]
    rest /= 62n
  }
  return text
}

/** The spec with placeholders wherever a value of theirs would stand, and the gate with the injections. */
export const into = (
  spec: SpawnSpec,
  gate: Gate,
  injections: ReadonlyArray<Injection>,
  variables: ReadonlySet<string>,
): SpawnSpec => {
  const values = injections.flatMap(({ name, placeholder, value }) =>
    [value, ...(spec.secrets ?? []).flatMap((one) => (one.name === name ? [one.value] : []))].map(
      (each) => [each, placeholder] as const,
    ),
  )
  const hide = (text: string) =>
    values.reduce((hidden, [value, placeholder]) => hidden.replaceAll(value, placeholder), text)
  const [program, ...args] = spec.argv
  const env = Object.entries(spec.env).map(([name, value]) => [name, hide(value)] as const)
  const own = injections.flatMap(({ name, placeholder }) =>
    variables.has(name) ? [[name, placeholder] as const] : [],
  )
  return {
    ...spec,
    argv: [program, ...args.map(hide)],
    ...(spec.arg0 === undefined ? {} : { arg0: hide(spec.arg0) }),
    env: Object.fromEntries([...env, ...own]),
    egress: { ...gate, injections },
  }
}
