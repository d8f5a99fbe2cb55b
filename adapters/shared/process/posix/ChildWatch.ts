/**
 * Who has ended, and how: reaps the children that were started with `posix_spawn`.
 *
 * A SIGCHLD says that some child has ended, and many endings may share one signal; so each signal reaps
 * until nobody is left. `waitid` names one ended child at a time, so that the cost does not grow with the
 * children that still run; only when it names a stranger are all of ours asked. A stranger is a child of
 * `node:child_process`, which libuv reaps in the same turn; one that is still there later is an orphan
 * that a server gets as the first process of a container, and is reaped too, for nobody else would.
 *
 * A listener for SIGCHLD does not keep Node's event loop alive: a timer does while a child runs, and looks
 * after signals that were lost. Signals reach the main thread only.
 */
import type * as Spawner from "../../../../core/spawn/Spawner.ts"
import type { Libc } from "./Libc.ts"

const LOOK_MILLIS = 1_000
/** Deno reaps its own children when it comes to it, and one that somebody else has reaped ends the server. */
const STRANGER_MILLIS = "Deno" in globalThis ? 5_000 : LOOK_MILLIS

export interface ChildWatch {
  /** Calls `onExit` once, when `pid` has ended and was reaped. To be called in the tick of the spawn. */
  readonly add: (pid: number, onExit: (status: Spawner.ExitStatus) => void) => void
}

/** The one watch of this process: its listener stays, as children outlive the scopes they were in. */
export const make = (libc: Libc): ChildWatch => {
  const running = new Map<number, (status: Spawner.ExitStatus) => void>()
  let timer: NodeJS.Timeout | undefined

  const reap = (pid: number, onExit: (status: Spawner.ExitStatus) => void) => {
    const status = libc.wait(pid)
    if (status === undefined) return
    running.delete(pid)
    if (running.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
    onExit(decode(status))
  }

  const look = () => {
    for (let pid = libc.ended(); pid !== 0; pid = libc.ended()) {
      const onExit = running.get(pid)
      if (onExit !== undefined) {
        reap(pid, onExit)
      } else if (!reapOrphan(pid)) {
        for (const [each, onExit] of running) reap(each, onExit)
        return
      }
    }
    stranger = { pid: 0, since: 0 }
  }

  let stranger = { pid: 0, since: 0 }
  const reapOrphan = (pid: number): boolean => {
    const now = performance.now()
    if (stranger.pid === pid && now - stranger.since >= STRANGER_MILLIS) {
      return libc.wait(pid) !== undefined
    }
    if (stranger.pid !== pid) {
      stranger = { pid, since: now }
      setTimeout(look, STRANGER_MILLIS + 1).unref()
    }
    return false
  }

  process.on("SIGCHLD", look)
  return {
    add: (pid, onExit) => {
      running.set(pid, onExit)
      timer ??= setInterval(look, LOOK_MILLIS)
    },
  }
}

/** A wait status of Linux: the signal in the low seven bits, or else the code in the next byte. */
export const decode = (status: number): Spawner.ExitStatus => {
  const signal = status & 0x7f
  if (signal !== 0) return { kind: "signaled", signal }
  return { kind: "exited", code: (status >> 8) & 0xff }
}
