/**
 * The listening sockets that systemd has opened and passed to this process: socket activation. They are the descriptors
 * from 3 on. libc tells what they are bound to, and keeps them from children.
 */
import * as fs from "node:fs"
import process from "node:process"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Ffi } from "../process/posix/Ffi.ts"
import type { Environment } from "./Environment.ts"

export interface PassedSocket {
  readonly fd: number
  /** `FileDescriptorName=` of its unit, by default the name of that; `unknown` if there is none. */
  readonly name: string
  readonly address:
    | {
        readonly kind: "unix"
        /** Of the socket file; `@name` if it is abstract. */
        readonly path: string
        /** Every user of this host may connect. */
        readonly open: boolean
      }
    | { readonly kind: "tcp"; readonly host: string; readonly port: number }
}

/** The fault of the sockets of systemd. */
export class PassedSocketError extends Data.TaggedError("PassedSocketError")<{
  /** Nothing was passed; it was passed to another process; libc cannot be called; it is no socket that listens. */
  readonly reason: "None" | "OtherProcess" | "NoLibc" | "NotListening"
  readonly message: string
}> {}

/** SD_LISTEN_FDS_START. */
const FIRST = 3
/** asm-generic/socket.h, which x64 and arm64 use. */
const SOL_SOCKET = 1
const SO_TYPE = 3
const SO_ACCEPTCONN = 30
const SOCK_STREAM = 1
/** linux/socket.h. */
const AF_UNIX = 1
const AF_INET = 2
const AF_INET6 = 10
/** asm-generic/fcntl.h. */
const F_SETFD = 2
const FD_CLOEXEC = 1
/** More than any address takes. */
const ADDRESS_BYTES = 128

/** The sockets, in their order; there is at least one. */
export const read = (
  { listenFds, listenPid, listenNames }: Environment,
  openFfi: () => Ffi,
): Effect.Effect<ReadonlyArray<PassedSocket>, PassedSocketError> =>
  Effect.gen(function* () {
    const count = /^[1-9]\d{0,3}$/.test(listenFds ?? "") ? Number(listenFds) : 0
    if (count === 0) {
      const found = listenFds === undefined ? "LISTEN_FDS is not set" : `LISTEN_FDS is '${listenFds}'`
      return yield* refuse(
        "None",
        `${found}; start the server by a .socket unit or by systemd-socket-activate`,
      )
    }
    if (listenPid !== String(process.pid)) {
      const whose = `LISTEN_PID is '${listenPid ?? ""}' and this process is ${process.pid}`
      return yield* refuse(
        "OtherProcess",
        `${whose}; name procwire itself in ExecStart=, without a shell or npx`,
      )
    }
    const look = yield* Effect.try({
      try: () => bind(openFfi()),
      catch: () => error("NoLibc", "libc, which tells what they are, cannot be called on this host"),
    })
    const names = (listenNames ?? "").split(":")
    const fds = Array.from({ length: count }, (_, index) => FIRST + index)
    return yield* Effect.forEach(fds, (fd, index) => {
      const address = look(fd)
      if (address !== undefined) return Effect.succeed({ fd, name: names[index] || "unknown", address })
      const rule = "only stream sockets that listen can be used (ListenStream=, Accept=no)"
      return refuse("NotListening", `descriptor ${fd} '${names[index] ?? ""}' is none of these: ${rule}`)
    })
  })

const error = (reason: PassedSocketError["reason"], message: string) =>
  new PassedSocketError({ reason, message: `no sockets from systemd: ${message}` })

const refuse = (reason: PassedSocketError["reason"], message: string) => Effect.fail(error(reason, message))

/** The address of a descriptor, if it is a stream socket that listens. Children do not inherit it from then on. */
const bind = (ffi: Ffi): ((fd: number) => PassedSocket["address"] | undefined) => {
  const getsockopt = ffi.bind("getsockopt", ["int", "int", "int", "buffer", "buffer"])
  const getsockname = ffi.bind("getsockname", ["int", "buffer", "buffer"])
  const fcntl = ffi.bind("fcntl", ["int", "int", "int"])
  const option = (fd: number, name: number): number | undefined => {
    const value = new Int32Array(1)
    const failed = getsockopt(fd, SOL_SOCKET, name, value, Int32Array.of(value.byteLength)) !== 0
    return failed ? undefined : value[0]
  }
  return (fd) => {
    fcntl(fd, F_SETFD, FD_CLOEXEC)
    if (option(fd, SO_TYPE) !== SOCK_STREAM || option(fd, SO_ACCEPTCONN) !== 1) return undefined
    const address = new Uint8Array(ADDRESS_BYTES)
    const length = Int32Array.of(ADDRESS_BYTES)
    if (getsockname(fd, address, length) !== 0) return undefined
    return decode(address.subarray(0, length[0]))
  }
}

/** Reads a `struct sockaddr`. */
export const decode = (address: Uint8Array): PassedSocket["address"] | undefined => {
  const view = new DataView(address.buffer, address.byteOffset, address.byteLength)
  if (address.length < 2) return undefined
  const family = view.getUint16(0, true)
  if (family === AF_UNIX) return decodeUnix(address.subarray(2))
  if (family === AF_INET) {
    return { kind: "tcp", host: address.subarray(4, 8).join("."), port: view.getUint16(2) }
  }
  if (family !== AF_INET6) return undefined
  const groups = Array.from({ length: 8 }, (_, index) => view.getUint16(8 + 2 * index).toString(16))
  const host = new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1)
  return { kind: "tcp", host, port: view.getUint16(2) }
}

const decodeUnix = (bytes: Uint8Array): PassedSocket["address"] => {
  const text = new TextDecoder()
  if (bytes[0] === 0) return { kind: "unix", path: `@${text.decode(bytes.subarray(1))}`, open: true }
  const end = bytes.indexOf(0)
  const path = text.decode(end < 0 ? bytes : bytes.subarray(0, end))
  const mode = fs.statSync(path, { throwIfNoEntry: false })?.mode ?? 0
  return { kind: "unix", path, open: (mode & 0o002) !== 0 }
}
