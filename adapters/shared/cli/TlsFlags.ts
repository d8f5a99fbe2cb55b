/** `--tls-cert`, `--tls-key`, `--tls-client-ca` and `--tls-ca`: the PEM files of a server, and those of a client. */
import { createPrivateKey, X509Certificate } from "node:crypto"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import type * as Tls from "../transport/Tls.ts"
import * as FlagFiles from "./FlagFiles.ts"
import * as Flags from "./Flags.ts"

const pair = {
  "tls-cert": { type: "string" },
  "tls-key": { type: "string" },
} as const

/** The flags of a server. */
export const serverFlags = { ...pair, "tls-client-ca": { type: "string" } } as const

/** The flags of a client. */
export const clientFlags = { ...pair, "tls-ca": { type: "string" } } as const

/** Reads the files of a server; undefined where no flag names one. */
export const readServer = (
  command: string,
  values: Flags.Values<typeof serverFlags>,
): Effect.Effect<Tls.ServerTls | undefined, Flags.UsageError, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const certificate = yield* readPair(command, values)
    const clientCa = yield* read(command, values, "tls-client-ca")
    if (certificate === undefined && clientCa !== undefined) {
      const message = "--tls-client-ca needs --tls-cert and --tls-key"
      return yield* new Flags.UsageError({ command, message })
    }
    return certificate && { ...certificate, ...(clientCa === undefined ? {} : { clientCa }) }
  })

/** Reads the files of a client; undefined where no flag names one. */
export const readClient = (
  command: string,
  values: Flags.Values<typeof clientFlags>,
): Effect.Effect<Tls.ClientTls | undefined, Flags.UsageError, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const certificate = yield* readPair(command, values)
    const ca = yield* read(command, values, "tls-ca")
    if (certificate === undefined && ca === undefined) return undefined
    return { ...certificate, ...(ca === undefined ? {} : { ca }) }
  })

/** A certificate and its key, of which each needs the other. */
const readPair = (command: string, values: Flags.Values<typeof pair>) =>
  Effect.gen(function* () {
    if ((values["tls-cert"] === undefined) !== (values["tls-key"] === undefined)) {
      return yield* new Flags.UsageError({ command, message: "--tls-cert and --tls-key belong together" })
    }
    const cert = yield* read(command, values, "tls-cert")
    const key = yield* read(command, values, "tls-key")
    if (cert === undefined || key === undefined) return undefined
    if (belongTogether(cert, key)) return { cert, key }
    const [certFile, keyFile] = [values["tls-cert"], values["tls-key"]]
    const message = `--tls-key ${keyFile} is not the key of the certificate in --tls-cert ${certFile}`
    return yield* new Flags.UsageError({ command, message })
  })

/** True as well where the runtime cannot tell. */
const belongTogether = (cert: string, key: string): boolean => {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
  } catch {
    return true
  }
}

const read = <Name extends string>(
  command: string,
  values: { readonly [name in Name]?: string },
  name: Name,
): Effect.Effect<string | undefined, Flags.UsageError, FileSystem.FileSystem> => {
  const file = values[name]
  if (file === undefined) return Effect.succeed(undefined)
  const wrong = (message: string) => new Flags.UsageError({ command, message })
  return FlagFiles.readText(file, (reason) => wrong(`cannot read --${name} ${file}: ${reason}`)).pipe(
    Effect.filterOrFail(name === "tls-key" ? isKey : isCertificate, () =>
      wrong(`--${name} ${file} holds no ${name === "tls-key" ? "private key" : "certificate"} in PEM`),
    ),
  )
}

const isKey = (text: string): boolean => succeeds(() => createPrivateKey(text))
const isCertificate = (text: string): boolean => succeeds(() => new X509Certificate(text))

const succeeds = (read: () => unknown): boolean => {
  try {
    read()
    return true
  } catch {
    return false
  }
}
