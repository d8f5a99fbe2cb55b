/**
 * Network namespaces for children, each with a socket on its loopback that this process listens on. A child that is
 * started in one reaches nothing else: there is no route, and no other child is in it.
 *
 * A process of our own makes them (`Mint.ts`), in a user namespace, so none of this needs root. It is started with the
 * first one, makes a few ahead, and ends after a while without a taker. The descriptors are copied out of it with
 * `pidfd_getfd`, which needs Linux 5.6.
 */
import * as net from "node:net"
import { getSystemErrorName } from "node:util"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as RcRef from "effect/RcRef"
import * as Scope from "effect/Scope"
import type { SpawnError } from "../../../../core/spawn/SpawnError.ts"
import type * as Spawner from "../../../../core/spawn/Spawner.ts"
import * as OwnProgram from "../../confine/OwnProgram.ts"
import type { Ffi } from "../../process/posix/Ffi.ts"
import * as Sockets from "../../transport/Sockets.ts"
import * as Mint from "./Mint.ts"
import * as Unkept from "./Unkept.ts"

/** A namespace. Its descriptors are of this process; children do not inherit them. */
export interface Namespace {
  readonly network: number
  /** The user namespace that owns it. */
  readonly user: number
  /** The port on 127.0.0.1 in the namespace. */
  readonly port: number
  /** Serves the connections to the port until the scope ends, and then ends them. To be called once. */
  readonly listen: (serve: (socket: net.Socket) => void) => Effect.Effect<void, SpawnError, Scope.Scope>
}

export interface Namespaces {
  /** One that nobody else has, until the scope ends. */
  readonly take: Effect.Effect<Namespace, SpawnError, Scope.Scope>
}

export interface Options {
  /** Starts the process that makes them. */
  readonly spawner: Spawner.SpawnerService
  /** The path of bubblewrap. */
  readonly bubblewrap: string
  /** The program procwire. */
  readonly command: OwnProgram.Command
  readonly ffi: Ffi
}

/** The namespaces that are made ahead. */
const AHEAD = 3
/** The process that makes them ends after this time without a taker. */
const idle = "10 seconds"
/** Only a hang reaches this deadline of a namespace: a starved machine takes its time. */
const longest = "60 seconds"
/** System calls, by the same numbers on every 64-bit Linux that the runtimes know: asm-generic/unistd.h. */
const PIDFD_OPEN = 434
const PIDFD_GETFD = 438

/** Nothing is started before the first one is taken. */
export const make = (options: Options): Effect.Effect<Namespaces, never, Scope.Scope> =>
  Effect.gen(function* () {
    const mint = yield* RcRef.make({ acquire: start(options), idleTimeToLive: idle })
    const living = Effect.flatMap(RcRef.get(mint), (each) =>
      each.hasEnded() ? Effect.andThen(RcRef.invalidate(mint), RcRef.get(mint)) : Effect.succeed(each),
    )
    const take = Effect.flatMap(Effect.scope, (scope) =>
      Effect.scoped(Effect.flatMap(living, (each) => each.takeInto(scope))),
    )
    return { take: Effect.tapError(take, () => RcRef.invalidate(mint)) }
  })

/** Starts the process that makes namespaces. */
const start = ({ spawner, bubblewrap, command, ffi }: Options) =>
  Effect.gen(function* () {
    const own = yield* attempt(() => OwnProgram.make(command, true, ["netns"], ""))
    const calls = yield* attempt(() => bind(ffi))
    const lines = yield* Queue.unbounded<string, SpawnError>()
    const child = yield* spawner.spawn(
      {
        argv: [bubblewrap, "--unshare-user", "--cap-add", "ALL", "--dev-bind", "/", "/", "--", ...own.argv],
        cwd: "/",
        env: own.env,
        stdio: { kind: "pipe", stdin: true },
      },
      eventsInto(lines),
    )
    const line = Effect.timeoutOrElse(Queue.take(lines), {
      duration: longest,
      orElse: () => Effect.fail(Unkept.make("no network namespace is made in time")),
    })
    const ask = (request: number) =>
      Effect.mapError(child.write(Uint8Array.of(request)), (cause) => Unkept.make(ended, cause))
    const pid = Number(yield* line)
    const pidfd = yield* Effect.acquireRelease(
      attempt(() => calls.openProcess(pid)),
      (fd) => Effect.sync(() => calls.close(fd)),
    )
    /** Those that nobody has taken. */
    const ahead = new Set<Held>()
    yield* Effect.addFinalizer(() => Effect.sync(() => ahead.forEach((held) => held.release())))
    // The descriptor of the process was opened before the answer came, so it is of the process that has answered.
    const one = Effect.gen(function* () {
      yield* ask(Mint.MAKE)
      const made = Mint.decode(yield* line)
      if (typeof made === "string") return yield* Effect.fail(Unkept.make(made))
      const held = yield* attempt(() => {
        const copy = hold(calls, pidfd, made)
        ahead.add(copy)
        return copy
      })
      yield* ask(Mint.DROP)
      return held
    })
    const ready = yield* Queue.bounded<Held, SpawnError>(AHEAD)
    yield* one.pipe(
      Effect.flatMap((held) => Queue.offer(ready, held)),
      Effect.forever,
      Effect.catch((cause) => Queue.fail(ready, cause)),
      Effect.forkScoped,
    )
    const takeInto = (scope: Scope.Scope) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const held = yield* restore(Queue.take(ready))
          ahead.delete(held)
          yield* Scope.addFinalizer(
            scope,
            Effect.sync(() => held.release()),
          )
          return held.namespace
        }),
      )
    return { takeInto, hasEnded: () => lines.state._tag !== "Open" }
  })

const ended = "what makes network namespaces has ended"

const attempt = <A>(evaluate: () => A) =>
  Effect.try({
    try: evaluate,
    catch: (cause) => Unkept.make(cause instanceof Error ? cause.message : String(cause), cause),
  })

/** The events of that process: its lines, and after its end a failure with its last words. */
const eventsInto = (lines: Queue.Enqueue<string, SpawnError>): Spawner.SpawnEvents => {
  const texts = { stdout: "", stderr: "" }
  let open = 2
  return {
    output: (stream, bytes) => {
      const text = new TextDecoder().decode(bytes)
      if (stream === "stderr") texts.stderr += text
      if (stream !== "stdout") return
      const whole = (texts.stdout + text).split("\n")
      texts.stdout = whole.pop() ?? ""
      for (const each of whole) Queue.offerUnsafe(lines, each)
    },
    end: () => {
      open--
      if (open === 0) Queue.failCauseUnsafe(lines, Cause.fail(Unkept.make(texts.stderr.trim() || ended)))
    },
    exit: () => {},
  }
}

interface Calls {
  /** Throws. */
  readonly openProcess: (pid: number) => number
  /** A copy of a descriptor of another process; it is closed on exec. Throws. */
  readonly copy: (pidfd: number, fd: number) => number
  readonly close: (fd: number) => void
}

/** Throws if the C library lacks one of the functions. */
const bind = (ffi: Ffi): Calls => {
  const syscall = ffi.bind("syscall", ["long", "long", "long", "long"], "long")
  const close = ffi.bind("close", ["int"])
  const call = (name: string, ...args: [number: number, first: number, second: number]) => {
    const fd = syscall(...args, 0)
    if (fd < 0) throw new Error(`${name}: ${getSystemErrorName(-ffi.errno())}`)
    return fd
  }
  return {
    openProcess: (pid) => call("pidfd_open", PIDFD_OPEN, pid, 0),
    copy: (pidfd, fd) => call("pidfd_getfd", PIDFD_GETFD, pidfd, fd),
    close: (fd) => void close(fd),
  }
}

interface Held {
  readonly namespace: Namespace
  readonly release: () => void
}

/** Copies the descriptors of a namespace. Throws, and holds none then. */
const hold = (calls: Calls, pidfd: number, made: Mint.Made): Held => {
  const fds = new Set<number>()
  const release = () => {
    for (const fd of fds) calls.close(fd)
    fds.clear()
  }
  const copy = (fd: number) => {
    const own = calls.copy(pidfd, fd)
    fds.add(own)
    return own
  }
  try {
    const [network, user, listener] = [copy(made.network), copy(made.user), copy(made.listener)]
    const listen: Namespace["listen"] = (serve) =>
      Effect.gen(function* () {
        const track = yield* Sockets.track
        const server = yield* Effect.acquireRelease(
          Effect.sync(() => net.createServer({ allowHalfOpen: true })),
          (each) => Effect.sync(() => each.close()),
        )
        server.on("connection", (socket) => {
          track(socket)
          serve(socket)
        })
        // From here on it is the server that closes it.
        fds.delete(listener)
        yield* Sockets.listen(server, { fd: listener }, ({ message }) => message).pipe(
          Effect.mapError((cause) => Unkept.make(cause.message, cause)),
        )
      })
    return { namespace: { network, user, port: made.port, listen }, release }
  } catch (cause) {
    release()
    throw cause
  }
}
