/**
 * The holder: owns the children of one server at a time, and keeps those that the server has noted when it is gone.
 *
 * It ends by itself once it has neither a server nor children. Children without a server end after the time that their
 * last server has set, and those that were not noted end with the connection. A server that does not read pauses its
 * children; one that is gone pauses none.
 */
import * as net from "node:net"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Masking from "../../../core/features/secrets/Masking.ts"
import type * as Evidence from "../../../core/spawn/ProcessEvidence.ts"
import type * as Spawner from "../../../core/spawn/Spawner.ts"
import type { TransportError } from "../../../core/transport/Transport.ts"
import * as Sockets from "../transport/Sockets.ts"
import * as UnixSocketFile from "../transport/UnixSocketFile.ts"
import * as FrameSocket from "./FrameSocket.ts"
import { HeldChild } from "./HeldChild.ts"
import * as HolderWire from "./HolderWire.ts"

const { kinds } = HolderWire

/** Options of a holder. */
export interface Options {
  /** The path of its socket. */
  readonly path: string
  /** This process. */
  readonly self: HolderWire.Identity
  /** Starts the children. */
  readonly spawner: Spawner.SpawnerService
  /** Looks at the children. */
  readonly evidence: Evidence.ProcessEvidenceService
  /** Milliseconds that it waits for its first server; the default is 10,000. */
  readonly firstMillis?: number
  /** Called when it listens. */
  readonly listening?: () => void
}

/** The longest time for a hello, in milliseconds. */
const helloMillis = 10_000

/** The time in which the connection of a server that has just died is noticed, in milliseconds. */
const busyMillis = 500

/** The longest time of a timer, in milliseconds: about 25 days. */
const maxTimerMillis = 2 ** 31 - 1

/** Runs a holder; completes when it has nothing to hold any more. Its children end with the scope. */
export const run = (options: Options): Effect.Effect<void, TransportError, Scope.Scope> =>
  Effect.gen(function* () {
    const done = yield* Deferred.make<void>()
    const fork = Effect.runForkWith(yield* Effect.context<never>())
    const holder = new Holder(options, fork, () => Deferred.doneUnsafe(done, Effect.void))
    yield* Effect.addFinalizer(() => holder.close)
    const server = net.createServer((socket) => holder.accept(socket))
    yield* Effect.addFinalizer(() => Effect.sync(() => void server.close()))
    const explain = ({ message }: Error) => `cannot listen on unix:${options.path}: ${message}`
    yield* UnixSocketFile.listen(options.path, (path) => Sockets.listen(server, { path }, explain))
    options.listening?.()
    holder.begin()
    yield* Deferred.await(done)
  })

type Fork = (effect: Effect.Effect<void>) => void

/** A connection, whoever it is. */
interface Connection {
  readonly socket: FrameSocket.FrameSocket
  hello: HolderWire.ServerHello | undefined
  /** True while too much waits to be read by it. */
  slow: boolean
  closed: boolean
}

type Failure = { readonly reason: string; readonly message: string }

class Holder {
  private readonly options: Options
  /** Masks secrets, so that what is retained has none. */
  private readonly spawner: Spawner.SpawnerService
  private readonly fork: Fork
  private readonly done: () => void
  private readonly children = new Map<number, HeldChild>()
  private readonly scopes = new Map<HeldChild, Scope.Closeable>()
  private readonly timers = new Map<HeldChild, NodeJS.Timeout>()
  private readonly connections = new Set<Connection>()
  private readonly waiting = new Set<() => void>()
  /** The ids of the sessions of this server and of those before. */
  private readonly sessions = new Set<string>()
  private server: Connection | undefined
  private next = 1
  /** Children that end right now. */
  private ending = 0
  private ttlMillis = 0
  /** False until the first server has had its time to come. */
  private mayEnd = false
  private over = false

  constructor(options: Options, fork: Fork, done: () => void) {
    this.options = options
    this.spawner = Masking.before(options.spawner)
    this.fork = fork
    this.done = done
  }

  begin(): void {
    setTimeout(() => {
      this.mayEnd = true
      this.endIfIdle()
    }, this.options.firstMillis ?? 10_000).unref()
  }

  /** Ends all children and connections. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    this.over = true
    for (const { socket } of this.connections) socket.destroy()
    for (const timer of this.timers.values()) clearTimeout(timer)
    const scopes = [...this.scopes.values()]
    return Effect.forEach(scopes, (scope) => Scope.close(scope, Exit.void), {
      concurrency: "unbounded",
      discard: true,
    })
  })

  accept(from: net.Socket): void {
    if (this.over) return void from.destroy()
    const late = setTimeout(() => from.destroy(), helloMillis)
    const connection: Connection = {
      socket: FrameSocket.make(from, {
        frame: (frame) => {
          clearTimeout(late)
          if (this.server === connection) this.serve(connection, frame)
          else this.greet(connection, frame)
        },
        drain: () => {
          connection.slow = false
          this.pauseAsWanted()
        },
        broken: (message) =>
          this.refuse(connection, "Broken", `this is not the protocol of a holder: ${message}`),
        close: () => {
          clearTimeout(late)
          connection.closed = true
          this.connections.delete(connection)
          if (this.server === connection) this.leave()
          this.endIfIdle()
        },
      }),
      hello: undefined,
      slow: false,
      closed: false,
    }
    this.connections.add(connection)
    connection.socket.send(
      HolderWire.json(kinds.hello, 0, {
        protocol: HolderWire.protocol,
        features: HolderWire.features.sessions,
        ...this.options.self,
      }),
    )
  }

  private refuse(connection: Connection, reason: HolderWire.Refused["reason"], message: string): void {
    connection.socket.end(HolderWire.json(kinds.refused, 0, { reason, message } satisfies HolderWire.Refused))
  }

  private greet(connection: Connection, { kind, payload }: HolderWire.Frame): void {
    if (connection.hello !== undefined || kind !== kinds.hello)
      throw new HolderWire.BrokenFrame(`a frame of the kind ${kind} before the welcome`)
    const hello = HolderWire.readJson<HolderWire.ServerHello>(payload)
    connection.hello = hello
    if (hello.protocol !== HolderWire.protocol) {
      const text = `the holder ${this.options.self.pid} speaks protocol ${HolderWire.protocol}, not ${hello.protocol}`
      return this.refuse(connection, "Protocol", text)
    }
    if (this.server === undefined) return this.welcome(connection, hello)
    // The end of a server that was killed may come to be known just now.
    const retry = () => {
      clearTimeout(busy)
      this.waiting.delete(retry)
      if (!connection.closed) this.welcome(connection, hello)
    }
    const busy = setTimeout(() => {
      this.waiting.delete(retry)
      this.refuse(connection, "Busy", `the server ${this.server?.hello?.pid} uses this holder`)
    }, busyMillis)
    this.waiting.add(retry)
  }

  private welcome(connection: Connection, hello: HolderWire.ServerHello): void {
    this.server = connection
    this.ttlMillis = hello.ttlMillis ?? this.ttlMillis
    this.mayEnd = true
    const { evidence } = this.options
    const welcome: HolderWire.Welcome = {
      capabilities: this.spawner.capabilities,
      next: this.next,
      tells: evidence.tells,
    }
    connection.socket.send(HolderWire.json(kinds.welcome, 0, welcome))
  }

  /** The server is gone. */
  private leave(): void {
    this.server = undefined
    for (const child of this.children.values()) {
      child.listed = false
      if (!child.served) continue
      child.leave()
      child.unwanted = false
      if (child.note === undefined) this.fork(this.end(child))
      else this.keep(child)
    }
    this.pauseAsWanted()
    const [next] = this.waiting
    next?.()
  }

  /** Keeps a child without a server for its time, which begins again when it ends. */
  private keep(child: HeldChild): void {
    clearTimeout(this.timers.get(child))
    const expire = () => this.fork(this.end(child))
    const endedMillis = child.told ? child.note?.endedMillis : undefined
    const millis = Math.min(this.ttlMillis, endedMillis ?? Infinity, maxTimerMillis)
    this.timers.set(child, setTimeout(expire, millis).unref())
  }

  private endIfIdle(): void {
    if (this.over || !this.mayEnd) return
    if (this.connections.size + this.children.size + this.ending > 0) return
    this.over = true
    this.done()
  }

  private end(child: HeldChild): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (!this.children.delete(child.number)) return Effect.void
      clearTimeout(this.timers.get(child))
      this.timers.delete(child)
      child.leave()
      child.output.onEnded = () => {}
      this.ending += 1
      const scope = this.scopes.get(child)
      const closed = Effect.sync(() => {
        this.scopes.delete(child)
        this.ending -= 1
        this.endIfIdle()
      })
      return Effect.ensuring(scope === undefined ? Effect.void : Scope.close(scope, Exit.void), closed)
    })
  }

  private pauseAsWanted(children: Iterable<HeldChild> = this.children.values()): void {
    for (const child of children) {
      const paused = child.unwanted || child.listed || (child.served && this.server?.slow === true)
      if (paused === child.paused || child.handle === undefined) continue
      child.paused = paused
      if (paused) child.handle.pause?.()
      else child.handle.resume?.()
    }
  }

  private sendTo(connection: Connection): (frame: Buffer) => void {
    return (frame) => {
      if (connection.socket.send(frame) || connection.slow) return
      connection.slow = true
      this.pauseAsWanted()
    }
  }

  private serve(connection: Connection, { kind, child: number, payload }: HolderWire.Frame): void {
    const child = this.children.get(number)
    const { handle } = child ?? {}
    if (kind === kinds.write) return this.write(connection, child, payload)
    if (kind === kinds.placed) return child?.output.placed(...HolderWire.readPlace(payload))
    if (kind === kinds.exitAfter) return child?.output.exitAfter(HolderWire.readPlace(payload)[0])
    if (kind === kinds.note) {
      if (child !== undefined) child.note = HolderWire.readJson(payload)
      return
    }
    if (kind === kinds.told) {
      if (child !== undefined) child.told = true
      return
    }
    if (kind === kinds.session) {
      const { id, open } = HolderWire.readJson<HolderWire.Session>(payload)
      if (open) this.sessions.add(id)
      else this.sessions.delete(id)
      return
    }
    if (kind === kinds.pause || kind === kinds.resume) {
      if (child === undefined) return
      child.unwanted = kind === kinds.pause
      child.listed = false
      return this.pauseAsWanted([child])
    }
    const request = HolderWire.readJson<HolderWire.Request>(payload)
    const answer = <A, E extends Failure>(
      effect: Effect.Effect<A, E>,
      tell: (value: A) => Partial<HolderWire.Reply>,
    ) =>
      this.fork(
        Effect.match(effect, {
          onSuccess: (value) => this.reply(connection, number, { id: request.id, ...tell(value) }),
          onFailure: ({ reason, message }) =>
            this.reply(connection, number, { id: request.id, error: { reason, message } }),
        }),
      )
    const nothing = () => ({})
    const is = (is: boolean) => ({ is })
    switch (kind) {
      case kinds.spawn:
        if (request.spec === undefined || child !== undefined)
          throw new HolderWire.BrokenFrame(`a start of the child ${number}`)
        return answer(this.spawn(connection, number, request.spec), (started) => ({ started }))
      case kinds.endStdin:
        return answer(handle?.endStdin ?? Effect.void, nothing)
      case kinds.signal:
        return answer(handle?.signal(request.name as Spawner.SignalName) ?? Effect.void, nothing)
      case kinds.kill:
        return answer(handle?.kill ?? Effect.void, nothing)
      case kinds.resize: {
        const { size } = request
        if (child === undefined || size === undefined) return answer(Effect.void, nothing)
        if (child.pty) child.size = size
        return answer(handle?.resize?.(size) ?? Effect.void, nothing)
      }
      case kinds.abandonOutput:
        return answer(handle?.abandonOutput ?? Effect.void, nothing)
      case kinds.lingering:
        return answer(handle?.lingering ?? Effect.succeed(false), is)
      case kinds.outlived:
        return answer(handle?.outlived ?? Effect.succeed(false), is)
      case kinds.forget:
        return answer(child === undefined ? Effect.void : this.end(child), nothing)
      case kinds.adopt:
        return answer(this.adopt(connection, child), (started) => ({ started }))
      case kinds.list:
        for (const each of this.children.values()) {
          if (each.served || each.note === undefined) continue
          each.listed = true
          this.pauseAsWanted([each])
          connection.socket.send(HolderWire.json(kinds.left, each.number, each.left()))
        }
        return answer(Effect.void, nothing)
      case kinds.sessions:
        return answer(Effect.void, () => ({ sessions: [...this.sessions] }))
      case kinds.evidence:
        return answer(this.look(request.question), (evidence) => ({ evidence }))
      case kinds.flush:
        return answer(Effect.andThen(readAll, handle?.unread ?? Effect.succeed(false)), (unread) =>
          unread ? { is: true } : {},
        )
      default:
        throw new HolderWire.BrokenFrame(`a frame of the unknown kind ${kind}`)
    }
  }

  private look(question: HolderWire.Question | undefined): Effect.Effect<Evidence.Input | Evidence.Port> {
    if (question === undefined) throw new HolderWire.BrokenFrame("a question without a subject")
    const { evidence } = this.options
    const { host, of, port } = question
    return port === undefined ? evidence.input(of) : evidence.port(of, port, host)
  }

  private reply(connection: Connection, number: number, reply: HolderWire.Reply): void {
    connection.socket.send(HolderWire.json(kinds.reply, number, reply))
  }

  private write(connection: Connection, child: HeldChild | undefined, payload: Buffer): void {
    const { id, writeId, bytes } = HolderWire.readWrite(payload)
    const { handle } = child ?? {}
    if (writeId !== "") child?.writeIds.add(writeId)
    const tell = (error?: Failure) =>
      this.reply(
        connection,
        0,
        error === undefined ? { id } : { id, error: { reason: error.reason, message: "" } },
      )
    if (handle === undefined) return tell({ reason: "Closed", message: "" })
    const written = handle.begin?.(bytes) ?? handle.write(bytes)
    if (written === Effect.void) return tell()
    this.fork(Effect.match(written, { onSuccess: () => tell(), onFailure: tell }))
  }

  private spawn(
    connection: Connection,
    number: number,
    spec: Spawner.SpawnSpec,
  ): Effect.Effect<HolderWire.Started, Failure> {
    return Effect.flatMap(Scope.make(), (scope) => {
      this.next = Math.max(this.next, number + 1)
      const child = new HeldChild(number, spec.stdio)
      child.serve(this.sendTo(connection))
      child.output.onEnded = () => {
        if (!child.served) this.keep(child)
      }
      this.children.set(number, child)
      this.scopes.set(child, scope)
      return Scope.provide(this.spawner.spawn(spec, child.events), scope).pipe(
        Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : this.end(child))),
        Effect.tap((handle) => {
          child.handle = handle
          this.pauseAsWanted([child])
          // The server may have gone meanwhile, and its children with it.
          return this.children.has(number) ? Effect.void : Scope.close(scope, Exit.void)
        }),
        Effect.map(startedOf),
      )
    })
  }

  /** Sends retained output before the reply. */
  private adopt(
    connection: Connection,
    child: HeldChild | undefined,
  ): Effect.Effect<HolderWire.Started, Failure> {
    return Effect.suspend(() => {
      if (child?.handle === undefined || child.served)
        return Effect.fail({ reason: "NotFound", message: "the holder has no such process that is left" })
      clearTimeout(this.timers.get(child))
      this.timers.delete(child)
      const send = this.sendTo(connection)
      child.serve(send)
      child.replay(send)
      child.listed = false
      this.pauseAsWanted([child])
      return Effect.succeed(startedOf(child.handle))
    })
  }
}

/** Completes when all is read that lay in pipes and terminals: each turn of the event loop reads what is there. */
const readAll: Effect.Effect<void> = Effect.callback((resume) => {
  setImmediate(() => setImmediate(() => resume(Effect.void)))
})

const startedOf = (handle: Spawner.ChildHandle): HolderWire.Started => ({
  ...(handle.pid === undefined ? {} : { pid: handle.pid }),
  outlived: handle.outlived !== undefined,
  resize: handle.resize !== undefined,
  pause: handle.pause !== undefined,
})
