/**
 * Who has ended, and how: reaps the children that were started with `posix_spawn`, and only those.
 *
 * A SIGCHLD says that some child has ended, and many endings may share one signal; so each signal reaps
 * until nobody is left. `waitid` names one ended child at a time, so that the cost does not grow with the
 * children that still run; only when it names a child of `node:child_process` (which libuv reaps itself)
 * are all of ours asked. A listener for SIGCHLD does not keep Node's event loop alive: a timer does while
 * a child runs, and looks after signals that were lost. Signals reach the main thread only.
 */
import type * as Spawner from "../../core/spawn/Spawner.ts"
import type { Libc } from "./Libc.ts"

const LOOK_MILLIS = 1_000

export interface ChildWatch {
  /** Calls `onExit` once, when `pid` has ended and was reaped. To be called in the tick of the spawn. */
  readonly add: (pid: number, onExit: (status: Spawner.ExitStatus) => void) => void
}

const watches = new WeakMap<Libc, ChildWatch>()

/** The one watch of this process: the listener stays, as children outlive the scopes they were in. */
export const get = (libc: Libc): ChildWatch => {
  const watch = watches.get(libc) ?? make(libc)
  watches.set(libc, watch)
  return watch
}

const make = (libc: Libc): ChildWatch => {
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
    for (let pid = running.size === 0 ? 0 : libc.ended(); pid !== 0; pid = libc.ended()) {
      const onExit = running.get(pid)
      if (onExit !== undefined) {
        reap(pid, onExit)
        continue
      }
      for (const [each, onExit] of running) reap(each, onExit)
      return
    }
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
