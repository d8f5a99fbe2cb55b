// @ts-check
/**
 * Sits between the suite and a server, and is wrong in one thing. Each near connection has a far one; what a fault does
 * not change passes as it came. A reader that stops holds up the writer.
 */
import { WebSocket, WebSocketServer } from "real-ws"

/** @typedef {{ [name: string]: any }} Message */

/**
 * The messages in place of one: nothing (`[]`), others, texts that are no messages; undefined: the message itself.
 * @typedef {undefined | Message | string | ReadonlyArray<Message | string>} Instead
 */

/**
 * The changes that a fault makes, all of them optional. `known` is for what a fault keeps of the process that a message
 * is about, one for each connection.
 * @typedef {object} Hooks
 * @property {() => void} [opened]
 * @property {(bytes: Buffer) => string | undefined} [bytes] what has come from the client, before it is read
 * @property {(text: string) => Instead} [malformed] what has come from the client and is no JSON
 * @property {(message: Message, known: Message) => Instead | Promise<Instead>} [asked] a message of the client
 * @property {(answer: Message, request: Message, known: Message) => Instead | Promise<Instead>} [answered]
 * @property {(notification: Message, known: Message) => Instead | Promise<Instead>} [told]
 * @property {() => unknown} [left] the client has left; false leaves the far connection open
 * @property {() => unknown} [ended] the server has ended; false leaves the near connection open, a number is its code
 */

/**
 * The state that all connections of a server share; faults keep what they like in it.
 * @typedef {object} Server
 * @property {Set<Connection>} connections
 * @property {Map<unknown, Set<string>>} processes the ids of processes by the ids of their sessions
 * @property {() => void} die ends the server as a crash would
 * @property {{ [name: string]: any }} notes
 */

/**
 * One client at the server.
 * @typedef {object} Connection
 * @property {Server} server
 * @property {string | undefined} session
 * @property {Message} greeting the params of its `initialize`
 * @property {boolean} ready whether the client has sent `initialized`
 * @property {Map<string, Message>} waiting its requests without an answer, by the JSON of their ids
 * @property {(message: Message) => void} push sends to the server
 * @property {(message: Message | string) => void} tell sends to the client
 * @property {(method: string, params: object) => Promise<Message>} ask asks the server, unseen by the client
 * @property {(request: Message, result: unknown) => []} reply answers for the server
 * @property {(request: Message, code: number, message?: string) => []} refuse
 * @property {() => void} end ends the near connection
 */

/** @typedef {Hooks | ((connection: Connection) => Hooks)} Fault */

/**
 * One end of a relay.
 * @typedef {object} End
 * @property {(data: string | Buffer, source: End) => void} send holds up the source while too much is on its way
 * @property {() => void} pause
 * @property {() => void} resume
 * @property {(code?: number) => void} close
 * @property {(heard: (bytes: Buffer) => void, closed: (code?: number) => void) => void} listen
 */

/** So many bytes may be on their way to an end. */
const most = 1024 * 1024

/** The most bytes of a frame. */
const frame = 8 * 1024 * 1024

/** @param {WebSocket} socket @returns {End} */
const overSocket = (socket) => ({
  send: (data, source) => {
    const bytes = Buffer.from(data)
    for (let at = 0; at === 0 || at < bytes.length; at += frame) {
      const options = { binary: false, fin: at + frame >= bytes.length }
      socket.send(
        bytes.subarray(at, at + frame),
        options,
        () => socket.bufferedAmount < most && source.resume(),
      )
    }
    if (socket.bufferedAmount >= most) source.pause()
  },
  pause: () => socket.pause(),
  resume: () => socket.resume(),
  close: (code) => {
    if (code === 1006) socket.terminate()
    else socket.close(code === 1005 ? undefined : code)
  },
  listen: (heard, closed) => {
    socket.on("message", (bytes) => heard(/** @type {Buffer} */ (bytes)))
    socket.on("error", () => socket.terminate())
    socket.on("close", closed)
  },
})

/** @param {NodeJS.ReadableStream} input @param {NodeJS.WritableStream} output @returns {End} */
export const overStreams = (input, output) => ({
  send: (data, source) => {
    if (output.write(Buffer.concat([Buffer.from(data), Buffer.from("\n")]))) return
    source.pause()
    output.once("drain", source.resume)
  },
  pause: () => void input.pause(),
  resume: () => void input.resume(),
  close: () => void output.end(),
  listen: (heard, closed) => {
    /** @type {Buffer[]} */
    let held = []
    input.on("data", (/** @type {Buffer} */ bytes) => {
      let from = 0
      for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, from)) {
        heard(Buffer.concat([...held, bytes.subarray(from, at)]))
        held = []
        from = at + 1
      }
      if (from < bytes.length) held.push(bytes.subarray(from))
    })
    input.on("end", closed)
    output.on("error", () => {})
  },
})

/** @param {string} text @returns {Message | undefined} */
const parsed = (text) => {
  try {
    const value = JSON.parse(text)
    return typeof value === "object" && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** @returns {Server} */
export const newServer = (die = () => {}) => ({
  connections: new Set(),
  processes: new Map(),
  die,
  notes: {},
})

/** @param {string | Message} one */
const textOf = (one) => (typeof one === "string" ? one : JSON.stringify(one))

/**
 * A connection, and what waits for answers to the relay, by the id of its request.
 * @param {End} near
 * @param {End} far
 * @param {Server} server
 * @returns {{ connection: Connection, asking: Map<string, (answer: Message) => void> }}
 */
const connectionOf = (near, far, server) => {
  const asking = new Map()
  /** @type {Connection} */
  const connection = {
    server,
    session: undefined,
    greeting: {},
    ready: false,
    waiting: new Map(),
    push: (message) => far.send(textOf(message), near),
    tell: (message) => near.send(textOf(message), far),
    ask: (method, params) =>
      new Promise((resolve) => {
        const id = `relay ${asking.size} ${Math.random()}`
        asking.set(id, resolve)
        connection.push({ id, method, params })
      }),
    reply: ({ id }, result) => (connection.tell({ id, result }), []),
    refuse: ({ id }, code, message = "no") => (connection.tell({ id, error: { code, message } }), []),
    end: () => near.close(1006),
  }
  return { connection, asking }
}

/** Joins two ends. @param {End} near @param {End} far @param {Fault} fault @param {Server} server */
export const join = (near, far, fault, server) => {
  const { connection, asking } = connectionOf(near, far, server)
  const hooks = typeof fault === "function" ? fault(connection) : fault
  /** @type {Map<unknown, Message>} */
  const known = new Map()
  const about = (/** @type {Message} */ { params }) => {
    const found = known.get(params?.processId) ?? {}
    known.set(params?.processId, found)
    return found
  }
  /**
   * @param {Instead | Promise<Instead>} instead
   * @param {Message | string} message
   * @param {Buffer} bytes
   * @param {[to: End, from: End]} way
   */
  const pass = (instead, message, bytes, [to, from]) => {
    if (instead instanceof Promise)
      return void instead.then((later) => pass(later, message, bytes, [to, from]))
    for (const one of instead === undefined ? [message] : [instead].flat())
      to.send(one === message ? bytes : textOf(one), from)
  }
  near.listen(
    (came) => {
      const changed = hooks.bytes?.(came)
      const bytes = changed === undefined ? came : Buffer.from(changed)
      const message = parsed(String(bytes))
      if (message === undefined) return pass(hooks.malformed?.(String(bytes)), "", bytes, [far, near])
      const { id, method } = message
      if (id !== undefined && method !== undefined) connection.waiting.set(JSON.stringify(id), message)
      if (method === "initialize") connection.greeting = message.params ?? {}
      if (method === "initialized") connection.ready = true
      return pass(hooks.asked?.(message, about(message)), message, bytes, [far, near])
    },
    async (code) => {
      server.connections.delete(connection)
      if ((await hooks.left?.()) !== false) far.close(code)
    },
  )
  far.listen(
    (bytes) => {
      const message = parsed(String(bytes)) ?? {}
      if (message.method !== undefined)
        return pass(hooks.told?.(message, about(message)), message, bytes, [near, far])
      const own = asking.get(message.id)
      if (asking.delete(message.id)) return own?.(message)
      const request = connection.waiting.get(JSON.stringify(message.id)) ?? {}
      connection.waiting.delete(JSON.stringify(message.id))
      const { method, params } = request
      if (method === "initialize") connection.session = message.result?.sessionId
      const ids = server.processes.get(connection.session) ?? new Set()
      if (method === "process/start" && message.result !== undefined)
        server.processes.set(connection.session, ids.add(params.processId))
      return pass(hooks.answered?.(message, request, about(request)), message, bytes, [near, far])
    },
    (code) => {
      for (const resolve of asking.values()) resolve({ error: { code: 0, message: "it has ended" } })
      const told = hooks.ended?.()
      if (told !== false) near.close(typeof told === "number" ? told : code)
    },
  )
  server.connections.add(connection)
  hooks.opened?.()
}

/**
 * Listens for clients of the server at `url`; where.
 * @param {string} url
 * @param {{ relay: Fault, maxPayload?: number }} fault
 * @param {number} [port]
 * @returns {Promise<{ url: string, close: () => void }>}
 */
export const listen = (url, { relay, maxPayload = 512 * 1024 * 1024 }, port = 0) => {
  const options = { maxPayload, perMessageDeflate: false }
  const near = new WebSocketServer({ host: "127.0.0.1", port, ...options })
  const server = newServer()
  near.on("connection", (socket) => {
    socket.pause()
    const far = new WebSocket(url, options)
    far.on("open", () => socket.resume())
    join(overSocket(socket), overSocket(far), relay, server)
  })
  const close = () => {
    near.close()
    for (const socket of near.clients) socket.terminate()
  }
  return new Promise((resolve, reject) => {
    near.on("error", reject)
    near.on("listening", () => {
      const { port: bound } = /** @type {import("node:net").AddressInfo} */ (near.address())
      resolve({ url: `ws://127.0.0.1:${bound}`, close })
    })
  })
}
