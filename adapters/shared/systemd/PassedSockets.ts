/**
 * The listening sockets that systemd has opened and passed to this process: socket activation. They are the descriptors
 * from 3 on. libc tells what they are bound to, and keeps them from children.
 */
import process from "node:process"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Ffi } from "../process/posix/Ffi.ts"
import * as ListeningSocket from "../process/posix/ListeningSocket.ts"
import type { Environment } from "./Environment.ts"

export interface PassedSocket {
  readonly fd: number
  /** `FileDescriptorName=` of its unit, by default the name of that; `unknown` if there is none. */
  readonly name: string
  readonly address: ListeningSocket.Address
}

/** The fault of the sockets of systemd. */
export class PassedSocketError extends Data.TaggedError("PassedSocketError")<{
  /** Nothing was passed; it was passed to another process; libc cannot be called; it is no socket that listens. */
  readonly reason: "None" | "OtherProcess" | "NoLibc" | "NotListening"
  readonly message: string
}> {}

/** SD_LISTEN_FDS_START. */
const FIRST = 3
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
      try: () => ListeningSocket.describe(openFfi()),
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
