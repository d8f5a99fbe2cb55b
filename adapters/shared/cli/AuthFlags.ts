/**
 * `--ws-auth` and the flags that belong to it: which of them go together, and what is in the files they name. Rules
 * and texts are the peer implementation's; files are read once, when the server starts.
 */
import { readFileSync } from "node:fs"
import * as OsError from "../host/OsError.ts"
import * as Bearer from "../auth/Bearer.ts"
import * as SignedToken from "../auth/SignedToken.ts"

export const flags = {
  "ws-auth": { type: "string" },
  "ws-token-file": { type: "string" },
  "ws-token-sha256": { type: "string" },
  "ws-shared-secret-file": { type: "string" },
  "ws-issuer": { type: "string" },
  "ws-audience": { type: "string" },
  "ws-max-clock-skew-seconds": { type: "string" },
} as const

type Given = { readonly [name in keyof typeof flags]?: string }

/** A mode that does not exist, or a number that is none: wrong use, where all else is a server that cannot start. */
export class ValueError extends Error {}

export const defaultSkewSeconds = 30

/** The shortest secret that tokens may be signed with, in bytes. */
const leastSecretBytes = 32

/** The rule for upgrades; undefined where none is asked for. Rejects with the text of what is wrong. */
export const read = async (given: Given): Promise<Bearer.Rule | undefined> => {
  const mode = given["ws-auth"]
  const skewSeconds = toSkew(given["ws-max-clock-skew-seconds"])
  switch (mode) {
    case undefined:
      if (Object.keys(flags).every((name) => given[name as keyof Given] === undefined)) return undefined
      throw new Error(
        "websocket auth flags require `--ws-auth capability-token` or `--ws-auth signed-bearer-token`",
      )
    case "capability-token":
      return Bearer.fromDigest(readDigest(given))
    case "signed-bearer-token":
      return SignedToken.make({
        secret: readSharedSecret(given),
        issuer: given["ws-issuer"]?.trim() || undefined,
        audience: given["ws-audience"]?.trim() || undefined,
        skewSeconds,
      })
    default:
      throw new ValueError(
        `invalid value '${mode}' for '--ws-auth': expected capability-token or signed-bearer-token`,
      )
  }
}

const signedFlags = [
  "ws-shared-secret-file",
  "ws-issuer",
  "ws-audience",
  "ws-max-clock-skew-seconds",
] as const

const readDigest = (given: Given): Buffer => {
  if (signedFlags.some((name) => given[name] !== undefined)) {
    throw new Error(
      "`--ws-shared-secret-file`, `--ws-issuer`, `--ws-audience`, and `--ws-max-clock-skew-seconds` require `--ws-auth signed-bearer-token`",
    )
  }
  const { "ws-token-file": file, "ws-token-sha256": digest } = given
  if (file !== undefined && digest !== undefined) {
    throw new Error("`--ws-token-file` and `--ws-token-sha256` are mutually exclusive")
  }
  if (file !== undefined) return Bearer.sha256(readSecret(file))
  if (digest === undefined) {
    throw new Error(
      "`--ws-token-file` or `--ws-token-sha256` is required when `--ws-auth capability-token` is set",
    )
  }
  if (/^\s*[0-9a-f]{64}\s*$/i.test(digest)) return Buffer.from(digest.trim(), "hex")
  throw new Error("--ws-token-sha256 must be a 64-character hex SHA-256 digest")
}

const readSharedSecret = (given: Given): string => {
  if (given["ws-token-file"] !== undefined || given["ws-token-sha256"] !== undefined) {
    throw new Error(
      "`--ws-token-file` and `--ws-token-sha256` require `--ws-auth capability-token`, not `signed-bearer-token`",
    )
  }
  const file = given["ws-shared-secret-file"]
  if (file === undefined) {
    throw new Error("`--ws-shared-secret-file` is required when `--ws-auth signed-bearer-token` is set")
  }
  const secret = readSecret(file)
  if (Buffer.byteLength(secret) >= leastSecretBytes) return secret
  throw new Error(`signed websocket bearer secret ${file} must be at least ${leastSecretBytes} bytes`)
}

/** The contents of a file without the white space around them. */
const readSecret = (file: string): string => {
  let text
  try {
    text = readFileSync(file, "utf8").trim()
  } catch (cause) {
    const why = OsError.fromUnknown(cause).message
    throw new Error(`failed to read websocket auth secret ${file}: ${why}`, { cause })
  }
  if (text === "") throw new Error(`websocket auth secret ${file} must not be empty`)
  return text
}

const toSkew = (text: string | undefined): number => {
  if (text === undefined) return defaultSkewSeconds
  if (/^\d+$/.test(text) && Number(text) <= Number.MAX_SAFE_INTEGER) return Number(text)
  throw new ValueError(
    `invalid value '${text}' for '--ws-max-clock-skew-seconds': expected a number of seconds`,
  )
}
