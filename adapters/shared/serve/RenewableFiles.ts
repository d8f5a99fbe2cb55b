/**
 * The files that may change while a server runs: its certificate and key, the authority of its clients, tokens and
 * secrets. Those of the options are read when the server starts, and again when it is asked to.
 *
 * All are read and checked before any is used, so a server never has one half of a new pair. What was admitted stays.
 */
import * as Effect from "effect/Effect"
import type * as Bearer from "../auth/Bearer.ts"
import * as TokenFile from "../auth/TokenFile.ts"
import type * as TextFile from "../host/TextFile.ts"
import * as Tls from "../transport/Tls.ts"
import * as AuthRule from "./AuthRule.ts"
import type { Settings } from "./Given.ts"
import { misconfigured, type ServeError } from "./ServeError.ts"
import * as TlsFiles from "./TlsFiles.ts"

export interface RenewableFiles {
  readonly tls: Tls.ServerTls | undefined
  /** Whom WebSocket listeners admit; undefined for everybody. */
  readonly rule: Bearer.Rule | undefined
  /** The files that the options name, for a log: `--tls-cert FILE`. */
  readonly named: ReadonlyArray<string>
  /** Reads them again, for connections that begin later. A file that is wrong changes nothing. */
  readonly renew: Effect.Effect<void, ServeError, TextFile.TextFiles>
}

/** Reads the files for the first time. */
export const read = (settings: Settings): Effect.Effect<RenewableFiles, ServeError, TextFile.TextFiles> =>
  Effect.gen(function* () {
    const load = Effect.all({ tls: TlsFiles.readServer(settings), rule: AuthRule.read(settings) })
    const { certificates, secrets } = filesOf(settings)
    const users: Array<(renewed: Tls.ServerTls) => void> = []
    let current = yield* load
    const { tls, rule } = current
    return {
      tls: tls && { ...tls, onRenewal: (use) => void users.push(use) },
      rule: rule && ((authorization) => (current.rule ?? rule)(authorization)),
      named: [...certificates, ...secrets],
      renew: Effect.gen(function* () {
        const next = yield* load
        if (next.tls !== undefined) {
          yield* Effect.mapError(Tls.check(next.tls), ({ message }) =>
            misconfigured(`${message} with ${certificates.join(", ")}`),
          )
        }
        current = next
        for (const use of users) if (next.tls !== undefined) use(next.tls)
      }),
    }
  })

/** The options that name files, each with its file. */
const filesOf = ({ options: { tls = {}, auth = {} }, label }: Settings) => {
  const named = (path: string, file: string | undefined) =>
    file === undefined ? [] : [`${label(path)} ${file}`]
  return {
    certificates: [
      ...named("tls.certFile", tls.certFile),
      ...named("tls.keyFile", tls.keyFile),
      ...named("tls.clientCaFile", tls.clientCaFile),
    ],
    secrets: [
      ...TokenFile.filesOf(auth.tokenFile).flatMap((file) => named("auth.tokenFile", file)),
      ...named("auth.sharedSecretFile", auth.sharedSecretFile),
    ],
  }
}
