/**
 * The rule of admission over WebSocket: from its options, and from the files that they name.
 *
 * Rules and error texts are those of the peer implementation. Files are read once, when the server starts.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { scopes } from "../../../core/protocol/SessionScope.ts"
import * as Bearer from "../auth/Bearer.ts"
import * as SignedToken from "../auth/SignedToken.ts"
import * as TokenFile from "../auth/TokenFile.ts"
import * as TextFile from "../host/TextFile.ts"
import type { Settings } from "./Given.ts"
import type { Label } from "./Option.ts"
import type { AuthOptions } from "./Options.ts"
import { misconfigured, type ServeError } from "./ServeError.ts"

const { defaultSkewSeconds, minSecretBytes } = SignedToken

type Read<A> = Effect.Effect<A, ServeError, TextFile.TextFiles>

/** The rule for upgrades; undefined where the options ask for none. */
export const read = ({ options, label }: Settings): Read<Bearer.Rule | undefined> =>
  Effect.gen(function* () {
    const auth = options.auth ?? {}
    const mode = label("auth.mode")
    switch (auth.mode) {
      case undefined:
        if (given(auth).length === 0) return undefined
        return yield* misconfigured(
          `websocket auth flags require \`${mode} capability-token\` or \`${mode} signed-bearer-token\`` +
            elsewhere(auth, label),
        )
      case "capability-token":
        return Bearer.fromDigests(yield* readDigests(auth, label))
      case "signed-bearer-token": {
        const secret = yield* readSharedSecret(auth, label)
        const issuer = auth.issuer?.trim() || undefined
        const audience = auth.audience?.trim() || undefined
        const { maxClockSkewSeconds: skewSeconds = defaultSkewSeconds } = auth
        return yield* Effect.promise(() => SignedToken.make({ secret, issuer, audience, skewSeconds }))
      }
    }
  })

const given = (auth: AuthOptions) => Object.keys(auth) as ReadonlyArray<keyof AuthOptions>

/** The names of the options in question, if they are no flags that the user has just written. */
const elsewhere = (auth: AuthOptions, label: Label): string => {
  const names = given(auth)
    .map((name) => label(`auth.${name}`))
    .filter((name) => !name.startsWith("--"))
  return names.length === 0 ? "" : `, not ${names.join(", ")} alone`
}

const signedNames = ["sharedSecretFile", "issuer", "audience", "maxClockSkewSeconds"] as const

const readDigests = (auth: AuthOptions, label: Label): Read<ReadonlyArray<Bearer.Known>> =>
  Effect.gen(function* () {
    if (auth.sharedSecret !== undefined || signedNames.some((name) => auth[name] !== undefined)) {
      const [secret, issuer, audience, skew] = signedNames.map((name) => `\`${label(`auth.${name}`)}\``)
      return yield* misconfigured(
        `${secret}, ${issuer}, ${audience}, and ${skew} require \`${label("auth.mode")} signed-bearer-token\``,
      )
    }
    const { token, tokenFile, tokenSha256 } = auth
    const [file, digest] = [label("auth.tokenFile"), label("auth.tokenSha256")]
    if (tokenFile !== undefined && tokenSha256 !== undefined)
      return yield* misconfigured(`\`${file}\` and \`${digest}\` are mutually exclusive`)
    if (token !== undefined) {
      if (tokenFile === undefined && tokenSha256 === undefined)
        return [{ digest: Bearer.sha256(token.trim()) }]
      return yield* misconfigured(`\`auth.token\`, \`${file}\` and \`${digest}\` are mutually exclusive`)
    }
    if (tokenFile !== undefined)
      return yield* Effect.forEach([tokenFile].flat(), (text) => readToken(text, file))
    if (tokenSha256 === undefined) {
      return yield* misconfigured(
        `\`${file}\` or \`${digest}\` is required when \`${label("auth.mode")} capability-token\` is set`,
      )
    }
    if (/^\s*[0-9a-f]{64}\s*$/i.test(tokenSha256)) return [{ digest: Buffer.from(tokenSha256.trim(), "hex") }]
    return yield* misconfigured(`${digest} must be a 64-character hex SHA-256 digest`)
  })

const readToken = (text: string, option: string): Read<Bearer.Known> =>
  Effect.gen(function* () {
    const parsed = TokenFile.parse(text)
    if (Result.isFailure(parsed)) {
      return yield* misconfigured(
        `${option} ${text} names the scope ${parsed.failure}: there are ${scopes.join(", ")} (a file with such a name is ./${text})`,
      )
    }
    const { file, name, scope } = parsed.success
    return { digest: Bearer.sha256(yield* readSecret(file)), name, scope }
  })

const readSharedSecret = (auth: AuthOptions, label: Label): Read<string> =>
  Effect.gen(function* () {
    const mode = label("auth.mode")
    if ([auth.token, auth.tokenFile, auth.tokenSha256].some((value) => value !== undefined)) {
      return yield* misconfigured(
        `\`${label("auth.tokenFile")}\` and \`${label("auth.tokenSha256")}\` require ` +
          `\`${mode} capability-token\`, not \`signed-bearer-token\``,
      )
    }
    const { sharedSecretFile: file, sharedSecret } = auth
    if (file !== undefined && sharedSecret !== undefined) {
      const named = label("auth.sharedSecretFile")
      return yield* misconfigured(`\`auth.sharedSecret\` and \`${named}\` are mutually exclusive`)
    }
    if (file === undefined && sharedSecret === undefined) {
      const needed = label("auth.sharedSecretFile")
      return yield* misconfigured(`\`${needed}\` is required when \`${mode} signed-bearer-token\` is set`)
    }
    const secret = file === undefined ? (sharedSecret ?? "").trim() : yield* readSecret(file)
    if (Buffer.byteLength(secret) >= minSecretBytes) return secret
    return yield* misconfigured(
      `signed websocket bearer secret ${file ?? "auth.sharedSecret"} must be at least ${minSecretBytes} bytes`,
    )
  })

/** The contents of a file without the white space around them. */
const readSecret = (file: string): Read<string> =>
  Effect.gen(function* () {
    const contents = yield* TextFile.readText(file, (reason) =>
      misconfigured(`failed to read websocket auth secret ${file}: ${reason}`),
    )
    const secret = contents.trim()
    return secret === "" ? yield* misconfigured(`websocket auth secret ${file} must not be empty`) : secret
  })
