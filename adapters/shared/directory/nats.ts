/**
 * A directory of hosts and sessions in NATS JetStream. It needs the packages `@nats-io/transport-node`,
 * `@nats-io/jetstream` and `@nats-io/kv`, which npm does not install with procwire.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Directory } from "../../core/directory/index.ts"
 * import { NatsDirectory } from "../../adapters/shared/directory/nats.ts"
 *
 * const program = Effect.flatMap(Directory.Directory, (directory) => directory.list())
 * const layer = NatsDirectory.layer({ url: "nats://edge.internal:4222" })
 * const { hosts } = await Effect.runPromise(Effect.provide(program, layer))
 * ```
 *
 * @module
 */
export * as NatsDirectory from "./NatsDirectory.ts"
