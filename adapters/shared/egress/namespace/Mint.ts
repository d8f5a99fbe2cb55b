/**
 * Makes network namespaces for a server, each with a socket that listens on its loopback and without a route: a process
 * of its own, which bubblewrap has started in a user namespace where it has all capabilities. One that nsenter has
 * started in the namespaces of a child makes sockets there.
 *
 * It reads requests from stdin, one byte each, and writes lines to stdout: first its pid, then an answer to each
 * request for a namespace. The server takes the descriptors with `pidfd_getfd` and has them closed here, so nothing but
 * the server holds a namespace. It ends when stdin does: with its server.
 *
 * A namespace belongs to the thread that makes it, so all of this runs on the main thread, and waits there.
 */
import process from "node:process"
import { getSystemErrorName } from "node:util"
import type { Ffi } from "../../process/posix/Ffi.ts"

/** A request: a namespace, which is answered by `Made` or by `! TEXT` for a failure. */
export const MAKE = 0x6d
/** A request: the descriptors of the last answer are to be closed. It has no answer. */
export const DROP = 0x64
/**
 * Requests: a socket of TCP in the namespace of this process, over IPv4 or IPv6, which never blocks. They are answered
 * by its descriptor, or by `! TEXT` for a failure.
 */
export const [SOCKET4, SOCKET6] = [0x34, 0x36]

/** The descriptors of a namespace, in this process. */
export interface Made {
  /** A socket that listens on 127.0.0.1 in the namespace; it never blocks. */
  readonly listener: number
  readonly network: number
  /** The user namespace that owns it. */
  readonly user: number
  /** The port of the listener. */
  readonly port: number
}

/** linux/sched.h. */
const CLONE_NEWNET = 0x40000000
/** linux/socket.h and asm-generic/socket.h, which x64 and arm64 use. */
export const [AF_INET, AF_INET6] = [2, 10]
const SOCK_STREAM = 1
const SOCK_NONBLOCK = 0o4000
const SOCK_CLOEXEC = 0o2000000
const O_CLOEXEC = 0o2000000
/** linux/sockios.h and linux/if.h: `struct ifreq` is a name of 16 bytes, then the flags. */
const SIOCSIFFLAGS = 0x8914
const IFF_UP = 1
const IFREQ_BYTES = 40
const IFREQ_FLAGS = 16
/** `struct sockaddr_in`. */
const ADDRESS_BYTES = 16
/** asm-generic/socket.h. */
const [SOL_SOCKET, SO_REUSEADDR] = [1, 2]
/** The connections that wait to be accepted; the kernel lowers it to its own limit. */
const BACKLOG = 4096
const POLLIN = 1
/** asm-generic/errno-base.h. */
const EINTR = 4
const EAGAIN = 11

/** The line of an answer. */
export const encode = ({ listener, network, user, port }: Made): string =>
  `${listener} ${network} ${user} ${port}\n`

/** The answer of a line; a text is the failure. */
export const decode = (line: string): Made | string => {
  const [listener, network, user, port, ...more] = line.split(" ").map(Number)
  const all = [listener, network, user, port]
  if (more.length > 0 || !all.every((each) => Number.isSafeInteger(each) && (each as number) > 0))
    return line.startsWith("! ") ? line.slice(2) : `not an answer: ${line}`
  return { listener, network, user, port } as Made
}

/** Serves requests until stdin ends. Throws if the C library lacks a function, or stdout is gone. */
export const serve = (ffi: Ffi): void => {
  const poll = ffi.bind("poll", ["buffer", "long", "int"])
  const read = ffi.bind("read", ["int", "buffer", "long"], "long")
  const write = ffi.bind("write", ["int", "buffer", "long"], "long")
  const close = ffi.bind("close", ["int"])
  const say = (line: string) => {
    const bytes = new TextEncoder().encode(line)
    if (write(1, bytes, bytes.length) !== bytes.length) throw new Error("nobody reads the answers")
  }
  const request = new Uint8Array(1)
  /** 0 at EOF. */
  const next = (): number => {
    // The runtime may have made stdin non-blocking.
    for (;;) {
      if (poll(Int32Array.of(0, POLLIN), 1, -1) < 0 && ffi.errno() !== EINTR) return 0
      const count = read(0, request, 1)
      if (count > 0) return request[0] ?? 0
      if (count === 0 || ![EAGAIN, EINTR].includes(ffi.errno())) return 0
    }
  }
  const { make, socket } = bind(ffi, close)
  let last: ReadonlyArray<number> = []
  const answer = (asked: number): string => {
    if (asked === MAKE) {
      const made = make()
      last = [made.listener, made.network]
      return encode(made)
    }
    last = [socket(asked === SOCKET6 ? AF_INET6 : AF_INET)]
    return `${last[0]}\n`
  }
  say(`${process.pid}\n`)
  for (let asked = next(); asked !== 0; asked = next()) {
    for (const fd of last) close(fd)
    last = []
    if (asked === DROP) continue
    try {
      say(answer(asked))
    } catch (error) {
      say(`! ${(error as Error).message}\n`)
    }
  }
}

const bind = (ffi: Ffi, close: (fd: number) => number) => {
  const unshare = ffi.bind("unshare", ["int"])
  const open = ffi.bind("open", ["text", "int"])
  const makeSocket = ffi.bind("socket", ["int", "int", "int"])
  const ioctl = ffi.bind("ioctl", ["int", "long", "buffer"])
  const listen = bindListen(ffi)
  const check = checking(ffi)
  const socket = (family: number) =>
    check("socket", makeSocket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0))
  const user = check("the user namespace", open("/proc/self/ns/user", O_CLOEXEC))
  const make = (): Made => {
    check("unshare", unshare(CLONE_NEWNET))
    const network = check("the network namespace", open("/proc/thread-self/ns/net", O_CLOEXEC))
    let listener = -1
    try {
      listener = socket(AF_INET)
      const loopback = new Uint8Array(IFREQ_BYTES)
      loopback.set(new TextEncoder().encode("lo"))
      new DataView(loopback.buffer).setUint16(IFREQ_FLAGS, IFF_UP, true)
      check("SIOCSIFFLAGS", ioctl(listener, SIOCSIFFLAGS, loopback))
      return { listener, network, user, port: listen(listener, 0) }
    } catch (error) {
      for (const fd of [network, listener]) if (fd >= 0) close(fd)
      throw error
    }
  }
  return { make, socket }
}

/**
 * Has a socket of TCP listen on this port of 127.0.0.1 in its namespace, 0 for a free one, and gives the port. Throws.
 *
 * The address may be bound again while connections of an earlier listener end, which the kernel allows if that one did
 * the same.
 */
export const bindListen = (ffi: Ffi): ((socket: number, port: number) => number) => {
  const setsockopt = ffi.bind("setsockopt", ["int", "int", "int", "buffer", "int"])
  const bindTo = ffi.bind("bind", ["int", "buffer", "int"])
  const listen = ffi.bind("listen", ["int", "int"])
  const getsockname = ffi.bind("getsockname", ["int", "buffer", "buffer"])
  const check = checking(ffi)
  return (socket, port) => {
    check("setsockopt", setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, Int32Array.of(1), 4))
    const address = new Uint8Array(ADDRESS_BYTES)
    const view = new DataView(address.buffer)
    view.setUint16(0, AF_INET, true)
    view.setUint16(2, port)
    address.set([127, 0, 0, 1], 4)
    check("bind", bindTo(socket, address, ADDRESS_BYTES))
    check("listen", listen(socket, BACKLOG))
    check("getsockname", getsockname(socket, address, Int32Array.of(ADDRESS_BYTES)))
    return view.getUint16(2)
  }
}

const checking =
  (ffi: Ffi) =>
  (call: string, result: number): number => {
    if (result < 0) throw new Error(`${call}: ${getSystemErrorName(-ffi.errno())}`)
    return result
  }
