/**
 * The connection of the page: one client, whether it is connected, and the lists, which are asked for again and again.
 *
 * The session is resumed after a lost connection and after the page is loaded again; where it is gone, one begins.
 * While there is no connection the site is asked for its state: it does not answer, or a login is needed, or the server
 * was started again.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Client from "../../../../core/client/Client.ts"
import { ClientError } from "../../../../core/client/ClientError.ts"
import * as ExecClient from "../../../../core/client/ExecClient.ts"
import { promise } from "../../../../core/client/Promises.ts"
import type { Status as Change } from "../../../../core/client/Reconnect.ts"
import type { Capabilities } from "../../../../core/protocol/Environment.ts"
import type { ListedSession } from "../../../../core/protocol/List.ts"
import { TransportError } from "../../../../core/transport/Transport.ts"
import * as WebSocketTransport from "../../WebSocketTransport.ts"
import type * as Outage from "../model/Outage.ts"
import * as Rows from "../model/Rows.ts"
import * as Store from "../model/Store.ts"
import type * as Site from "./Site.ts"

export type Status = { readonly kind: "connected" } | Outage.Lost

/** The store of the session while the page is loaded again. */
export interface Kept {
  readonly get: () => string | undefined
  readonly set: (sessionId: string) => void
}

export interface Options {
  readonly url: string
  readonly kept: Kept
  /** The start of the server that the page connects to, as the site names it. */
  readonly instance: string
  /** Asks the site, before each attempt to connect again. */
  readonly ask: () => Promise<Site.Info>
  /** Makes a WebSocket. Default: that of the browser. */
  readonly open?: (url: string) => WebSocketTransport.WebSocketLike
}

export interface Lists {
  readonly rows: Rows.Rows
  readonly sessions: ReadonlyArray<ListedSession>
  /** The start of the server that they come from. */
  readonly instance: string
}

export interface Link {
  readonly client: Client.Client
  readonly status: Store.Store<Status>
  readonly lists: Store.Store<Lists | undefined>
  /** The start of the server, as its site names it: what an earlier one ran is gone. */
  readonly instance: Store.Store<string>
  /** True for a capability of the server, for this visitor. */
  readonly can: (capability: keyof Capabilities) => boolean
  /** Asks for the lists; one request at a time, and one more if somebody has asked meanwhile. */
  readonly refresh: () => Promise<void>
  /** Asks whether the server is there; if it does not answer soon, the connection is replaced. */
  readonly probe: () => Promise<void>
  /** Runs a part with a client, and a session, of its own. */
  readonly apart: <A>(use: (client: Client.Client) => Promise<A>) => Promise<A>
  readonly close: () => Promise<void>
}

const probeDeadline = "3 seconds"

const clientName = "procwire web"

/** Connects. Rejects with `ClientError` if that fails. */
export const connect = async (options: Options): Promise<Link> => {
  const { url, kept, ask, open = WebSocketTransport.openGlobal } = options
  const status = Store.make<Status>({ kind: "connected" })
  const instance = Store.make(options.instance)
  const lists = Store.make<Lists | undefined>(undefined)
  let socket: Cuttable | undefined
  let connectedTo = options.instance
  /** A server that wants a login refuses every WebSocket, and does not say why: its site does. */
  const look = Effect.gen(function* () {
    const lost = status.get()
    if (lost.kind === "connected") return
    const found = yield* Effect.result(Effect.tryPromise(ask))
    if (found._tag === "Failure") {
      status.set({ ...lost, server: "silent", login: undefined })
      return yield* Effect.fail(new TransportError({ reason: "Open", message: "the server does not answer" }))
    }
    const info = found.success
    instance.set(info.instance)
    const server = info.instance === connectedTo ? "same" : "restarted"
    status.set({ ...lost, server, login: info.login ? info : undefined })
    if (info.login)
      return yield* Effect.fail(new TransportError({ reason: "Open", message: "a login is needed" }))
  })
  const transport = Effect.andThen(
    look,
    WebSocketTransport.connect(url, { open: (to) => (socket = cuttable(open(to))) }),
  )
  const onStatus = (change: Change) => {
    if (change.kind === "newSession") kept.set(change.sessionId)
    const next = statusOf(change, status.get())
    if (next.kind === "connected") connectedTo = instance.get()
    status.set(next)
  }
  const begin = (resumeSessionId: string | undefined) =>
    acquire(transport, {
      clientName,
      ...(resumeSessionId === undefined ? {} : { resumeSessionId, takeover: true }),
      reconnect: { window: "1 hour" },
      onSessionLost: "new",
      onStatus,
    })
  const resumed = kept.get()
  const client = await begin(resumed).catch((error: unknown) => {
    // The session of the page before has expired.
    if (resumed === undefined || !isRefusal(error)) throw error
    return begin(undefined)
  })
  kept.set(client.sessionId)

  const can = (capability: keyof Capabilities) => client.environmentInfo.capabilities?.[capability] === true
  return {
    client,
    status,
    lists,
    instance,
    can,
    refresh: oneAtATime(async () => {
      const whose = can("processListAll") ? ({ sessions: "all" } as const) : {}
      const rows = Rows.fromList(await gather(client.list(whose)))
      const sessions = await gather(client.listSessions(whose))
      lists.set({ rows, sessions, instance: instance.get() })
    }),
    probe: async () => {
      if (status.get().kind !== "connected") return
      const asked = socket
      await client.call("environment/status", {}, { timeout: probeDeadline }).catch(() => asked?.cut())
    },
    apart: async (use) => {
      const other = await acquire(WebSocketTransport.connect(url, { open }), { clientName })
      try {
        return await use(other)
      } finally {
        await other.close()
      }
    },
    close: () => client.close(),
  }
}

const isRefusal = (error: unknown): boolean => error instanceof ClientError && error.reason === "Server"

const acquire = (
  transport: ReturnType<typeof WebSocketTransport.connect>,
  options: ExecClient.Options,
): Promise<Client.Client> =>
  promise(
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const client = yield* ExecClient.make(transport, options).pipe(
        Scope.provide(scope),
        Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))),
      )
      return Client.fromEffect(client, Scope.close(scope, Exit.void))
    }),
  )

const statusOf = (change: Change, before: Status): Status => {
  if (change.kind === "connected" || change.kind === "newSession") return { kind: "connected" }
  const { message } = change
  if (before.kind === "lost") return { ...before, message }
  return { kind: "lost", message, since: Date.now(), server: "unknown" }
}

const gather = async <A>(items: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = []
  for await (const item of items) all.push(item)
  return all
}

/**
 * A WebSocket that can be cut off: a browser waits for the other side before it tells that a connection has ended, and
 * after the sleep of a laptop there is no other side.
 */
interface Cuttable extends WebSocketTransport.WebSocketLike {
  /** Tells everybody that it is closed, whatever the network says. */
  readonly cut: () => void
}

type Listener = (event: WebSocketTransport.WebSocketEvent) => void

const closed = 3

const cuttable = (socket: WebSocketTransport.WebSocketLike): Cuttable => {
  const listeners: Array<Listener> = []
  let isCut = false
  return {
    get binaryType() {
      return socket.binaryType
    },
    set binaryType(type) {
      socket.binaryType = type
    },
    get readyState() {
      return isCut ? closed : socket.readyState
    },
    get bufferedAmount() {
      return isCut ? 0 : socket.bufferedAmount
    },
    send: (data) => {
      if (!isCut) socket.send(data)
    },
    close: (code) => socket.close(code),
    addEventListener: (type, listener) => {
      if (type === "close") listeners.push(listener)
      socket.addEventListener(type, (event) => {
        if (!isCut) listener(event)
      })
    },
    cut: () => {
      if (isCut || socket.readyState === closed) return
      isCut = true
      for (const listener of listeners) listener({ type: "close", code: 1006 })
      socket.close()
    },
  }
}

/** Runs once at a time, and once more for all who have called meanwhile: each gets a run that begins after the call. */
const oneAtATime = (run: () => Promise<void>): (() => Promise<void>) => {
  let current: Promise<void> | undefined
  let next: Promise<void> | undefined
  const begin = (): Promise<void> => {
    const mine = run().finally(() => {
      if (current === mine) current = undefined
    })
    current = mine
    return mine
  }
  return () => {
    if (current === undefined) return begin()
    next ??= current.then(ignore, ignore).then(() => {
      next = undefined
      return begin()
    })
    return next
  }
}

const ignore = () => {}
