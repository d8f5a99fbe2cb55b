/** The PEM files of a server and of a client: read, and refused with the name of the option and of the file. */
import { createPrivateKey, X509Certificate } from "node:crypto"
import * as Effect from "effect/Effect"
import * as TextFile from "../host/TextFile.ts"
import type * as Tls from "../transport/Tls.ts"
import type { Settings } from "./Given.ts"
import { invalid, type ServeError } from "./ServeError.ts"

/** The file of an option, or its text. */
export interface Pem {
  /** The name of the option in errors. */
  readonly label: string
  readonly file?: string | undefined
  /** The text itself, instead of a file. */
  readonly text?: string | undefined
}

type Read<A> = Effect.Effect<A, ServeError, TextFile.TextFiles>

/** Reads the files of a server; undefined where no option names one. */
export const readServer = ({ options, label }: Settings): Read<Tls.ServerTls | undefined> =>
  Effect.gen(function* () {
    const tls = options.tls ?? {}
    const of = (name: "cert" | "key" | "clientCa"): Pem =>
      tls[name] === undefined
        ? { label: label(`tls.${name}File`), file: tls[`${name}File`] }
        : { label: label(`tls.${name}`), file: tls[`${name}File`], text: tls[name] }
    const [cert, key, ca] = [of("cert"), of("key"), of("clientCa")]
    const certificate = yield* readPair(cert, key)
    const clientCa = yield* readCertificate(ca)
    if (certificate === undefined && clientCa !== undefined)
      return yield* invalid(`${ca.label} needs ${cert.label} and ${key.label}`)
    return certificate && { ...certificate, ...(clientCa === undefined ? {} : { clientCa }) }
  })

/** A certificate and its key, of which each needs the other. */
export const readPair = (
  certificate: Pem,
  privateKey: Pem,
): Read<{ readonly cert: string; readonly key: string } | undefined> =>
  Effect.gen(function* () {
    const [certName, keyName] = [certificate.label, privateKey.label]
    if (isGiven(certificate) !== isGiven(privateKey))
      return yield* invalid(`${certName} and ${keyName} belong together`)
    const cert = yield* readCertificate(certificate)
    const key = yield* read(privateKey, "private key", isKey)
    if (cert === undefined || key === undefined) return undefined
    if (belongTogether(cert, key)) return { cert, key }
    return yield* invalid(`${nameOf(privateKey)} is not the key of the certificate in ${nameOf(certificate)}`)
  })

/** A certificate, or several; undefined where no option names a file. */
export const readCertificate = (certificate: Pem): Read<string | undefined> =>
  read(certificate, "certificate", isCertificate)

const isGiven = ({ file, text }: Pem): boolean => file !== undefined || text !== undefined

/** The option and its file; never its content. */
const nameOf = ({ label, file }: Pem): string => (file === undefined ? label : `${label} ${file}`)

const read = (pem: Pem, kind: string, isOne: (text: string) => boolean): Read<string | undefined> =>
  Effect.gen(function* () {
    const { label, file, text } = pem
    if (file !== undefined && text !== undefined)
      return yield* invalid(`${label} and a file for it exclude each other`)
    const unreadable = (reason: string) => invalid(`cannot read ${nameOf(pem)}: ${reason}`)
    const found = file === undefined ? text : yield* TextFile.readText(file, unreadable)
    if (found === undefined || isOne(found)) return found
    return yield* invalid(`${nameOf(pem)} holds no ${kind} in PEM`)
  })

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
