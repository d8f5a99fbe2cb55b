/**
 * Connections from within the network of a child. In the network of this process they are plain ones. In a network
 * namespace of its own, sockets are made there, and connected here. No process relays.
 */
import * as net from "node:net"
import { getSystemErrorName } from "node:util"
import * as Effect from "effect/Effect"
import * as Address from "../../../core/features/egress/Address.ts"
import { PortError } from "../../../core/spawn/ProcessPorts.ts"
import type * as Spawner from "../../../core/spawn/Spawner.ts"
import * as Entrance from "../egress/namespace/Entrance.ts"
import * as Maker from "../egress/namespace/Maker.ts"
import * as Mint from "../egress/namespace/Mint.ts"
import type { Ffi } from "../process/posix/Ffi.ts"
import type { OpenRoute } from "./Listener.ts"

export interface Options {
  /** Starts processes of our own. */
  readonly spawner: Spawner.SpawnerService
  readonly openFfi: () => Ffi
  /** True if this process is the program procwire. */
  readonly isCommand: boolean
}

/** The longest time until a connection is there. */
const longestMillis = 10_000
/** asm-generic/errno.h and socket.h, linux/poll.h. */
const EINPROGRESS = 115
const [SOL_SOCKET, SO_ERROR, POLLOUT] = [1, 4, 4]

const fail = (message: string) => new PortError({ message })

/** Opens ways to sockets of children. */
export const make = ({ spawner, openFfi, isCommand }: Options): OpenRoute => {
  let calls: Calls | undefined
  return ({ pid, host, port }) =>
    Effect.gen(function* () {
      const { connect, nameAt, open } = yield* Maker.attempt(fail, () => (calls ??= bind(openFfi())))
      const addresses = reachedAt(host)
      const within = nameAt(`/proc/${pid}/ns/net`)
      if (within === "") return yield* fail(`the network of process ${pid} cannot be seen`)
      if (within === nameAt("/proc/self/ns/net"))
        return { connect: firstOf(addresses, (address) => plain(address, port)) }

      const { socket } = yield* open({ spawner, isCommand }, pid, fail)
      return {
        connect: firstOf(addresses, (address) =>
          Effect.flatMap(socket(address.bits === 32 ? Mint.SOCKET4 : Mint.SOCKET6), (fd) =>
            connect(fd, address, port),
          ),
        ),
      }
    })
}

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

  return { ...Entrance.make(ffi), connect }
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
