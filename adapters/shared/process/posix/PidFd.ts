/**
 * Process groups named by a descriptor: `pidfd_open` and `pidfd_send_signal` of Linux.
 *
 * The descriptor is of the leader, opened before it is reaped, and stays with its group whoever gets the number later.
 * So only a group that outlives its leader holds one. Signalling a group through it needs Linux 6.9; before, the
 * members are looked for in /proc, and each is signalled by a descriptor of its own.
 */
import { constants } from "node:os"
import * as GroupAddress from "../GroupAddress.ts"
import type { ProcessTable } from "../ProcessTable.ts"
import type { Ffi } from "./Ffi.ts"
import type { Libc } from "./Libc.ts"

const { EINVAL, ENOSYS, ESRCH } = constants.errno
/** System calls, by the same numbers on every 64-bit Linux that the runtimes know: asm-generic/unistd.h. */
const PIDFD_SEND_SIGNAL = 424
const PIDFD_OPEN = 434
/** linux/pidfd.h. */
const PIDFD_SIGNAL_PROCESS_GROUP = 4

/** Descriptors that are open at once. */
const AT_ONCE = 64

export interface PidFds {
  /** SIGKILL to the processes that `list` names. It is called twice; a process that is named only once gets none. */
  readonly killListed: (list: () => ReadonlyArray<number>) => void
  /** Signals the process `pid` if it is the one that started at `start`: 0, or the error number. */
  readonly signal: (pid: number, start: number, signal: number) => number
  /** The group of the child `id`, which has just been started and is not reaped before `leaderEnded`. */
  readonly group: (id: number) => GroupAddress.GroupAddress
}

/** Signals nothing to this process by a descriptor, and to its group: the error numbers, 0 for what works. */
export const probe = (
  ffi: Ffi,
  libc: Pick<Libc, "close">,
): { readonly one: number; readonly group: number } => {
  const call = ffi.bind("syscall", ["long", "long", "long", "long", "long"], "long")
  const fd = call(PIDFD_OPEN, process.pid, 0, 0, 0)
  if (fd < 0) return { one: ffi.errno(), group: ffi.errno() }
  const [one = 0, group = 0] = [0, PIDFD_SIGNAL_PROCESS_GROUP].map((flags) =>
    call(PIDFD_SEND_SIGNAL, fd, 0, 0, flags) < 0 ? ffi.errno() : 0,
  )
  libc.close(fd)
  return { one, group }
}

/** Throws if the library lacks `syscall`. */
export const make = (ffi: Ffi, libc: Pick<Libc, "kill" | "close">, table: ProcessTable): PidFds => {
  const call = ffi.bind("syscall", ["long", "long", "long", "long", "long"], "long")
  const open = (pid: number) => {
    const fd = call(PIDFD_OPEN, pid, 0, 0, 0)
    return fd < 0 ? -ffi.errno() : fd
  }
  const sendTo = (fd: number, signal: number, flags: number) =>
    call(PIDFD_SEND_SIGNAL, fd, signal, 0, flags) < 0 ? ffi.errno() : 0

  const signal: PidFds["signal"] = (pid, start, number) => {
    const fd = open(pid)
    // The pid is looked up after the descriptor was opened, so that is of the same process or of none.
    const same = table.find(pid)?.start === start
    if (fd < 0) return same && fd === -ENOSYS ? libc.kill(pid, number) : -fd
    const errno = same ? sendTo(fd, number, 0) : ESRCH
    libc.close(fd)
    return errno
  }

  const group = (id: number): GroupAddress.GroupAddress => {
    let fd = -1
    let members: GroupAddress.GroupAddress | undefined
    let led = true
    const release = () => {
      if (fd >= 0) libc.close(fd)
      fd = -1
    }
    return {
      send: (signal) => {
        if (led) return libc.kill(-id, signal)
        if (members !== undefined) return members.send(signal)
        return fd < 0 ? ESRCH : sendTo(fd, signal, PIDFD_SIGNAL_PROCESS_GROUP)
      },
      leaderEnded: (reap) => {
        fd = open(id)
        const errno = fd < 0 ? -fd : sendTo(fd, 0, PIDFD_SIGNAL_PROCESS_GROUP)
        if (errno === EINVAL || errno === ENOSYS)
          members = GroupAddress.byMembers(id, { table, kill: libc.kill, signal })
        led = false
        if (members === undefined) reap()
        else members.leaderEnded(reap)
      },
      release,
    }
  }
  const killListed: PidFds["killListed"] = (list) => {
    const pids = list()
    for (let at = 0; at < pids.length; at += AT_ONCE) {
      const opened = pids.slice(at, at + AT_ONCE).map((pid) => [pid, open(pid)] as const)
      const still = new Set(list())
      for (const [pid, fd] of opened) {
        if (still.has(pid) && fd === -ENOSYS) libc.kill(pid, constants.signals.SIGKILL)
        if (fd < 0) continue
        if (still.has(pid)) sendTo(fd, constants.signals.SIGKILL, 0)
        libc.close(fd)
      }
    }
  }
  return { killListed, signal, group }
}
