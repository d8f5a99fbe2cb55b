/**
 * The packages of NATS, which are optional: they are loaded when the first directory is made, and their absence is an
 * error with the command that installs them.
 */
import * as Effect from "effect/Effect"
import type { DirectoryError } from "../../../core/directory/DirectoryError.ts"
import { notInstalled } from "./NotInstalled.ts"

const load = async () => {
  const [{ connect }, { jetstream, JetStreamApiCodes, JetStreamApiError }, { Kvm }] = await Promise.all([
    import("@nats-io/transport-node"),
    import("@nats-io/jetstream"),
    import("@nats-io/kv"),
  ])
  return { connect, jetstream, JetStreamApiCodes, JetStreamApiError, Kvm }
}

/** All of them. */
export type NatsPackages = Awaited<ReturnType<typeof load>>

/** Loads them. Fails with `NotInstalled`. */
export const packages: Effect.Effect<NatsPackages, DirectoryError> = Effect.tryPromise({
  try: load,
  catch: notInstalled("NATS", ["@nats-io/transport-node", "@nats-io/jetstream", "@nats-io/kv"]),
})
