/**
 * `--ws-auth` and the flags that belong to it: which of them go together, and what is in the files they name.
 *
 * Rules and error texts are those of the peer implementation. Files are read once, when the server starts.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Bearer from "../auth/Bearer.ts"
import * as SignedToken from "../auth/SignedToken.ts"
import * as FlagFiles from "./FlagFiles.ts"
import * as Flags from "./Flags.ts"

const { defaultSkewSeconds, minSecretBytes } = SignedToken

export const flags = {
  "ws-auth": { type: "string" },
  "ws-token-file": { type: "string" },
  "ws-token-sha256": { type: "string" },
  "ws-shared-secret-file": { type: "string" },
  "ws-issuer": { type: "string" },
  "ws-audience": { type: "string" },
  "ws-max-clock-skew-seconds": { type: "string" },
} as const

export const help = `\
  --ws-auth MODE             ws:// asks for "Authorization: Bearer TOKEN": capability-token or signed-bearer-token
  --ws-token-file FILE       the token, or
  --ws-token-sha256 HEX      its SHA-256, for capability-token
  --ws-shared-secret-file FILE
                             for signed-bearer-token: the secret of the JWTs (HS256), at least ${minSecretBytes} bytes
  --ws-issuer TEXT, --ws-audience TEXT
                             what their iss must be, and their aud be or contain [default: anything]
  --ws-max-clock-skew-seconds N
                             how far clocks may differ [default: ${defaultSkewSeconds}]
`

type Values = Flags.Values<typeof flags>
type Read<A> = Effect.Effect<A, Flags.UsageError | Flags.ConfigurationError, FileSystem.FileSystem>

/** The rule for upgrades; undefined where the flags ask for none. A mode or number that does not exist is wrong use. */
export const read = (command: string, values: Values): Read<Bearer.Rule | undefined> =>
  Effect.gen(function* () {
    const mode = values["ws-auth"]
    const skewSeconds = yield* readSkew(command, values["ws-max-clock-skew-seconds"])
    switch (mode) {
      case undefined:
        if (names.every((name) => values[name] === undefined)) return undefined
        return yield* refuse(
          "websocket auth flags require `--ws-auth capability-token` or `--ws-auth signed-bearer-token`",
        )
      case "capability-token":
        return Bearer.fromDigest(yield* readDigest(values), values["ws-token-file"])
      case "signed-bearer-token": {
        const secret = yield* readSharedSecret(values)
        const issuer = values["ws-issuer"]?.trim() || undefined
        const audience = values["ws-audience"]?.trim() || undefined
        return yield* Effect.promise(() => SignedToken.make({ secret, issuer, audience, skewSeconds }))
      }
      default: {
        const message = `invalid value '${mode}' for '--ws-auth': expected capability-token or signed-bearer-token`
        return yield* new Flags.UsageError({ command, message })
      }
    }
  })

const names = Object.keys(flags) as ReadonlyArray<keyof Values>

const signedNames = [
  "ws-shared-secret-file",
  "ws-issuer",
  "ws-audience",
  "ws-max-clock-skew-seconds",
] as const

const refuse = (message: string) => new Flags.ConfigurationError({ message })

const readDigest = (values: Values): Read<Buffer> =>
  Effect.gen(function* () {
    if (signedNames.some((name) => values[name] !== undefined)) {
      return yield* refuse(
        "`--ws-shared-secret-file`, `--ws-issuer`, `--ws-audience`, and `--ws-max-clock-skew-seconds` require " +
          "`--ws-auth signed-bearer-token`",
      )
    }
    const { "ws-token-file": file, "ws-token-sha256": digest } = values
    if (file !== undefined && digest !== undefined) {
      return yield* refuse("`--ws-token-file` and `--ws-token-sha256` are mutually exclusive")
    }
    if (file !== undefined) return Bearer.sha256(yield* readSecret(file))
    if (digest === undefined) {
      return yield* refuse(
        "`--ws-token-file` or `--ws-token-sha256` is required when `--ws-auth capability-token` is set",
      )
    }
    if (/^\s*[0-9a-f]{64}\s*$/i.test(digest)) return Buffer.from(digest.trim(), "hex")
    return yield* refuse("--ws-token-sha256 must be a 64-character hex SHA-256 digest")
  })

const readSharedSecret = (values: Values): Read<string> =>
  Effect.gen(function* () {
    if (values["ws-token-file"] !== undefined || values["ws-token-sha256"] !== undefined) {
      return yield* refuse(
        "`--ws-token-file` and `--ws-token-sha256` require `--ws-auth capability-token`, not `signed-bearer-token`",
      )
    }
    const file = values["ws-shared-secret-file"]
    if (file === undefined) {
      return yield* refuse(
        "`--ws-shared-secret-file` is required when `--ws-auth signed-bearer-token` is set",
      )
    }
    const secret = yield* readSecret(file)
    if (Buffer.byteLength(secret) >= minSecretBytes) return secret
    return yield* refuse(`signed websocket bearer secret ${file} must be at least ${minSecretBytes} bytes`)
  })

/** The contents of a file without the white space around them. */
const readSecret = (file: string): Read<string> =>
  Effect.gen(function* () {
    const contents = yield* FlagFiles.readText(file, (reason) =>
      refuse(`failed to read websocket auth secret ${file}: ${reason}`),
    )
    const secret = contents.trim()
    return secret === "" ? yield* refuse(`websocket auth secret ${file} must not be empty`) : secret
  })

const readSkew = (command: string, text: string | undefined): Read<number> => {
  if (text === undefined) return Effect.succeed(defaultSkewSeconds)
  if (/^\d+$/.test(text) && Number(text) <= Number.MAX_SAFE_INTEGER) return Effect.succeed(Number(text))
  const message = `invalid value '${text}' for '--ws-max-clock-skew-seconds': expected a number of seconds`
  return new Flags.UsageError({ command, message })
}
