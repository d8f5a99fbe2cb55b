/** The PEM files of a server and of a client: read, and refused with the name of the option and of the file. */
import { createPrivateKey, X509Certificate } from "node:crypto"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as TextFile from "../host/TextFile.ts"
import type * as Tls from "../transport/Tls.ts"
import type { Settings } from "./Given.ts"
import { invalid, type ServeError } from "./ServeError.ts"

/** A file that an option names. */
export interface PemFile {
  /** How errors name the option. */
  readonly label: string
  readonly file: string | undefined
}

type Read<A> = Effect.Effect<A, ServeError, FileSystem.FileSystem>

/** Reads the files of a server; undefined where no option names one. */
export const readServer = ({ options, label }: Settings): Read<Tls.ServerTls | undefined> =>
  Effect.gen(function* () {
    const { certFile, keyFile, clientCaFile } = options.tls ?? {}
    const [cert, key] = [label("tls.certFile"), label("tls.keyFile")]
    const ca = label("tls.clientCaFile")
    const certificate = yield* readPair({ label: cert, file: certFile }, { label: key, file: keyFile })
    const clientCa = yield* readCertificate({ label: ca, file: clientCaFile })
    if (certificate === undefined && clientCa !== undefined)
      return yield* invalid(`${ca} needs ${cert} and ${key}`)
    return certificate && { ...certificate, ...(clientCa === undefined ? {} : { clientCa }) }
  })

/** A certificate and its key, of which each needs the other. */
export const readPair = (
  certificate: PemFile,
  privateKey: PemFile,
): Read<{ readonly cert: string; readonly key: string } | undefined> =>
  Effect.gen(function* () {
    const [certName, keyName] = [certificate.label, privateKey.label]
    if ((certificate.file === undefined) !== (privateKey.file === undefined))
      return yield* invalid(`${certName} and ${keyName} belong together`)
    const cert = yield* readCertificate(certificate)
    const key = yield* read(privateKey, "private key", isKey)
    if (cert === undefined || key === undefined) return undefined
    if (belongTogether(cert, key)) return { cert, key }
    return yield* invalid(
      `${keyName} ${privateKey.file} is not the key of the certificate in ${certName} ${certificate.file}`,
    )
  })

/** A certificate, or several; undefined where no option names a file. */
export const readCertificate = (certificate: PemFile): Read<string | undefined> =>
  read(certificate, "certificate", isCertificate)

const read = (
  { label, file }: PemFile,
  kind: string,
  isOne: (text: string) => boolean,
): Read<string | undefined> =>
  file === undefined
    ? Effect.succeed(undefined)
    : TextFile.readText(file, (reason) => invalid(`cannot read ${label} ${file}: ${reason}`)).pipe(
        Effect.filterOrFail(isOne, () => invalid(`${label} ${file} holds no ${kind} in PEM`)),
      )

/** True as well where the runtime cannot tell. */
const belongTogether = (cert: string, key: string): boolean => {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
  } catch {
    return true
  }
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
