/**
 * SHA-256 over bytes that come piece by piece, as a service: runtimes have faster ones than `Sha256`, which is the
 * default and runs anywhere.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Sha256 from "./Sha256.ts"

/** One hash under way. */
export interface Hash {
  /** Takes bytes, which are valid during the call only. False if there is no room for them: try again after `room`. */
  readonly update: (bytes: Uint8Array) => boolean
  /** Completes when bytes that were refused may be tried again. */
  readonly room: Effect.Effect<void>
  /** The hash of everything that was taken, in hex; undefined if it could not be computed. Nothing may follow it. */
  readonly digest: Effect.Effect<string | undefined>
  /** Gives up a hash whose digest is not wanted any more. Idempotent, and does nothing after `digest`. */
  readonly drop: () => void
}

/** Makes hashes. */
export interface HasherService {
  /** A new SHA-256. */
  readonly sha256: () => Hash
}

/** Hashes in JavaScript, when bytes are taken: some 100 MB per second. */
export const portable: HasherService = {
  sha256: () => {
    const sha256 = new Sha256.Sha256()
    return fromSync({ update: (bytes) => sha256.update(bytes), digest: () => sha256.digest() })
  },
}

/** A hash of a function that takes all bytes at once. */
export const fromSync = (hash: {
  readonly update: (bytes: Uint8Array) => unknown
  readonly digest: () => string
}): Hash => ({
  update: (bytes) => {
    hash.update(bytes)
    return true
  },
  room: Effect.void,
  digest: Effect.sync(() => hash.digest()),
  drop: () => {},
})

/** The service; the default is `portable`. */
export const Hasher = Context.Reference("procwire/Hasher", {
  defaultValue: (): HasherService => portable,
})
