/**
 * The hand-over of a place: a server that keeps its processes waits for a successor at a socket beside that of the
 * holder, with the same `--keep-dir`.
 *
 * The successor comes once it has bound what it can bind beside the server that is there. That one then ends, says how
 * many processes it has left, and waits for what becomes of them: it goes on if the successor fails, or says nothing.
 */
import * as net from "node:net"
import process from "node:process"
import { createInterface } from "node:readline"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as ProcessBegin from "../process/ProcessBegin.ts"
import * as Sockets from "../transport/Sockets.ts"
import * as UnixSocketFile from "../transport/UnixSocketFile.ts"
import type { TransportError } from "../../../core/transport/Transport.ts"
import * as HolderPlace from "./HolderPlace.ts"
import { KeepProblem } from "./KeepProblem.ts"

/** The number of this talk. Servers with different numbers do not take over from each other, and nothing happens. */
const version = 1

/** The processes and addresses that a server leaves. */
export interface Left {
  /** The number of its processes. */
  readonly processes: number
  /** Its addresses, in the order of its options. */
  readonly addresses: ReadonlyArray<string>
}

/** A server that takes the place of this one. */
export interface Successor {
  readonly pid: number
  /**
   * Completes when it has bound its addresses: undefined, or why it has not. One that has not is gone then, perhaps
   * with the addresses of this server.
   */
  readonly bound: Effect.Effect<string | undefined>
  /**
   * Tells it what this server has left, and succeeds when it has taken the place: undefined, or why it has not. One
   * that has not is gone then.
   */
  readonly left: (what: Left) => Effect.Effect<string | undefined>
}

/** The server before this one, which waits for the word to leave. */
export interface Predecessor {
  /** Its pid and addresses, in the order of its options, for copies of its sockets; undefined if it allows none. */
  readonly allows: Pick<Greeting, "pid" | "addresses"> | undefined
  /** Asks it to leave, and succeeds when it has. */
  readonly leave: Effect.Effect<Left, KeepProblem>
  /** This server has its place. */
  readonly done: Effect.Effect<void>
}

/** The longest time for each step of a successor, in milliseconds. */
const stepMillis = 60_000

/** The longest time for the end of a successor that was killed, in milliseconds. */
const goneMillis = 5_000

/** The first line of a server; one of an earlier release has the version alone. */
interface Greeting {
  readonly version: number
  readonly pid: number
  readonly addresses: ReadonlyArray<string>
}

/** The first line of a successor. One that asks for copies of sockets gets a line when it may make them. */
interface Hello {
  readonly version: number
  readonly copies?: true
  readonly pid: number
  readonly begin: string
}

/** The server that gives its place. */
export interface Giver {
  /** Its addresses, in the order of its options. */
  readonly addresses: ReadonlyArray<string>
  /** Lets that process copy descriptors of this one. */
  readonly allow: (pid: number) => void
}

/**
 * The next successor, each time: a second one waits until the first one is gone. Those that wait are turned away when
 * the scope closes.
 */
export const successors = (
  folder: string,
  { addresses, allow }: Giver,
): Effect.Effect<Effect.Effect<Successor>, KeepProblem | TransportError, Scope.Scope> =>
  Effect.gen(function* () {
    const place = yield* HolderPlace.make(folder)
    const queue = yield* Queue.make<net.Socket>()
    const waiting = new Set<net.Socket>()
    const server = net.createServer((socket) => {
      socket.on("error", () => {})
      waiting.add(socket)
      Queue.offerUnsafe(queue, socket)
    })
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        server.close()
        for (const socket of waiting) socket.destroy()
      }),
    )
    const explain = ({ message }: Error) => `cannot listen on unix:${place.next}: ${message}`
    yield* UnixSocketFile.listen(place.next, (path) => Sockets.listen(server, { path }, explain))
    const next: Effect.Effect<Successor> = Effect.flatMap(Queue.take(queue), (socket) => {
      const talk = lines(socket)
      const greeted = Effect.suspend(() => {
        talk.say({ version, pid: process.pid, addresses } satisfies Greeting)
        return Effect.timeoutOption(Effect.promise(talk.next), stepMillis)
      })
      return Effect.flatMap(greeted, (line) => {
        waiting.delete(socket)
        const hello = read<Hello>(line._tag === "Some" ? line.value : undefined)
        if (hello?.version !== version) {
          socket.destroy()
          return next
        }
        if (hello.copies === true) {
          allow(hello.pid)
          talk.say({ allowed: true })
        }
        return Effect.succeed(toSuccessor(socket, talk, hello))
      })
    })
    return next
  })

const toSuccessor = (
  socket: net.Socket,
  { next, say }: ReturnType<typeof lines>,
  { begin, pid }: Hello,
): Successor => {
  const isRunning = () => ProcessBegin.running(pid, begin) !== undefined
  const end = Effect.gen(function* () {
    socket.destroy()
    // It may end between the look and the signal.
    if (isRunning()) yield* Effect.ignore(Effect.try(() => process.kill(pid, "SIGKILL")))
    yield* Effect.sync(isRunning).pipe(
      Effect.repeat({ while: (lives) => lives, schedule: Schedule.spaced(10) }),
      Effect.timeoutOption(goneMillis),
    )
  })
  /** Waits for a word. */
  const hears = (word: string): Effect.Effect<string | undefined> =>
    Effect.flatMap(Effect.timeoutOption(Effect.promise(next), stepMillis), (line) => {
      if (line._tag === "None") return Effect.as(end, `it has said nothing within ${stepMillis / 1000} s`)
      if (line.value === word) return Effect.succeed(undefined)
      return Effect.as(end, "it has ended; what it logs says why")
    })
  return {
    pid,
    bound: hears(leave),
    left: (what) =>
      Effect.suspend(() => {
        say(what)
        return Effect.tap(hears(done), () => Effect.sync(() => socket.destroy()))
      }),
  }
}

/** The words of a successor: it has bound its addresses; it has the place. */
const leave = "leave"
const done = "done"

/** Goes to the server before this one, for this server alone; undefined if none is there. */
export const predecessor = (
  folder: string,
): Effect.Effect<Predecessor | undefined, KeepProblem, Scope.Scope> =>
  Effect.gen(function* () {
    const place = yield* HolderPlace.make(folder)
    const socket = yield* Effect.acquireRelease(connect(place.next), (found) =>
      Effect.sync(() => void found?.destroy()),
    )
    if (socket === undefined) return undefined
    const { next, say } = lines(socket)
    const greeting = read<Pick<Greeting, "version"> & Partial<Greeting>>(yield* Effect.promise(next))
    if (greeting === undefined) return yield* refused("another server takes the place of the one there")
    if (greeting.version !== version)
      return yield* refused("the server there is of another release, and does not give its place")
    const { begin, pid } = HolderPlace.self()
    const { pid: other, addresses } = greeting
    const allows = other === undefined || addresses === undefined ? undefined : { pid: other, addresses }
    say({ version, pid, begin, ...(allows === undefined ? {} : { copies: true }) } satisfies Hello)
    if (allows !== undefined) yield* Effect.promise(next)
    return {
      allows,
      leave: Effect.suspend(() => {
        socket.write(`${leave}\n`)
        return Effect.promise(next)
      }).pipe(
        Effect.flatMap((line) => {
          const left = read<Left>(line)
          return left === undefined
            ? refused("the server there does not give its place")
            : Effect.succeed(left)
        }),
      ),
      done: Effect.callback<void>((resume) => void socket.write(`${done}\n`, () => resume(Effect.void))),
    }
  })

const refused = (message: string) => Effect.fail(new KeepProblem({ reason: "Busy", message }))

const read = <A>(line: string | undefined): A | undefined => {
  try {
    return line === undefined ? undefined : (JSON.parse(line) as A)
  } catch {
    return undefined
  }
}

/** A connection; undefined if there is no listener. */
const connect = (path: string): Effect.Effect<net.Socket | undefined> =>
  Effect.callback((resume) => {
    const socket = net.connect({ path })
    socket.once("connect", () => resume(Effect.succeed(socket)))
    socket.on("error", () => resume(Effect.succeed(undefined)))
    return Effect.sync(() => socket.destroy())
  })

/** Talks in lines. `next` is undefined at the end. */
const lines = (socket: net.Socket) => {
  const all = createInterface({ input: socket })[Symbol.asyncIterator]()
  return {
    next: async (): Promise<string | undefined> => {
      const { done, value } = await all.next()
      return done === true ? undefined : value
    },
    say: (what: object) => void socket.write(`${JSON.stringify(what)}\n`),
  }
}
