/**
 * Reaps the children that were started with `posix_spawn`, and reports how they ended.
 *
 * Several exits may share one SIGCHLD, so each signal reaps until no ended child is left. To ask for any ended child
 * makes the kernel walk all children, to ask for one of them does not. So a child whose streams end is asked for by its
 * pid at the next signals. If that explains a signal, all children are asked for only some time later, because another
 * one may have ended with it; if not, at once.
 *
 * Only when a foreign child has ended are all of ours polled. Such a child is one of
 * `node:child_process`, which libuv reaps in the same turn. One that is still there later is an orphan: the first
 * process of a container inherits orphans and must reap them.
 *
 * A listener for SIGCHLD does not keep Node's event loop alive. A timer does while a child runs; it also makes up for
 * lost signals. Its looks become rare while no child starts or ends. Signals reach the main thread only.
 */
import type * as Spawner from "../../../../core/spawn/Spawner.ts"
import type { Libc, Waited } from "./Libc.ts"

/** The first look without a signal, and, twice as long after each that found nothing, the longest pause. */
const POLL_MILLIS = { first: 1_000, longest: 32_000 }
/** Signals at which a child is asked for whose streams have ended. */
const HINT_LOOKS = 4
/** After a signal that is explained, all children are asked for so much later; longer if they are many. */
const restMillis = (children: number) => Math.max(10, children / 100)
/** Between looks at a foreign child. */
const FOREIGN_MILLIS = 200
/**
 * A foreign child that was there so often is reaped. More often on Deno, which reaps its children late and dies if they
 * are gone. Looks are counted, and not time, because an event loop that stood still has reaped nothing meanwhile.
 */
const FOREIGN_LOOKS = "Deno" in globalThis ? 25 : 5

export interface ChildWatch {
  /** Calls `onEnd` once, after `pid` has ended; it must call `reap`. Must be called in the tick of the spawn. */
  readonly add: (pid: number, onEnd: OnEnd) => void
  /** Reaps a child that keeps no event loop alive, and calls `onEnd` then. Must be called in the tick of the spawn. */
  readonly addHelper: (pid: number, onEnd: () => void) => void
  /** A stream of this child has ended, so the child may have. */
  readonly hint: (pid: number) => void
  /** Children that `isOrphan` knows are reaped at once, until the returned function is called. */
  readonly reapAlso: (isOrphan: (pid: number) => boolean) => () => void
}

/** No foreign child was seen. */
const none = { pid: 0, looks: 0, at: Number.NEGATIVE_INFINITY }

/** Listens for the end of a child. `reap` gives the pid back to the system and says how the child ended. */
export type OnEnd = (reap: () => Ended) => void

/** The end of a child. */
export interface Ended {
  readonly status: Spawner.ExitStatus
  readonly ending: Spawner.Ending
}

/** The only watch of this process. Its listener stays, because children may end after their scopes. */
export const make = (libc: Libc): ChildWatch => {
  const running = new Map<number, OnEnd>()
  /** Children whose streams have ended, and at how many signals they are asked for yet. */
  const hinted = new Map<number, number>()
  const helpers = new Map<number, () => void>()
  let resting: NodeJS.Timeout | undefined
  const stir = polling(running, () => lookAtAll())

  const ended = (pid: number, onEnd: OnEnd) => {
    running.delete(pid)
    hinted.delete(pid)
    stir()
    onEnd(() => toEnded(libc.wait(pid), libc.peakBytes()))
  }

  const helperEnded = (pid: number, onEnd: () => void) => {
    helpers.delete(pid)
    libc.wait(pid)
    onEnd()
  }

  const look = () => {
    let explained = false
    for (const [pid, looks] of hinted) {
      const onEnd = running.get(pid)
      if (onEnd !== undefined && libc.ended(pid) !== 0) {
        explained = true
        ended(pid, onEnd)
      } else if (looks > 1) hinted.set(pid, looks - 1)
      else hinted.delete(pid)
    }
    if (!explained) return lookAtAll()
    resting ??= setTimeout(lookAtAll, restMillis(running.size)).unref()
  }

  const lookAtAll = () => {
    clearTimeout(resting)
    resting = undefined
    for (let pid = libc.ended(); pid !== 0; pid = libc.ended()) {
      const onEnd = running.get(pid)
      const onHelperEnd = helpers.get(pid)
      if (onEnd !== undefined) {
        ended(pid, onEnd)
      } else if (onHelperEnd !== undefined) {
        helperEnded(pid, onHelperEnd)
      } else if (!reapOrphan(pid)) {
        for (const [each, onEnd] of running) if (libc.ended(each) !== 0) ended(each, onEnd)
        for (const [each, onEnd] of helpers) if (libc.ended(each) !== 0) helperEnded(each, onEnd)
        return
      }
    }
    foreign = none
  }

  const orphans = new Set<(pid: number) => boolean>()
  let foreign = none
  const reapOrphan = (pid: number): boolean => {
    if ([...orphans].some((isOrphan) => isOrphan(pid))) {
      libc.wait(pid)
      return true
    }
    // Orphans come to no other process.
    if (process.pid !== 1 && !libc.adopts()) return false
    const now = performance.now()
    const { looks, at } = foreign.pid === pid ? foreign : none
    if (now - at < FOREIGN_MILLIS) return false
    if (looks >= FOREIGN_LOOKS) {
      libc.wait(pid)
      return true
    }
    foreign = { pid, looks: looks + 1, at: now }
    setTimeout(lookAtAll, FOREIGN_MILLIS + 1).unref()
    return false
  }

  process.on("SIGCHLD", look)
  return {
    add: (pid, onEnd) => {
      running.set(pid, onEnd)
      stir()
    },
    addHelper: (pid, onEnd) => void helpers.set(pid, onEnd),
    hint: (pid) => {
      if (running.has(pid)) hinted.set(pid, HINT_LOOKS)
    },
    reapAlso: (isOrphan) => {
      orphans.add(isOrphan)
      return () => void orphans.delete(isOrphan)
    },
  }
}

/**
 * Looks while children run, ever more rarely. To be called when a child has started or ended: looks begin again with
 * the first pause, or stop.
 */
const polling = (running: ReadonlyMap<number, OnEnd>, look: () => void): (() => void) => {
  let timer: NodeJS.Timeout | undefined
  let pause = POLL_MILLIS.first
  const schedule = () => {
    timer = setTimeout(() => {
      pause = Math.min(pause * 2, POLL_MILLIS.longest)
      timer = undefined
      look()
      if (running.size > 0 && timer === undefined) schedule()
    }, pause)
  }
  return () => {
    if (running.size > 0 && timer !== undefined && pause === POLL_MILLIS.first) return
    clearTimeout(timer)
    timer = undefined
    pause = POLL_MILLIS.first
    if (running.size > 0) schedule()
  }
}

/** Up to its exec a child shares the memory of this process, whose peak counts as its own. */
const toEnded = ({ status, usage }: Waited, ownPeak: number): Ended => ({
  status: decode(status),
  ending: {
    ...((status & 0x7f) === 0 ? {} : { coreDumped: (status & DUMPED) !== 0 }),
    ...(usage !== undefined && {
      userCpuMicros: usage.userMicros,
      systemCpuMicros: usage.systemMicros,
      peakMemory: { bytes: usage.peakBytes, exact: usage.peakBytes > ownPeak },
    }),
  },
})

/** The flag of a wait status for a core that was dumped. */
const DUMPED = 0x80

/** A wait status of Linux: the signal in the low seven bits, or else the code in the next byte. */
export const decode = (status: number): Spawner.ExitStatus => {
  const signal = status & 0x7f
  if (signal !== 0) return { kind: "signaled", signal }
  return { kind: "exited", code: (status >> 8) & 0xff }
}
