/** A client of a server outside this process, for commands that look at what runs there. */
import * as Effect from "effect/Effect"
import type { ClientError } from "../../../../core/client/ClientError.ts"
import * as ExecClient from "../../../../core/client/ExecClient.ts"
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
    return yield* noServer(ExecClient.make(source, { reconnect: isUrl && {}, ...options }))
  })

/** Fails for a server that lacks a capability; `remedy` is how a server has it. */
export const need = (
  client: Pick<ExecClient.ExecClient, "environmentInfo">,
  capability: keyof Capabilities,
  remedy: string,
): Effect.Effect<void, Unable> =>
  client.environmentInfo.capabilities?.[capability] === true
    ? Effect.void
    : new Unable({ message: `this server lacks the capability ${capability}: ${remedy}` })
