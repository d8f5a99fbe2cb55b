/**
 * The proxy of one process, on sockets that somebody else accepts: HTTP (CONNECT, absolute form, WebSocket) and SOCKS5
 * (CONNECT, with names and addresses) on one port, told apart by the first byte.
 *
 * Nothing is dialled that the gate has not allowed by its name, then by its address. A tunnel to port 443 begins with a
 * ClientHello with the name of the tunnel, or it ends. What goes through a tunnel to another port, and what an allowed
 * host does with a request, is not seen.
 *
 * HTTP is parsed by the server of `node:http`, onto which sockets are put; it writes no request on its own. Heads, the
 * time until there is one, and connections are bounded; a tunnel has no time limit.
 */
import { createServer, type IncomingMessage, request, type ServerResponse, STATUS_CODES } from "node:http"
import { isIP, type Socket } from "node:net"
import type { Duplex } from "node:stream"
import * as Result from "effect/Result"
import * as Host from "../../../core/features/egress/Host.ts"
import { concat } from "../../../core/protocol/Bytes.ts"
import type { Allowed, Attempt, Denied, EgressProtocol, Gate } from "../../../core/spawn/Egress.ts"
import { isBroken, reset, splice } from "../transport/Splice.ts"
import * as ClientHello from "./ClientHello.ts"
import * as Dial from "./Dial.ts"
import * as Injection from "./Injection.ts"
import * as Socks5 from "./Socks5.ts"
import * as Target from "./Target.ts"

/** The bounds of a proxy, and its resolver. */
export interface Options {
  /** The resolver of names; by default that of the system. */
  readonly lookup?: Dial.Lookup | undefined
  /** The longest time until a head is there, in milliseconds: by default 30,000. */
  readonly headMillis?: number | undefined
  /** The most connections of the process at once; more are closed. By default 1024. */
  readonly mostConnections?: number | undefined
  /** The port whose tunnels have to begin with TLS; by default 443. Tests cannot listen on that. */
  readonly tlsPort?: number | undefined
  /** The authorities for the hosts of routes; by default those of `http/request`. */
  readonly authorities?: typeof Injection.authorities | undefined
}

/** The proxy of one process. */
export interface Proxy {
  /** Serves a connection of the process. It is the proxy's from now on. */
  readonly accept: (socket: Socket) => void
  /** Ends all connections, at once; those that are accepted later are closed. */
  readonly close: () => void
}

/** The header of a denial: its rule, or its reason. */
export const header = "x-procwire-egress"

/** The most bytes of the head of a request. */
const longestHead = 16_384

type Reached =
  | { readonly kind: "connected"; readonly socket: Socket; readonly decision: Allowed }
  | { readonly kind: "denied"; readonly decision: Denied }
  | { readonly kind: "failed"; readonly code: string; readonly message: string }

/** A proxy that asks this gate. */
export const make = (gate: Gate, options: Options = {}): Proxy => {
  const { lookup = Dial.resolve, headMillis = 30_000, mostConnections = 1024, tlsPort = 443 } = options
  const { authorities = Injection.authorities } = options
  const { injections = [] } = gate
  /** Read once: to parse them takes longer than a connection. */
  let trusted: ReturnType<typeof authorities> | undefined
  const clients = new Map<Duplex, Client>()
  const upstreams = new Set<Socket>()
  let closed = false
  const server = createServer({ maxHeaderSize: longestHead, keepAliveTimeout: 0, noDelay: true })
  // The bounds are those of `Client`. A client that has ended its side gets its answer.
  Object.assign(server, { timeout: 0, headersTimeout: 0, requestTimeout: 0, httpAllowHalfOpen: true })

  // A server that does not listen is about to end for some runtimes, which then end connections behind an answer.
  Object.defineProperty(server, "listening", { value: true })

  /** Asks the gate, and dials. Tells the decision, unless it is an allowed one that `untold` leaves to the caller. */
  const reach = async (attempt: Attempt, ends: AbortSignal, untold?: "untold"): Promise<Reached> => {
    const decision = await gate.decide(attempt)
    const dialled = decision.allowed
      ? await Dial.dial(gate, attempt, decision, lookup, ends)
      : ({ kind: "denied", decision } as const)
    if (dialled.kind === "denied") {
      gate.told(attempt, dialled.decision)
      return dialled
    }
    if (dialled.kind === "failed") {
      gate.told(attempt, decision)
      const { code, tried } = dialled
      const at = tried.length === 0 ? "" : ` at ${tried.join(", ")}`
      const name = Host.withPort(attempt.host, attempt.port)
      return { kind: "failed", code, message: `${name} is allowed, but could not be reached: ${code}${at}` }
    }
    const { socket } = dialled
    socket.on("error", () => {})
    if (ends.aborted) {
      socket.destroy()
      return { kind: "failed", code: "ECONNABORTED", message: "the connection has ended meanwhile" }
    }
    upstreams.add(socket)
    socket.on("close", () => upstreams.delete(socket))
    // Behind a client that has ended it still sends what it has been written.
    ends.addEventListener("abort", () => (ends.reason === brokenOff ? reset(socket) : socket.destroySoon()))
    if (untold === undefined) gate.told(attempt, decision)
    return { kind: "connected", socket, decision: decision as Allowed }
  }

  /** Tells of an attempt whose parts make no sense. */
  const faulty = (
    protocol: EgressProtocol,
    given: string,
    { reason, message }: Target.Fault,
    method?: string,
  ): Denied => {
    const decision: Denied = { allowed: false, reason, message }
    gate.told({ protocol, host: given.slice(0, 255), port: 0, method }, decision)
    return decision
  }

  const clientOf = (socket: Duplex): Client => {
    const client = clients.get(socket)
    if (client === undefined) throw new Error("a request comes from no connection of the proxy")
    return client
  }

  server.on("request", (incoming: IncomingMessage, response: ServerResponse) => {
    const client = clientOf(incoming.socket)
    client.busy(1)
    response.on("close", () => client.busy(-1))
    response.on("error", () => {})
    response.sendDate = false
    void forward(incoming, client.ends, {
      refuse: (status, phrase, name, message) => {
        if (response.headersSent || response.destroyed) return void incoming.socket.destroy()
        response.writeHead(status, phrase, plain(message, name))
        response.end(`${message}\n`)
      },
      answer: (answer, headers) => {
        response.writeHead(answer.statusCode ?? 502, answer.statusMessage, [...Target.onwards(headers)])
        answer.on("error", () => incoming.socket.destroy())
        answer.on("aborted", () => incoming.socket.destroy())
        answer.pipe(response)
      },
      left: (listener) => void response.on("close", listener),
    })
  })

  server.on("upgrade", (incoming: IncomingMessage, socket: Duplex, head: Uint8Array) => {
    const client = clientOf(socket)
    client.busy(1)
    const headers = incoming.rawHeaders
    void forward(incoming, client.ends, {
      refuse: (status, phrase, name, message) => end(socket, status, phrase, message, name),
      // Nothing of the connection is parsed any more, so it ends with the answer.
      answer: (answer, headers) => {
        const kept = [...Target.onwards(headers), "Connection", "close"]
        socket.write(headOf(answer.statusCode ?? 502, answer.statusMessage ?? "", kept))
        answer.on("error", () => socket.destroy())
        answer.pipe(socket)
      },
      upgrade: Target.tokensOf(headers, "upgrade").includes("websocket")
        ? (answer, headers, upstream, rest) => {
            socket.write(headOf(101, answer.statusMessage ?? "", headers))
            if (head.length > 0) upstream.write(head)
            if (rest.length > 0) socket.write(rest)
            splice(socket, upstream)
          }
        : undefined,
      left: (listener) => void socket.on("close", listener),
    })
  })

  /** Carries one request to its host, and the answer back. */
  const forward = async (incoming: IncomingMessage, ends: AbortSignal, back: Back): Promise<void> => {
    const { method = "GET", url = "", rawHeaders } = incoming
    const route = Injection.route(url, method, rawHeaders, injections)
    if (route !== undefined && "status" in route)
      return back.refuse(route.status, STATUS_CODES[route.status]!, undefined, route.message)
    const target = route?.target ?? Target.ofRequest(url, rawHeaders)
    const refuse = ({ reason, rule, message }: Denied, status: 400 | 403) =>
      back.refuse(status, status === 400 ? "Bad Request" : denial, rule ?? reason, message)
    if ("reason" in target) return refuse(faulty("http", url, target, method), 400)
    const { host, port } = target
    const attempt: Attempt =
      route === undefined
        ? { protocol: "http", host, port, method }
        : { protocol: "https_connect", host, port }
    const reached = await reach(attempt, ends)
    if (reached.kind === "denied") return refuse(reached.decision, 403)
    if (reached.kind === "failed") return back.refuse(502, "Bad Gateway", undefined, reached.message)
    const socket = route === undefined ? reached.socket : await secured(reached.socket, host)
    const name = Host.withPort(host, port)
    if (typeof socket === "string")
      return back.refuse(502, "Bad Gateway", undefined, `TLS to ${name} has failed: ${socket}`)
    if (ends.aborted) return void socket.destroy()
    const given = Target.onwards(rawHeaders)
    const bare =
      route === undefined ? Injection.exposed(given, target, socket.remoteAddress, injections) : undefined
    if (bare !== undefined) {
      socket.destroy()
      return back.refuse(403, denial, undefined, withoutTls(bare, name))
    }
    const headers =
      route === undefined
        ? Injection.fill(given, target, injections)
        : Injection.onRoute(given, route, injections)
    const usualPort = route === undefined ? 80 : 443
    const chunked = Target.tokensOf(rawHeaders, "transfer-encoding").length > 0
    const outgoing = request({
      method,
      path: target.path,
      // Never resolved: the socket is there. The name says so to whoever would.
      host: "dialled.invalid",
      createConnection: () => socket,
      setHost: false,
      maxHeaderSize: 4 * longestHead,
      headers: [
        "Host",
        port === usualPort ? bracketed(host) : name,
        ...headers,
        ...(chunked ? ["Transfer-Encoding", "chunked"] : []),
        ...(back.upgrade === undefined
          ? ["Connection", "close"]
          : ["Connection", "Upgrade", "Upgrade", "websocket"]),
      ] as unknown as Record<string, string>,
    })
    let answered = false
    outgoing.on("response", (answer) => {
      answered = true
      answer.on("end", () => socket.destroySoon())
      back.answer(answer, Injection.unfill(answer.rawHeaders, injections, route))
    })
    outgoing.on("upgrade", (answer, upstream, rest) => {
      answered = true
      const told = Injection.unfill(answer.rawHeaders, injections, route)
      if (back.upgrade !== undefined) return back.upgrade(answer, told, upstream, rest)
      socket.destroy()
      back.refuse(502, "Bad Gateway", undefined, "the host has answered what was not asked")
    })
    outgoing.on("error", (error) => {
      socket.destroy()
      if (!answered) back.refuse(502, "Bad Gateway", undefined, `${name} has not answered: ${error.message}`)
    })
    back.left(() => socket.destroySoon())
    incoming.on("error", () => socket.destroy())
    // A host may answer before the first byte of a body.
    if (chunked) outgoing.flushHeaders()
    incoming.pipe(outgoing)
  }

  /** TLS to the host of a route; a text is the reason why there is none. */
  const secured = async (socket: Socket, host: string) => {
    const timer = setTimeout(() => socket.destroy(), headMillis)
    try {
      return await Injection.secure(socket, host, await (trusted ??= authorities()))
    } catch (error) {
      socket.destroy()
      return (error as Error).message
    } finally {
      clearTimeout(timer)
    }
  }

  server.on("connect", (incoming: IncomingMessage, socket: Duplex, head: Uint8Array) => {
    const client = clientOf(socket)
    client.busy(1)
    const given = incoming.url ?? ""
    const target = Target.ofAuthority(given)
    if ("reason" in target) {
      const { reason, message } = faulty("https_connect", given, target)
      return end(socket, 400, "Bad Request", message, reason)
    }
    if (head.length > 0) socket.unshift(head)
    const attempt: Attempt = { protocol: "https_connect", host: target.host, port: target.port }
    void tunnel(client, attempt, {
      open: () => void socket.write("HTTP/1.1 200 Connection established\r\n\r\n"),
      denied: ({ rule, reason, message }) => end(socket, 403, denial, message, rule ?? reason),
      failed: (_, message) => end(socket, 502, "Bad Gateway", message),
    })
  })

  /** Joins the connection to its host. On port 443 the first message has to name it. */
  const tunnel = async (client: Client, attempt: Attempt, reply: Reply): Promise<void> => {
    const { socket, ends } = client
    const isTls = attempt.port === tlsPort
    const reached = await reach(attempt, ends, isTls ? "untold" : undefined)
    if (reached.kind === "denied") return reply.denied(reached.decision)
    if (reached.kind === "failed") return reply.failed(reached.code, reached.message)
    reply.open()
    if (isTls) {
      const fault = await helloFault(client, attempt.host)
      const decision: Allowed | Denied =
        fault === undefined ? reached.decision : { allowed: false, reason: "host_mismatch", message: fault }
      gate.told(attempt, decision)
      if (!decision.allowed) {
        reached.socket.destroy()
        return void socket.end(Uint8Array.from(accessDenied))
      }
    }
    splice(socket, reached.socket)
  }

  /** The reason why the next bytes are no ClientHello for a host. They are left where they are. */
  const helloFault = (client: Client, host: string): Promise<string | undefined> =>
    new Promise((done) => {
      const { socket } = client
      const name = Host.withPort(host, tlsPort)
      let bytes: Uint8Array = new Uint8Array(0)
      const settle = (fault: string | undefined) => {
        client.busy(1)
        socket.removeListener("data", onData)
        socket.removeListener("end", onEnd)
        socket.removeListener("close", onEnd)
        socket.pause()
        if (bytes.length > 0 && !socket.destroyed) socket.unshift(bytes)
        done(fault)
      }
      const onData = (chunk: Uint8Array) => {
        bytes = concat([bytes, chunk])
        const read = ClientHello.read(bytes)
        if (read.kind === "more") return
        if (read.kind === "other") return settle(`${name} is reached by TLS alone, and this is none`)
        // An address has no name that TLS could tell.
        if (isIP(host) !== 0) return settle(undefined)
        if (read.name === undefined) return settle(`TLS to ${name} has to name its server, and does not`)
        const named = Host.parse(read.name)
        const isSame = Result.isSuccess(named) && named.success === host
        settle(
          isSame ? undefined : `the connection is for ${name}, but its TLS is for ${Host.shown(read.name)}`,
        )
      }
      const onEnd = () =>
        settle(bytes.length === 0 ? undefined : `TLS to ${name} has ended before its first message`)
      client.busy(-1)
      socket.on("data", onData)
      socket.on("end", onEnd)
      socket.on("close", onEnd)
      socket.resume()
    })

  server.on("clientError", (_error: Error, socket: Duplex) => {
    if (socket.writable) end(socket, 400, "Bad Request", "this is no request to a proxy of HTTP or SOCKS5")
    else socket.destroy()
  })

  const socks = (client: Client, first: Uint8Array): void => {
    const { socket } = client
    let bytes: Uint8Array = new Uint8Array(0)
    let greeted = false
    const onData = (chunk: Uint8Array) => {
      bytes = concat([bytes, chunk])
      for (;;) {
        const read = greeted ? Socks5.request(bytes) : Socks5.greeting(bytes)
        if (read.kind === "more") return
        if (read.kind === "greeting") {
          if (!read.usual) return leave(Uint8Array.of(5, 255))
          bytes = bytes.slice(read.length)
          greeted = true
          socket.write(Uint8Array.of(5, 0))
          continue
        }
        if (read.kind === "fault") return leave(greeted ? Socks5.reply(read.code) : undefined)
        socket.removeListener("data", onData)
        socket.pause()
        if (bytes.length > read.length) socket.unshift(bytes.slice(read.length))
        return connect(read.host, read.port)
      }
    }
    const leave = (last: Uint8Array | undefined) => {
      socket.removeListener("data", onData)
      socket.resume()
      if (last === undefined) socket.destroy()
      else finish(socket, last)
    }
    const connect = (given: string, port: number) => {
      client.busy(1)
      const host = Host.parse(given)
      if (Result.isFailure(host) || port === 0) {
        const message = Result.isFailure(host) ? host.failure : `${Host.shown(given)} has the port 0`
        faulty("socks5_tcp", given, { reason: "malformed", message })
        return finish(socket, Socks5.reply(Socks5.code.notAllowed))
      }
      void tunnel(
        client,
        { protocol: "socks5_tcp", host: host.success, port },
        {
          open: () => void socket.write(Socks5.reply(Socks5.code.succeeded)),
          denied: () => finish(socket, Socks5.reply(Socks5.code.notAllowed)),
          failed: (code) => {
            const { refused, unreachable } = Socks5.code
            finish(socket, Socks5.reply(code === "ECONNREFUSED" ? refused : unreachable))
          },
        },
      )
    }
    socket.on("data", onData)
    onData(first)
  }

  return {
    accept: (socket) => {
      if (closed || clients.size >= mostConnections || upstreams.size >= mostConnections)
        return void socket.destroy()
      const client = new Client(socket, headMillis)
      clients.set(socket, client)
      socket.allowHalfOpen = true
      socket.on("error", () => {})
      socket.on("close", () => {
        clients.delete(socket)
        client.end(isBroken(socket) ? brokenOff : undefined)
      })
      socket.once("data", (first: Uint8Array) => {
        if (first[0] === 5) return socks(client, first)
        socket.pause()
        socket.unshift(first)
        server.emit("connection", socket)
        socket.resume()
      })
    },
    close: () => {
      closed = true
      for (const client of clients.values()) {
        client.end()
        client.socket.destroy()
      }
      for (const upstream of upstreams) upstream.destroy()
    },
  }
}

/** The way of a request back to its client. */
interface Back {
  readonly refuse: (status: number, phrase: string, rule: string | undefined, message: string) => void
  /** Passes an answer on, with these headers in place of its own. */
  readonly answer: (answer: IncomingMessage, headers: Target.RawHeaders) => void
  /** Takes over the connections; `rest` is what came behind the head. Absent where no upgrade was asked. */
  readonly upgrade?:
    | ((answer: IncomingMessage, headers: Target.RawHeaders, upstream: Duplex, rest: Uint8Array) => void)
    | undefined
  /** Calls the listener when the client has left. */
  readonly left: (listener: () => void) => void
}

/** The answers to a client that wants a tunnel. */
interface Reply {
  readonly open: () => void
  readonly denied: (decision: Denied) => void
  readonly failed: (code: string, message: string) => void
}

/** A connection of the process. While it is not busy it has so long to send a head. */
class Client {
  readonly socket: Socket
  private readonly controller = new AbortController()
  private readonly headMillis: number
  private running = 0
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(socket: Socket, headMillis: number) {
    this.socket = socket
    this.headMillis = headMillis
    this.busy(0)
  }

  /** Aborted at the end of the connection. */
  get ends(): AbortSignal {
    return this.controller.signal
  }

  busy(change: number): void {
    this.running += change
    clearTimeout(this.timer)
    if (this.running > 0 || this.ends.aborted) return
    this.timer = setTimeout(() => this.socket.destroy(), this.headMillis)
  }

  end(reason?: typeof brokenOff): void {
    clearTimeout(this.timer)
    this.controller.abort(reason)
  }
}

/** The phrase of a denial: some programs show it, and nothing else. */
const denial = "Blocked by the egress rules of procwire"

const withoutTls = (name: string, host: string): string =>
  `the secret ${name} would go to ${host} where others can read it: use its URL, http://127.0.0.1:PORT/_secret/${name}/, ` +
  "for https, or give the secret http: true"

/** An alert of TLS that ends the connection: access_denied (49). */
const accessDenied = [21, 3, 1, 0, 2, 2, 49]

const brokenOff = "broken off"

/** Writes the last bytes. The peer may go on sending; nobody reads that. */
const finish = (socket: Duplex, last: Uint8Array | string): void => {
  socket.on("error", () => {})
  socket.end(last, () => setTimeout(() => socket.destroy(), lingerMillis))
  socket.resume()
}

/** The time in which a peer reads the last bytes before its connection is reset, in milliseconds. */
const lingerMillis = 1000

/** Ends a connection whose requests are parsed no more. */
const end = (socket: Duplex, status: number, phrase: string, message: string, rule?: string): void => {
  const headers = Object.entries(plain(message, rule)).flat()
  finish(socket, `${headOf(status, phrase, [...headers, "Connection", "close"])}${message}\n`)
}

const plain = (message: string, rule: string | undefined): Record<string, string> => ({
  "Content-Type": "text/plain; charset=utf-8",
  "Content-Length": String(Buffer.byteLength(message) + 1),
  ...(rule === undefined ? {} : { [header]: encodeURI(rule) }),
})

const headOf = (status: number, phrase: string, headers: Target.RawHeaders): string => {
  const lines = headers.flatMap((value, at) => (at % 2 === 1 ? [`${headers[at - 1]}: ${value}\r\n`] : []))
  return `HTTP/1.1 ${status} ${phrase}\r\n${lines.join("")}\r\n`
}

const bracketed = (host: string): string => (host.includes(":") ? `[${host}]` : host)
