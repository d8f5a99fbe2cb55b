/**
 * The way into the network namespace of a process that runs. `procwire netns` is started there, in the user namespace
 * that owns it; it makes sockets, which are copied out. A socket stays in the namespace that it was made in.
 */
import process from "node:process"
import { getSystemErrorName } from "node:util"
import * as Effect from "effect/Effect"
import * as RcRef from "effect/RcRef"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type * as Spawner from "../../../../core/spawn/Spawner.ts"
import * as Bubblewrap from "../../confine/Bubblewrap.ts"
import * as OwnProgram from "../../confine/OwnProgram.ts"
import type { Ffi } from "../../process/posix/Ffi.ts"
import * as Libc from "../../process/posix/Libc.ts"
import * as LibcKernelFiles from "../../process/posix/LibcKernelFiles.ts"
import * as Maker from "./Maker.ts"
import * as Mint from "./Mint.ts"

export interface Options {
  /** Starts processes of our own. */
  readonly spawner: Spawner.SpawnerService
  /** True if this process is the program procwire. */
  readonly isCommand: boolean
}

/** A way in. */
export interface Entrance<E> {
  /** The name of the namespace, which no other one has while a process is in it. */
  readonly network: string
  /** A socket there, of one of the kinds of `Mint`; it never blocks, and is closed on exec. */
  readonly socket: (kind: number) => Effect.Effect<number, E>
  /** A socket there that listens on this port of 127.0.0.1. */
  readonly listener: (port: number) => Effect.Effect<number, E>
}

/** The namespaces of processes. */
export interface Entrances {
  /** The name of the network namespace at a path of /proc, as the kernel gives it; empty if it cannot be seen. */
  readonly nameAt: (path: string) => string
  /** Opens the way into it, until the scope ends. Nothing is started before the first socket. */
  readonly open: <E>(
    options: Options,
    pid: number,
    fail: Maker.Fail<E>,
  ) => Effect.Effect<Entrance<E>, E, Scope.Scope>
}

/** The process in a namespace ends after this time without a socket to make. */
const idle = "10 seconds"
/** A server that ends holds its sockets a little longer. */
const freed = { schedule: Schedule.spaced("50 millis"), times: 40 }
/** linux/nsfs.h: a descriptor of the user namespace that owns another one. */
const NS_GET_USERNS = 0xb701

/** Throws if the C library lacks a function. */
export const make = (ffi: Ffi): Entrances => {
  const { readLink } = LibcKernelFiles.make(ffi, Libc.bind(ffi))
  const openFile = ffi.bind("open", ["text", "int"])
  const ioctl = ffi.bind("ioctl", ["int", "long", "long"])
  const close = ffi.bind("close", ["int"])
  const listen = Mint.bindListen(ffi)
  const check = (call: string, result: number): number => {
    if (result < 0) throw new Error(`${call}: ${getSystemErrorName(-ffi.errno())}`)
    return result
  }
  const networkOf = (pid: number) =>
    check("the network of the process", openFile(`/proc/${pid}/ns/net`, Libc.O_CLOEXEC))
  const ownerOf = (network: number) => check("the owner of the network", ioctl(network, NS_GET_USERNS, 0))

  return {
    nameAt: readLink,
    open: ({ spawner, isCommand }, pid, fail) =>
      Effect.gen(function* () {
        const nsenter = Bubblewrap.findIn("nsenter")
        const command = OwnProgram.find(isCommand)
        if (nsenter === undefined)
          return yield* Effect.fail(
            fail("nsenter is not in the PATH of the server (it is part of util-linux)"),
          )
        if (command === undefined)
          return yield* Effect.fail(fail("the program procwire is not beside this one, which was bundled"))
        const held = (make: () => number) =>
          Effect.acquireRelease(Maker.attempt(fail, make), (fd) => Effect.sync(() => void close(fd)))
        const network = yield* held(() => networkOf(pid))
        const user = yield* held(() => ownerOf(network))
        const path = (fd: number) => `/proc/${process.pid}/fd/${fd}`
        const isOwn = readLink(path(user)) === readLink("/proc/self/ns/user")
        const enter = [
          nsenter,
          "--preserve-credentials",
          ...(isOwn ? [] : [`--user=${path(user)}`]),
          `--net=${path(network)}`,
          "--",
        ]
        const started = Effect.mapError(Maker.start({ spawner, command, ffi, enter }, fail), (error) =>
          fail((error as Error).message, error),
        )
        const maker = yield* RcRef.make({ acquire: started, idleTimeToLive: idle })
        const turn = Semaphore.makeUnsafe(1)
        const socket = (kind: number) =>
          Effect.flatMap(Maker.living(maker), ({ ask, copy, drop }) =>
            Effect.gen(function* () {
              const line = yield* ask(kind)
              if (!/^\d+$/.test(line)) return yield* Effect.fail(fail(line.replace(/^! /, "")))
              const own = yield* Maker.attempt(fail, () => copy(Number(line)))
              yield* drop
              return own
            }).pipe(Effect.uninterruptible, turn.withPermits(1)),
          ).pipe(Effect.scoped)
        return {
          network: readLink(path(network)),
          socket,
          listener: (port) =>
            Effect.flatMap(socket(Mint.SOCKET4), (fd) =>
              Maker.attempt(fail, () => listen(fd, port)).pipe(
                Effect.retry(freed),
                Effect.onError(() => Effect.sync(() => void close(fd))),
                Effect.as(fd),
              ),
            ),
        }
      }),
  }
}
