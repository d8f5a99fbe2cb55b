/** A connection over a link in memory, as the tests of this folder use it. */
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as ErrorCode from "../../protocol/ErrorCode.ts"
import { settle } from "../../testing/Effects.ts"
import * as Memory from "../../transport/Memory.ts"
import type { Transport } from "../../transport/Transport.ts"
import * as Connection from "../Connection.ts"

type Answer = Effect.Effect<string, ErrorCode.RpcError>

/** A receiver whose requests are answered by their method, on one end of a link. */
export const connect = (
  handlers: Record<string, Answer | ((finish: (hook: (answered: boolean) => void) => void) => Answer)>,
  concurrentRequests = 1024,
) =>
  Effect.gen(function* () {
    const [peer, transport] = yield* Memory.makePair({ right: "JSON-RPC message from test" })
    const begun: Array<string> = []
    const connection = yield* Connection.make(
      transport,
      {
        request: ({ method }, { afterReply }) => {
          begun.push(method)
          const handler = handlers[method]
          if (handler === undefined) return Effect.fail(new ErrorCode.RpcError({ code: -1, message: method }))
          return typeof handler === "function" ? handler(afterReply) : handler
        },
        slotted: (method) => method.startsWith("slow"),
        cancellable: (method) => method !== "keep" && method !== "slowKeep",
        notification: ({ method }) => method === "fine",
      },
      { concurrentRequests },
    )
    const running = yield* Effect.forkChild(connection.run)
    return { peer, connection, running, begun }
  })

export const send = (peer: Transport, ...messages: ReadonlyArray<object>) => {
  for (const message of messages) peer.write(JSON.stringify(message))
}

/** Everything that has arrived, without waiting. */
export const received = (peer: Transport) =>
  Effect.gen(function* () {
    yield* settle
    if ((peer.incoming.size() ?? 0) === 0) return []
    return (yield* peer.incoming.takeAll)[0]
  })

/** As `connect`, without the words about defects that belong to the test. */
export const quietly = (...args: Parameters<typeof connect>) =>
  Effect.provideService(connect(...args), References.MinimumLogLevel, "None")

export const ok = Effect.succeed('"ok"')
