/**
 * Connections from within the network of a child. In the network of this process they are plain ones. In a network
 * namespace of its own, `procwire netns` is started there, in the user namespace that owns it; it makes sockets, which
 * are copied out and connected here: a socket stays in the namespace that it was made in. No process relays.
 */
import * as net from "node:net"
import process from "node:process"
import { getSystemErrorName } from "node:util"
import * as Effect from "effect/Effect"
import * as RcRef from "effect/RcRef"
import * as Semaphore from "effect/Semaphore"
import * as Address from "../../../core/features/egress/Address.ts"
import { PortError } from "../../../core/spawn/ProcessPorts.ts"
import type * as Spawner from "../../../core/spawn/Spawner.ts"
import * as Bubblewrap from "../confine/Bubblewrap.ts"
import * as OwnProgram from "../confine/OwnProgram.ts"
import * as Maker from "../egress/namespace/Maker.ts"
import * as Mint from "../egress/namespace/Mint.ts"
import type { Ffi } from "../process/posix/Ffi.ts"
import * as Libc from "../process/posix/Libc.ts"
import * as LibcKernelFiles from "../process/posix/LibcKernelFiles.ts"
import type { OpenRoute } from "./Listener.ts"

export interface Options {
  /** Starts processes of our own. */
  readonly spawner: Spawner.SpawnerService
  readonly openFfi: () => Ffi
  /** True if this process is the program procwire. */
  readonly isCommand: boolean
}

/** The process in a namespace ends after this time without a connection to make. */
const idle = "10 seconds"
/** The longest time until a connection is there. */
const longestMillis = 10_000
/** linux/nsfs.h: a descriptor of the user namespace that owns another one. */
const NS_GET_USERNS = 0xb701
/** asm-generic/errno.h and socket.h, linux/poll.h. */
const EINPROGRESS = 115
const [SOL_SOCKET, SO_ERROR, POLLOUT] = [1, 4, 4]

const fail = (message: string) => new PortError({ message })

/** Opens ways to sockets of children. */
export const make = ({ spawner, openFfi, isCommand }: Options): OpenRoute => {
  let calls: Calls | undefined
  return ({ pid, host, port }) =>
    Effect.gen(function* () {
      const { ffi, links, open, owner, close, connect } = yield* Maker.attempt(
        fail,
        () => (calls ??= bind(openFfi())),
      )
      const addresses = reachedAt(host)
      const within = links(`/proc/${pid}/ns/net`)
      if (within === "") return yield* fail(`the network of process ${pid} cannot be seen`)
      if (within === links("/proc/self/ns/net"))
        return { connect: firstOf(addresses, (address) => plain(address, port)) }

      const nsenter = Bubblewrap.findIn("nsenter")
      const command = OwnProgram.find(isCommand)
      if (nsenter === undefined)
        return yield* fail("nsenter is not in the PATH of the server (it is part of util-linux)")
      if (command === undefined)
        return yield* fail("the program procwire is not beside this one, which was bundled")
      const held = (make: () => number) =>
        Effect.acquireRelease(Maker.attempt(fail, make), (fd) => Effect.sync(() => close(fd)))
      const network = yield* held(() => open(`/proc/${pid}/ns/net`))
      const user = yield* held(() => owner(network))
      const fd = (number: number) => `/proc/${process.pid}/fd/${number}`
      const isOwn = links(fd(user)) === links("/proc/self/ns/user")
      const enter = [
        nsenter,
        "--preserve-credentials",
        ...(isOwn ? [] : [`--user=${fd(user)}`]),
        `--net=${fd(network)}`,
        "--",
      ]
      const started = Effect.mapError(Maker.start({ spawner, command, ffi, enter }, fail), toError)
      const maker = yield* RcRef.make({ acquire: started, idleTimeToLive: idle })
      const turn = Semaphore.makeUnsafe(1)
      const socket = (kind: number) =>
        Effect.flatMap(Maker.living(maker), ({ ask, copy, drop }) =>
          Effect.gen(function* () {
            const line = yield* ask(kind)
            if (!/^\d+$/.test(line)) return yield* fail(line.replace(/^! /, ""))
            const own = yield* Maker.attempt(fail, () => copy(Number(line)))
            yield* drop
            return own
          }).pipe(Effect.uninterruptible, turn.withPermits(1)),
        ).pipe(Effect.scoped)
      return {
        connect: firstOf(addresses, (address) =>
          Effect.flatMap(socket(address.bits === 32 ? Mint.SOCKET4 : Mint.SOCKET6), (own) =>
            connect(own, address, port),
          ),
        ),
      }
    })
}

const toError = (error: { readonly message: string }) => fail(error.message)

/** The addresses at which a socket with this one is reached. */
const reachedAt = (host: string): ReadonlyArray<Address.Address> => {
  const texts = host === "0.0.0.0" ? ["127.0.0.1"] : host === "::" ? ["127.0.0.1", "::1"] : [host]
  return texts.flatMap((text) => Address.parse(text) ?? [])
}

/** The connection to the first of them that takes one. */
const firstOf = (
  addresses: ReadonlyArray<Address.Address>,
  connect: (address: Address.Address) => Effect.Effect<net.Socket, PortError>,
): Effect.Effect<net.Socket, PortError> => {
  const [first, ...others] = addresses
  if (first === undefined) return Effect.fail(fail("its address is none of IP"))
  const one = connect(first)
  return others.length === 0 ? one : Effect.catch(one, () => firstOf(others, connect))
}

const plain = (address: Address.Address, port: number): Effect.Effect<net.Socket, PortError> =>
  Effect.callback((resume) => {
    const socket = net.connect({ host: Address.toText(address), port, allowHalfOpen: true, noDelay: true })
    socket.once("error", ({ message }) => resume(Effect.fail(fail(message))))
    socket.once("connect", () => resume(Effect.succeed(socket)))
    return Effect.sync(() => socket.destroy())
  })

type Calls = ReturnType<typeof bind>

/** Throws if the C library cannot be called, or lacks a function. */
const bind = (ffi: Ffi) => {
  const files = LibcKernelFiles.make(ffi, Libc.bind(ffi))
  const open = ffi.bind("open", ["text", "int"])
  const ioctl = ffi.bind("ioctl", ["int", "long", "long"])
  const closeFd = ffi.bind("close", ["int"])
  const connectFd = ffi.bind("connect", ["int", "buffer", "int"])
  const poll = ffi.bind("poll", ["buffer", "long", "int"])
  const getsockopt = ffi.bind("getsockopt", ["int", "int", "int", "buffer", "buffer"])
  const check = (call: string, result: number): number => {
    if (result < 0) throw new Error(`${call}: ${getSystemErrorName(-ffi.errno())}`)
    return result
  }
  const close = (fd: number) => void closeFd(fd)

  const begin = (fd: number, address: Address.Address, port: number) => {
    const to = toSockaddr(address, port)
    if (connectFd(fd, to, to.length) < 0 && ffi.errno() !== EINPROGRESS) check("connect", -1)
  }
  const isReady = (fd: number): boolean => {
    if (poll(Int32Array.of(fd, POLLOUT), 1, 0) <= 0) return false
    const [error, length] = [new Int32Array(1), Int32Array.of(4)]
    check("getsockopt", getsockopt(fd, SOL_SOCKET, SO_ERROR, error, length))
    if (error[0] !== 0) throw new Error(`connect: ${getSystemErrorName(-(error[0] ?? 0))}`)
    return true
  }
  /** Connects a socket that never blocks. The descriptor is that of the answer, or closed. */
  const connect = (
    fd: number,
    address: Address.Address,
    port: number,
  ): Effect.Effect<net.Socket, PortError> =>
    Effect.gen(function* () {
      yield* Maker.attempt(fail, () => begin(fd, address, port))
      // On a loopback it is ready at once, unless the queue of the listener is full.
      for (let [pause, waited] = [1, 0]; !(yield* Maker.attempt(fail, () => isReady(fd)));) {
        if (waited > longestMillis) return yield* fail("connect: ETIMEDOUT")
        yield* Effect.sleep(pause)
        ;[waited, pause] = [waited + pause, Math.min(2 * pause, 50)]
      }
      return yield* Maker.attempt(fail, () => toSocket(fd))
    }).pipe(Effect.onError(() => Effect.sync(() => close(fd))))

  return {
    ffi,
    links: files.readLink,
    /** Throws. */
    open: (path: string) => check("the network of the process", open(path, Libc.O_CLOEXEC)),
    /** Throws. */
    owner: (fd: number) => check("the owner of the network", ioctl(fd, NS_GET_USERNS, 0)),
    close,
    connect,
  }
}

/** `struct sockaddr_in`, or `struct sockaddr_in6`. */
const toSockaddr = ({ bits, value }: Address.Address, port: number): Uint8Array => {
  const bytes = new Uint8Array(bits === 32 ? 16 : 28)
  const view = new DataView(bytes.buffer)
  view.setUint16(0, bits === 32 ? Mint.AF_INET : Mint.AF_INET6, true)
  view.setUint16(2, port)
  const [at, count] = bits === 32 ? [4, 4] : [8, 16]
  for (let index = 0; index < count; index++)
    view.setUint8(at + index, Number((value >> BigInt(8 * (count - 1 - index))) & 0xffn))
  return bytes
}

/** A connected descriptor as a socket. Bun takes one as a connection alone. */
const toSocket = (fd: number): net.Socket => {
  const given = { fd, allowHalfOpen: true }
  const socket =
    "Bun" in globalThis
      ? net.connect(given as unknown as net.TcpNetConnectOpts)
      : new net.Socket({ ...given, readable: true, writable: true })
  socket.setNoDelay(true)
  return socket
}
