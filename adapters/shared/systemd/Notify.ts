/**
 * Tells systemd what a service is doing, by datagrams to the socket that NOTIFY_SOCKET names (`Type=notify`).
 *
 * No runtime has datagrams on unix sockets, so they are sent by libc. If that cannot be called the program
 * `systemd-notify` sends them, from a process of its own, which a unit has to permit (`NotifyAccess=all`).
 *
 * A notification that cannot be sent is a warning in the log: the service goes on.
 */
import { execFile } from "node:child_process"
import process from "node:process"
import * as Effect from "effect/Effect"
import * as OsError from "../host/OsError.ts"
import type { Ffi } from "../process/posix/Ffi.ts"

/** Assignments such as `READY=1`, in one message. */
export type Notify = (state: Readonly<Record<string, string | number>>) => Effect.Effect<void>

/** linux/socket.h, and asm-generic/fcntl.h for the flag of `socket`. */
const AF_UNIX = 1
const SOCK_DGRAM = 2
const SOCK_CLOEXEC = 0o2000000
const MSG_DONTWAIT = 0x40
const MSG_NOSIGNAL = 0x4000

/** The deadline of `systemd-notify`. */
const programMillis = 5_000

/** A sender to the socket at `path`, `@` being the zero byte of an abstract one; without a path it does nothing. */
export const make = (path: string | undefined, openFfi: () => Ffi): Notify => {
  if (path === undefined || path === "") return () => Effect.void
  const send = bySocket(path, openFfi) ?? byProgram(path)
  return (state) => {
    const lines = Object.entries(state).map(
      ([name, value]) => `${name}=${String(value).replaceAll("\n", " ")}`,
    )
    return Effect.catch(send(lines), (why) =>
      Effect.logWarning(`cannot notify systemd at NOTIFY_SOCKET ${path}: ${why}`),
    )
  }
}

type Send = (lines: ReadonlyArray<string>) => Effect.Effect<void, string>

/** Undefined where libc cannot be called. */
const bySocket = (path: string, openFfi: () => Ffi): Send | undefined => {
  try {
    const ffi = openFfi()
    const socket = ffi.bind("socket", ["int", "int", "int"])
    const sendto = ffi.bind("sendto", ["int", "buffer", "long", "int", "buffer", "int"], "long")
    const close = ffi.bind("close", ["int"])
    const address = addressOf(path)
    return (lines) =>
      Effect.suspend(() => {
        const fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)
        const message = new TextEncoder().encode(lines.join("\n"))
        const flags = MSG_DONTWAIT | MSG_NOSIGNAL
        const sent = fd < 0 ? fd : sendto(fd, message, message.length, flags, address, address.length)
        const errno = sent < 0 ? ffi.errno() : 0
        if (fd >= 0) close(fd)
        return errno === 0 ? Effect.void : Effect.fail(OsError.textOf(errno))
      })
  } catch {
    return undefined
  }
}

/** `struct sockaddr_un`: the family, then the path with its terminating zero, or an abstract name after a zero. */
const addressOf = (path: string): Uint8Array => {
  const name = new TextEncoder().encode(path.startsWith("@") ? `\0${path.slice(1)}` : `${path}\0`)
  const address = new Uint8Array(2 + name.length)
  new Uint16Array(address.buffer, 0, 1)[0] = AF_UNIX
  address.set(name, 2)
  return address
}

const byProgram =
  (path: string): Send =>
  (lines) =>
    Effect.callback((resume) => {
      const env = { ...process.env, NOTIFY_SOCKET: path }
      execFile("systemd-notify", lines, { env, timeout: programMillis }, (error) =>
        resume(error === null ? Effect.void : Effect.fail(error.message)),
      )
    })
