/** A client of the real server over a network that fails, for tests of lost connections. */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as ExecClient from "../client/ExecClient.ts"
import type { Status } from "../client/Reconnect.ts"
import type { RemoteProcess } from "../client/RemoteProcess.ts"
import { TestNetwork } from "./TestNetwork.ts"
import * as TestServer from "./TestServer.ts"

/**
 * Connects a client that reconnects. With `replays` false the server does not announce `sessionReplay`, with `hands`
 * false not `sessionTakeover`, with `cancels` false not `requestCancel`.
 */
export const connected = (
  {
    replays = true,
    hands = true,
    cancels = true,
    ...options
  }: ExecClient.Options & {
    readonly replays?: boolean
    readonly hands?: boolean
    readonly cancels?: boolean
  } = {},
  ...server: Parameters<typeof TestServer.make>
) =>
  Effect.gen(function* () {
    const { fake, connect } = yield* TestServer.make(...server)
    const network = new TestNetwork({ fake, connect }, yield* Effect.scope)
    const announced = { sessionReplay: replays, sessionTakeover: hands, requestCancel: cancels }
    const hidden = Object.entries(announced).flatMap(([name, shown]) => (shown ? [] : [name]))
    if (hidden.length > 0)
      network.toClient = (text) =>
        hidden.reduce((left, name) => left.replace(`"${name}":true`, `"${name}":false`), text)
    const statuses: Array<Status> = []
    const client = yield* ExecClient.make(network.open, {
      reconnect: {},
      onStatus: (status) => statuses.push(status),
      ...options,
    })
    return { client, fake, network, statuses }
  })

export const textOf = (process: RemoteProcess) =>
  Effect.map(Stream.runCollect(process.output()), (chunks) =>
    chunks.map((bytes) => Buffer.from(bytes).toString()).join(""),
  )

export const eventsOf = (process: RemoteProcess) => Stream.runCollect(process.events)

/** True while the fiber runs. */
export const running = (fiber: Fiber.Fiber<unknown, unknown>) =>
  Effect.sync(() => fiber.pollUnsafe() === undefined)

/** Longer than the first pause with any jitter, in milliseconds. */
export const soon = 150
