/** `--tls-ca`, `--tls-cert` and `--tls-key` of a client: whom it trusts, and what it shows. */
import type { ClientTls } from "../transport/ClientTls.ts"
import * as Effect from "effect/Effect"
import type * as TextFile from "../host/TextFile.ts"
import * as TlsFiles from "../serve/TlsFiles.ts"
import * as Flags from "./Flags.ts"
import type { FlagSpecs } from "./table/Spec.ts"

/** The flags of a client. */
export const clientFlags = {
  "tls-ca": {
    type: "string",
    shows: "FILE",
    help: "PEM certificates to trust instead of the system's",
    completes: "file",
  },
  "tls-cert": {
    type: "string",
    shows: "FILE",
    help: "the certificate to show to the server",
    completes: "file",
  },
  "tls-key": { type: "string", shows: "FILE", help: "the key of that certificate", completes: "file" },
} as const satisfies FlagSpecs

/** Reads the files of a client; undefined where no flag names one. */
export const readClient = (
  command: string,
  values: Flags.Values<typeof clientFlags>,
): Effect.Effect<ClientTls | undefined, Flags.UsageError, TextFile.TextFiles> =>
  Effect.gen(function* () {
    const of = (flag: keyof typeof values) => ({ label: `--${flag}`, file: values[flag] })
    const certificate = yield* TlsFiles.readPair(of("tls-cert"), of("tls-key"))
    const ca = yield* TlsFiles.readCertificate(of("tls-ca"))
    if (certificate === undefined && ca === undefined) return undefined
    return { ...certificate, ...(ca === undefined ? {} : { ca }) }
  }).pipe(Effect.mapError(({ message }) => new Flags.UsageError({ command, message })))
