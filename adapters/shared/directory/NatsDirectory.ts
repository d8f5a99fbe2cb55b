/**
 * A directory in a key-value bucket of NATS JetStream, for a fleet without a database. All that it knows is one value,
 * so it suits some thousand sessions: the value must stay below `max_payload` of the server (1 MiB by default, about
 * 4,000 sessions), and each decision writes all of it. Time is that of the server.
 *
 * It needs the packages `@nats-io/transport-node`, `@nats-io/jetstream` and `@nats-io/kv`, loaded when the first
 * directory is made.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { checked } from "../../../core/directory/Checked.ts"
import { Directory, type DirectoryService } from "../../../core/directory/Directory.ts"
import type { DirectoryError } from "../../../core/directory/DirectoryError.ts"
import { resolve, type DirectoryOptions } from "../../../core/directory/DirectoryOptions.ts"
import * as SessionBook from "../../../core/directory/SessionBook.ts"
import * as Steps from "../../../core/directory/Steps.ts"
import * as NatsBook from "./NatsBook.ts"
import * as Watching from "./Watching.ts"
import { notInstalled } from "./NotInstalled.ts"

export interface NatsOptions extends DirectoryOptions {
  /** `nats://host:4222` or `tls://host:4222`, with `user:password@` or `token@` before the host if need be. */
  readonly url: string | Redacted.Redacted
  /** The bucket that has it, made if it is not there: `procwire_directory`. Letters, digits, `_` and `-`. */
  readonly bucket?: string
  /** Servers of a cluster that keep it, from 1 to 5, when it is made: 1. */
  readonly replicas?: number
}

/** Connects, and makes the bucket. Fails with `Unavailable`, `WrongVersion` and `NotInstalled`. */
export const make = (options: NatsOptions): Effect.Effect<DirectoryService, DirectoryError, Scope.Scope> =>
  Effect.gen(function* () {
    const { url, bucket = "procwire_directory", replicas = 1, ...patience } = options
    const settings = resolve(patience)
    if (!/^[\w-]{1,64}$/.test(bucket))
      throw new RangeError(`bucket must be up to 64 letters, digits, _ and -: ${bucket}`)
    if (!Number.isSafeInteger(replicas) || replicas < 1 || replicas > 5)
      throw new RangeError(`replicas must be a whole number from 1 to 5, and is ${replicas}`)
    const nats = yield* packages
    const timeout = settings.deadlineMillis
    const target = toServer(typeof url === "string" ? url : Redacted.value(url))
    const connection = yield* Effect.acquireRelease(
      attempt(() => nats.connect({ ...target, name: "procwire", timeout, maxReconnectAttempts: -1 })),
      (connection) => Effect.promise(() => connection.close()),
    )
    const jetstream = nats.jetstream(connection, { timeout })
    const values = yield* attempt(() => new nats.Kvm(jetstream).create(bucket, { history: 1, replicas }))
    const { StreamWrongLastSequence, StreamWrongLastSequenceUnknown } = nats.JetStreamApiCodes
    const isConflict = (error: unknown) =>
      error instanceof nats.JetStreamApiError &&
      (error.code === StreamWrongLastSequence || error.code === StreamWrongLastSequenceUnknown)
    const keeper = NatsBook.make(values, bucket, isConflict, timeout)
    const version = Effect.map(keeper.read, (book) => book.version)
    yield* version
    const watch = yield* Watching.make({
      sweep: Effect.andThen(Steps.sweep(keeper, settings), version),
      changes: (since) =>
        Effect.map(keeper.read, (book) => ({
          version: book.version,
          changes: SessionBook.changes(book, since),
        })),
      // Every write of the key is a message, too. The library subscribes again after each cut.
      listen: (hear) =>
        Effect.callback(() => {
          const writes = connection.subscribe(`$KV.${bucket}.${NatsBook.key}`, { callback: hear })
          hear()
          return Effect.sync(() => writes.unsubscribe())
        }),
      tickMillis: settings.tickMillis,
    })
    return checked({ ...Steps.operations(keeper, settings), watch })
  })

/** The same as a layer. */
export const layer = (options: NatsOptions): Layer.Layer<Directory, DirectoryError> =>
  Layer.effect(Directory, make(options))

const attempt = <A>(ask: () => Promise<A>): Effect.Effect<A, DirectoryError> =>
  Effect.tryPromise({ try: ask, catch: NatsBook.unavailable })

/** The options of the library for this URL. Throws a RangeError, without the URL, as that may have a password. */
const toServer = (text: string) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== "nats:" && url.protocol !== "tls:") || url.hostname === "")
    throw new RangeError("the URL of a directory in NATS must be nats://HOST:PORT or tls://HOST:PORT")
  const [name, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)]
  const credentials: { token?: string; user?: string; pass?: string } =
    name === "" ? {} : password === "" ? { token: name } : { user: name, pass: password }
  return {
    servers: `${url.hostname}:${url.port || "4222"}`,
    ...credentials,
    ...(url.protocol === "tls:" ? { tls: {} } : {}),
  }
}

const load = async () => {
  const [{ connect }, { jetstream, JetStreamApiCodes, JetStreamApiError }, { Kvm }] = await Promise.all([
    import("@nats-io/transport-node"),
    import("@nats-io/jetstream"),
    import("@nats-io/kv"),
  ])
  return { connect, jetstream, JetStreamApiCodes, JetStreamApiError, Kvm }
}

/** The packages of NATS, which are optional. Fails with `NotInstalled`. */
const packages = Effect.tryPromise({
  try: load,
  catch: notInstalled("NATS", ["@nats-io/transport-node", "@nats-io/jetstream", "@nats-io/kv"]),
})
