/**
 * A rule for JSON Web Tokens that are signed with a shared secret: HS256 only, and with an expiry time.
 *
 * `jose` verifies the signature; it is loaded when such a rule is made. The claims are judged here, because the peer
 * implementation accepts integers only, ignores `iat`, and has a refusal text of its own for each claim.
 */
import * as Json from "../../../core/protocol/Json.ts"
import type { SessionScope } from "../../../core/protocol/SessionScope.ts"
import * as Bearer from "./Bearer.ts"
import * as TokenFile from "./TokenFile.ts"

/** The most that the clocks of issuer and server may differ by default. */
export const defaultSkewSeconds = 30

/** The length from which a secret is long enough to sign with, as in the peer implementation. Callers check it. */
export const minSecretBytes = 32

export interface Options {
  /** Shared with the issuer; at least `minSecretBytes` in UTF-8. */
  readonly secret: string
  /** The wanted claim `iss`; undefined admits any. */
  readonly issuer?: string | undefined
  /** The wanted claim `aud`, or one of it; undefined admits any. */
  readonly audience?: string | undefined
  /** The most that the clocks may differ, in seconds. */
  readonly skewSeconds: number
}

/** Makes the rule; the secret is not checked. */
export const make = async ({ secret, ...expected }: Options): Promise<Bearer.Rule> => {
  const { compactVerify } = await import("jose/jws/compact/verify")
  const key = new TextEncoder().encode(secret)
  return Bearer.make(async (token) => {
    try {
      const { payload } = await compactVerify(token, key, { algorithms: ["HS256"] })
      const claims = readClaims(Json.parse(utf8.decode(payload)))
      const refusal = judge(claims, expected, Math.floor(Date.now() / 1000))
      if (refusal !== undefined) return { refusal }
      const { exp, sub: name, iss: issuer, scope, tenant } = claims
      return {
        credential: {
          kind: "jwt",
          name,
          issuer,
          ...(scope === "own" ? {} : { scope }),
          ...(tenant === undefined ? {} : { tenant }),
        },
        until: (exp + expected.skewSeconds) * 1000,
      }
    } catch {
      return { refusal: "invalid websocket jwt" }
    }
  })
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

interface Claims {
  readonly exp: number
  readonly nbf: number | undefined
  readonly iss: string | undefined
  readonly aud: ReadonlyArray<string> | undefined
  /** Only a name: nothing depends on it. */
  readonly sub: string | undefined
  /** The rights of the client over the sessions of others, from the words of the claim. */
  readonly scope: SessionScope
  /** The tenant for which a router counts its sessions. */
  readonly tenant: string | undefined
}

const judge = (
  { exp, nbf, iss, aud }: Claims,
  { issuer, audience, skewSeconds }: Omit<Options, "secret">,
  now: number,
): string | undefined => {
  if (now > exp + skewSeconds) return "expired websocket jwt"
  if (nbf !== undefined && now < nbf - skewSeconds) return "websocket jwt is not valid yet"
  if (issuer !== undefined && iss !== issuer) return "websocket jwt issuer mismatch"
  if (audience !== undefined && aud?.includes(audience) !== true) return "websocket jwt audience mismatch"
  return undefined
}

/** The claims that count. Throws if one has the wrong type, even if no option asks for it. */
const readClaims = (payload: Json.Json): Claims => {
  if (payload === null || typeof payload !== "object" || Array.isArray(payload))
    throw new TypeError("no claims")
  const { exp, nbf, iss, aud, sub, scope, tenant } = payload as Readonly<Record<string, Json.Json>>
  return {
    exp: toSeconds(exp),
    nbf: nbf == null ? undefined : toSeconds(nbf),
    iss: iss == null ? undefined : toText(iss),
    aud: aud == null ? undefined : Array.isArray(aud) ? aud.map(toText) : [toText(aud)],
    sub: typeof sub === "string" ? sub : undefined,
    scope: TokenFile.scopeOf(scope),
    tenant: typeof tenant === "string" ? tenant : undefined,
  }
}

const toSeconds = (value: Json.Json | undefined): number => {
  if (typeof value === "number") return value
  if (typeof value === "bigint" && value === BigInt.asIntN(64, value)) return Number(value)
  throw new TypeError("no integer")
}

const toText = (value: Json.Json | undefined): string => {
  if (typeof value === "string") return value
  throw new TypeError("no text")
}
