/** A client of a server outside this process, for commands that look at what runs there. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import type { ClientError } from "../../../../core/client/ClientError.ts"
import * as ExecClient from "../../../../core/client/ExecClient.ts"
import type * as Reconnect from "../../../../core/client/Reconnect.ts"
import type { Capabilities } from "../../../../core/protocol/Environment.ts"
import type { TransportError } from "../../../../core/transport/Transport.ts"
import * as Connect from "../../Connect.ts"
import * as NoServer from "../NoServer.ts"
import { Unable } from "./Unable.ts"

/** Connects. A lost connection to a URL is replaced; `onStatus` is told of that. */
export const connect = (target: Connect.RemoteTarget, options: ExecClient.Options) =>
  Effect.gen(function* () {
    const noServer = Effect.mapError((error: TransportError | ClientError) => NoServer.from(target, error))
    const isUrl = "url" in target
    const source = isUrl ? Connect.openRemote(target) : yield* noServer(Connect.openRemote(target))
    return yield* noServer(make(source, { reconnect: isUrl && {}, ...options }))
  })

/** Makes a client; what becomes of its connection is logged, which `--verbose` shows. */
export const make = (source: Parameters<typeof ExecClient.make>[0], options: ExecClient.Options) =>
  Effect.gen(function* () {
    const runtime = yield* Effect.runtime<never>()
    const log = (message: string, annotations: Readonly<Record<string, unknown>>) =>
      Effect.annotateLogs(Effect.logDebug(message), annotations)
    const onStatus = (status: Reconnect.Status) => {
      Runtime.runSync(runtime)(log(status.kind, "message" in status ? { why: status.message } : {}))
      options.onStatus?.(status)
    }
    const begun = yield* Clock.currentTimeMillis
    const client = yield* ExecClient.make(source, { ...options, onStatus })
    const { executorVersion: version = "unknown", platformOs: os } = client.environmentInfo
    const millis = (yield* Clock.currentTimeMillis) - begun
    yield* log("connected", { millis, version, os: os ?? "unknown" })
    return client
  })

/** What is said of a server that knows no processes but those of its clients. */
export const listsNothing = "this server cannot list what runs: it is an older one, or of another make"

/** What is said of a server that starts no process again. */
export const restartsNothing = "this server restarts nothing: it is an older one, or of another make"

/** Fails for a server that lacks a capability; `message` says what it cannot do, and what to do. */
export const need = (
  client: Pick<ExecClient.ExecClient, "environmentInfo">,
  capability: keyof Capabilities,
  message: string,
): Effect.Effect<void, Unable> =>
  client.environmentInfo.capabilities?.[capability] === true ? Effect.void : new Unable({ message })
