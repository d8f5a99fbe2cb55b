/** A server in this process, which links client and server in memory; it is the same server, with real children. */
import * as Effect from "effect/Effect"
import * as ExecServer from "../../core/server/ExecServer.ts"
import * as SessionRegistry from "../../core/session/SessionRegistry.ts"
import * as Memory from "../../core/transport/Memory.ts"
import { version } from "./Version.ts"

/** The client's end of its connection. */
export const open = (options: Partial<ExecServer.Options> = {}) =>
  Effect.gen(function* () {
    const server = yield* ExecServer.make({ ...SessionRegistry.defaultOptions, version, ...options })
    const [client, peer] = yield* Memory.makePair()
    yield* Effect.forkScoped(Effect.scoped(server.serve(peer)))
    return client
  })
