/**
 * The TCP sockets of a server for the one that takes its place: both have them for a while, so that a connection at any
 * time finds one of the two.
 *
 * The successor copies the descriptors out of the server. The kernel may want a word of that one first (Yama, which
 * Ubuntu uses): a process may be looked into by a stranger that it has named.
 */
import * as fs from "node:fs"
import * as ForeignDescriptors from "../process/posix/ForeignDescriptors.ts"
import type { Ffi } from "../process/posix/Ffi.ts"
import * as ListeningSocket from "../process/posix/ListeningSocket.ts"
import type { HostAndPort } from "../transport/SocketAddress.ts"

/** `PR_SET_PTRACER` of linux/prctl.h. */
const PR_SET_PTRACER = 0x59616d61

/** Names the process that may copy descriptors of this one; 0 for none. A kernel without Yama wants no name. */
export const allow = (openFfi: () => Ffi, pid: number): void => {
  try {
    openFfi().bind("prctl", ["int", "long", "long", "long", "long"])(PR_SET_PTRACER, pid, 0, 0, 0)
  } catch {
    // Without libc the copies are refused, or not: the successor finds out.
  }
}

/**
 * Descriptors of this process for the sockets at which another one listens, in the order of the addresses: undefined
 * for an address at which it does not listen, and where its descriptor cannot be copied.
 */
export const copy = (
  openFfi: () => Ffi,
  pid: number,
  addresses: ReadonlyArray<HostAndPort | undefined>,
): ReadonlyArray<number | undefined> => {
  const found = addresses.map((): number | undefined => undefined)
  if (addresses.every((each) => each === undefined)) return found
  try {
    const ffi = openFfi()
    const calls = ForeignDescriptors.make(ffi)
    const describe = ListeningSocket.describe(ffi)
    const pidfd = calls.open(pid)
    try {
      for (const fd of socketsOf(pid)) {
        const own = copied(calls, pidfd, fd)
        if (own === undefined) continue
        const address = describe(own)
        const index = addresses.findIndex(
          (each, at) => found[at] === undefined && each !== undefined && isAt(address, each),
        )
        if (index < 0) calls.close(own)
        else found[index] = own
      }
    } finally {
      calls.close(pidfd)
    }
  } catch {
    // The calls cannot be made: the ports are bound when the server has left.
  }
  return found
}

/** Undefined for a descriptor that cannot be copied: connections of a busy server end all the time. */
const copied = (calls: ForeignDescriptors.ForeignDescriptors, pidfd: number, fd: number) => {
  try {
    return calls.copy(pidfd, fd)
  } catch {
    return undefined
  }
}

/** The descriptors of the sockets of a process. */
const socketsOf = (pid: number): ReadonlyArray<number> =>
  fs.readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return fs.readlinkSync(`/proc/${pid}/fd/${name}`).startsWith("socket:") ? [Number(name)] : []
    } catch {
      // It has closed it meanwhile.
      return []
    }
  })

const isAt = (address: ListeningSocket.Address | undefined, { host, port }: HostAndPort): boolean =>
  address?.kind === "tcp" && address.port === port && address.host === host
