/**
 * Where the server is: a command that starts one, or the URL of one that runs already.
 *
 * Guarantees: over stdio every connection has a server of its own; over WebSocket cases share one server, which is started
 * again if a case has ended it; `close` leaves nothing running that the suite has started.
 */
import { randomUUID } from "node:crypto"
import type { TransportKind } from "./Case.ts"
import { CheckFailure } from "./Check.ts"
import type { Channel, ChannelEvents } from "./wire/Channel.ts"
import * as ServerProcess from "./wire/ServerProcess.ts"
import * as StdioChannel from "./wire/StdioChannel.ts"
import * as WsChannel from "./wire/WsChannel.ts"

export interface Server {
  /** Absent for a server that the suite has not started. */
  readonly process?: ServerProcess.ServerProcess
  /** Absent over stdio. */
  readonly url?: string
  readonly connect: (events: ChannelEvents, headers?: { readonly [name: string]: string }) => Promise<Channel>
  readonly stop: () => void
}

export interface Needs {
  readonly args: ReadonlyArray<string>
  readonly token: string
  readonly timeoutMs: number
}

export interface Target {
  readonly kind: TransportKind
  /** The argument of the command line that names this target, for reports. */
  readonly words: ReadonlyArray<string>
  /** Whether the suite starts the server. */
  readonly owned: boolean
  readonly argv: ReadonlyArray<string>
  readonly shared: (needs: Needs) => Promise<Server>
  readonly fresh: (needs: Needs) => Promise<Server>
  readonly close: () => void
}

/**
 * Variables in the environment of every server that the suite starts; the cases about inherited environments
 * count on them.
 */
export const serverEnv: { readonly [name: string]: string } = {
  MY_API_KEY: "drop",
  SECRET_THING: "drop",
  GITHUB_TOKEN: "drop",
  mytoken: "drop",
  MONKEY: "drop",
  PASSWORD: "keep",
  FOO: "foo",
  FROM_SERVER: "yes",
  EMPTY_VARIABLE: "",
  LC_ALL: "C",
  TERM: "xterm",
}

const listenStdio = async (argv: ReadonlyArray<string>, needs: Needs): Promise<Server> => {
  const server = ServerProcess.launch({ argv: [...argv, ...needs.args], env: serverEnv, token: needs.token })
  return {
    process: server,
    connect: async (events) => StdioChannel.make(server, events),
    stop: server.kill,
  }
}

const atUrl = (url: string, timeoutMs: number): Pick<Server, "url" | "connect"> => ({
  url,
  connect: (events, headers = {}) => WsChannel.connect({ url, headers, events, timeoutMs }),
})

const listenWs = async (argv: ReadonlyArray<string>, needs: Needs): Promise<Server> => {
  const server = ServerProcess.launch({ argv: [...argv, ...needs.args], env: serverEnv, token: needs.token })
  try {
    const url = await ServerProcess.firstLine(server, needs.timeoutMs)
    return { process: server, ...atUrl(url.trim(), needs.timeoutMs), stop: server.kill }
  } catch (error) {
    server.kill()
    throw error
  }
}

/** A server that is started by a command; over WebSocket the first line of its output must be its URL. */
export const command = (
  kind: TransportKind,
  argv: ReadonlyArray<string>,
  words: ReadonlyArray<string> = ["--command", argv.join(" ")],
): Target => {
  const fresh = (needs: Needs): Promise<Server> =>
    kind === "stdio" ? listenStdio(argv, needs) : listenWs(argv, needs)
  const token = randomUUID()
  let running: Promise<Server> | undefined
  let server: Server | undefined
  const started = async (needs: Needs): Promise<Server> => {
    server = await fresh({ ...needs, args: [], token })
    return server
  }
  return {
    kind,
    words,
    owned: true,
    argv,
    fresh,
    shared: (needs) => {
      if (kind === "stdio") return fresh(needs)
      if (running === undefined || server?.process?.exited() === true) {
        running = started(needs)
        running.catch(() => (running = undefined))
      }
      return running
    },
    close: () => server?.stop(),
  }
}

/** A server that runs already. */
export const url = (address: string): Target => ({
  kind: "ws",
  words: ["--url", address],
  owned: false,
  argv: [],
  shared: async ({ timeoutMs }) => ({ ...atUrl(address, timeoutMs), stop: () => undefined }),
  fresh: async () => {
    throw new CheckFailure("this case needs a server that the suite starts")
  },
  close: () => undefined,
})
