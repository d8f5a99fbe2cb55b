/**
 * The server under test: a command that starts one, or the URL of one that is running.
 *
 * Guarantees: over stdio every connection has its own server; otherwise cases share one server, which is restarted if a
 * case has ended it; `close` leaves nothing running that the suite has started.
 */
import { randomUUID } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { CheckFailure, fail } from "./Check.ts"
import { clip } from "./Json.ts"
import type { Channel, ChannelEvents } from "./wire/Channel.ts"
import * as LineChannel from "./wire/LineChannel.ts"
import * as ServerProcess from "./wire/ServerProcess.ts"
import type { TransportKind } from "./wire/TransportKind.ts"
import * as WsChannel from "./wire/WsChannel.ts"

/** A server that is running. */
export interface Server {
  /** Absent for a server that the suite has not started. */
  readonly process?: ServerProcess.ServerProcess
  /** Absent over stdio. */
  readonly url?: string
  /** Opens a connection. `headers` go with the upgrade of a WebSocket. */
  readonly connect: (events: ChannelEvents, headers?: { readonly [name: string]: string }) => Promise<Channel>
  /** Ends a server that the suite has started, with everything below it; leaves any other alone. */
  readonly stop: () => void
}

/** The start of a server. */
export interface Needs {
  /** Arguments added to the command line. */
  readonly args: ReadonlyArray<string>
  /** The value of the variable that marks the server and every process below it. */
  readonly token: string
  /** The deadline for its first line, in milliseconds. */
  readonly timeoutMs: number
}

/** A server under test. */
export interface Target {
  /** The transport. */
  readonly kind: TransportKind
  /** The argument of the command line that names this target, for reports. */
  readonly words: ReadonlyArray<string>
  /** True if the suite starts the server. */
  readonly owned: boolean
  /** The command, with a free address where it needs one. */
  readonly argv: () => ReadonlyArray<string>
  /** The server that cases share; a new one if a case has ended the last one. Over stdio each call starts one. */
  readonly shared: (needs: Needs) => Promise<Server>
  /** A server for one case alone. Rejects for a target that the suite does not start. */
  readonly fresh: (needs: Needs) => Promise<Server>
  /** Ends the shared server and removes what was made for the addresses. */
  readonly close: () => void
}

/** The placeholder of a command for the address to listen on. */
export const placeholder = "{LISTEN}"

/** The transport of an address. */
export const kindOf = (address: string): TransportKind =>
  /^wss?:/i.test(address)
    ? "ws"
    : address.startsWith("unix:")
      ? "unix"
      : address.startsWith("tcp:")
        ? "tcp"
        : "stdio"

/**
 * Variables in the environment of every server that the suite starts. The cases about inherited environments expect
 * them.
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

/** Connects to the address that a server has printed, or to that of a running one. */
const atUrl = (kind: TransportKind, url: string, timeoutMs: number): Pick<Server, "url" | "connect"> => ({
  url,
  connect: (events, headers = {}) =>
    kind === "ws"
      ? WsChannel.connect({ url, headers, events, timeoutMs })
      : LineChannel.connect(kind, url, events, timeoutMs),
})

const listen = async (kind: TransportKind, argv: ReadonlyArray<string>, needs: Needs): Promise<Server> => {
  const server = ServerProcess.launch({ argv: [...argv, ...needs.args], env: serverEnv, token: needs.token })
  if (kind === "stdio") {
    const { stdin: input, stdout: output } = server.child
    const connect: Server["connect"] = async (events) => LineChannel.make({ kind, input, output }, events)
    return { process: server, connect, stop: server.kill }
  }
  try {
    const url = await ServerProcess.firstLine(server, needs.timeoutMs)
    if (kindOf(url.trim()) !== kind) {
      const wanted = kind === "unix" ? "unix:PATH" : `${kind}://HOST:PORT`
      fail(
        `the first line of the server's output must be its address, ${wanted}, not ${JSON.stringify(clip(url, 200))}`,
      )
    }
    return { process: server, ...atUrl(kind, url.trim(), needs.timeoutMs), stop: server.kill }
  } catch (error) {
    server.kill()
    throw error
  }
}

/** Free addresses to listen on; `close` removes the folder of unix sockets. */
const addresses = (kind: TransportKind) => {
  let folder: string | undefined
  let count = 0
  return {
    next: (): string => {
      if (kind === "stdio") return kind
      if (kind !== "unix") return `${kind}://127.0.0.1:0`
      folder ??= mkdtempSync(join(tmpdir(), "procwire-"))
      return `unix:${join(folder, `${++count}.sock`)}`
    },
    close: () => {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
      folder = undefined
    },
  }
}

/**
 * A server that is started by a command, in which `{LISTEN}` stands for an address of the kind; over all but stdio the
 * first line of its output must be the address that it has bound.
 */
export const command = (
  kind: TransportKind,
  words: ReadonlyArray<string>,
  named: ReadonlyArray<string> = ["--command", words.join(" ")],
): Target => {
  const free = addresses(kind)
  const argv = () =>
    words.map((word) => (word.includes(placeholder) ? word.replaceAll(placeholder, free.next()) : word))
  const fresh = (needs: Needs): Promise<Server> => listen(kind, argv(), needs)
  const token = randomUUID()
  /** The servers that cases share, by their arguments. */
  const running = new Map<string, { readonly starting: Promise<Server>; server?: Server }>()
  const share = (args: ReadonlyArray<string>, needs: Needs) => {
    const key = args.join("\0")
    const one = running.get(key)
    if (one !== undefined && one.server?.process?.exited() !== true) return one.starting
    const entry: { readonly starting: Promise<Server>; server?: Server } = {
      starting: fresh({ ...needs, token }).then((server) => (entry.server = server)),
    }
    running.set(key, entry)
    entry.starting.catch(() => running.delete(key))
    return entry.starting
  }
  return {
    kind,
    words: named,
    owned: true,
    argv,
    fresh,
    shared: (needs) => (kind === "stdio" ? fresh(needs) : share(needs.args, needs)),
    close: () => {
      for (const { server } of running.values()) server?.stop()
      free.close()
    },
  }
}

/** A server that is running already. */
export const url = (address: string, kind: TransportKind = kindOf(address)): Target => ({
  kind,
  words: ["--url", address],
  owned: false,
  argv: () => [],
  shared: async ({ timeoutMs }) => ({ ...atUrl(kind, address, timeoutMs), stop: () => undefined }),
  fresh: async () => {
    throw new CheckFailure("this case needs a server that the suite starts")
  },
  close: () => undefined,
})
