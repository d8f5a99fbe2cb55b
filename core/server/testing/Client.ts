/** Connections to the real server for its tests: messages in, messages out, and what has arrived by now. */
import * as Effect from "effect/Effect"
import * as TestServer from "../../testing/TestServer.ts"
import type { ProcessChange } from "../../protocol/List.ts"
import type * as Fake from "../../spawn/Fake.ts"
import { settle } from "../../testing/Effects.ts"
import type { Transport } from "../../transport/Transport.ts"

type Sent = { readonly [key: string]: unknown }

/** A received message. */
export interface Received {
  readonly id?: unknown
  readonly method?: string
  readonly params?: {
    readonly processId?: string
    readonly seq?: number
    readonly chunk?: string
    readonly exitCode?: number
  }
  readonly result?: {
    readonly sessionId?: string
    readonly chunks?: ReadonlyArray<{ readonly seq: number }>
    readonly changes?: ReadonlyArray<ProcessChange>
    readonly nextSeq?: number
    readonly running?: boolean
  }
  readonly error?: { readonly code: number; readonly message: string }
}

export interface Client {
  readonly transport: Transport
  readonly send: (...messages: ReadonlyArray<Sent>) => void
  /** The messages that have arrived by now. */
  readonly received: Effect.Effect<ReadonlyArray<Received>>
  /** The answer to one request; fails if anything else comes. */
  readonly ask: (method: string, params?: unknown) => Effect.Effect<Received>
  /** True if the server has ended the connection. */
  readonly ended: Effect.Effect<boolean>
}

/** A client over a connection. */
export const toClient = (transport: Transport): Client => {
  let id = 100
  const send = (...messages: ReadonlyArray<Sent>) => {
    for (const message of messages) transport.write(JSON.stringify(message))
  }
  const received = Effect.gen(function* () {
    yield* settle
    const found: Array<Received> = []
    for (;;) {
      if ((transport.incoming.size() ?? 0) === 0) return found
      for (const text of (yield* transport.incoming.takeAll)[0]) found.push(JSON.parse(text) as Received)
      yield* settle
    }
  }).pipe(Effect.orDie)
  const ask = (method: string, params?: unknown) =>
    Effect.gen(function* () {
      id += 1
      send({ id, method, params })
      const [answer, ...more] = yield* received
      if (answer?.id !== id || more.length > 0)
        return yield* Effect.die(new Error(`${method}: ${JSON.stringify([answer, ...more])}`))
      return answer
    })
  const ended = Effect.map(settle, () => transport.incoming.size() === undefined)
  return { transport, send, received, ask, ended }
}

/** Params of a start. */
export const start = (processId: string, change: object = {}) => ({
  processId,
  argv: ["a"],
  cwd: "file:///tmp",
  env: {},
  tty: false,
  pipeStdin: true,
  ...change,
})

/** The real server over scripted children; `connect` opens one more connection. */
export const make = (options: Fake.Options = {}, server: Parameters<typeof TestServer.make>[1] = {}) =>
  Effect.map(TestServer.make(options, server), ({ fake, connect }) => ({
    fake,
    connect: Effect.map(connect, toClient),
  }))

/** Makes the handshake; returns the id of the session. */
export const handshake = (client: Client, resumeSessionId?: string) =>
  Effect.gen(function* () {
    const { result } = yield* client.ask("initialize", { clientName: "test", resumeSessionId })
    client.send({ method: "initialized" })
    yield* settle
    return result?.sessionId ?? ""
  })

/** A server and one connection after its handshake. */
export const ready = (options: Fake.Options = {}, server: Parameters<typeof TestServer.make>[1] = {}) =>
  Effect.gen(function* () {
    const { fake, connect } = yield* make(options, server)
    const client = yield* connect
    return { fake, connect, client, sessionId: yield* handshake(client) }
  })

/** An answer that is an error. */
export const error = (code: number, message: string) => ({ error: { code, message } })
/** A notification in short: `output 1`. */
export const event = ({ method, params }: Received) => `${method?.slice(8)} ${params?.seq}`
