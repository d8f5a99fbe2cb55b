/**
 * A helper shell by `posix_spawn`, which copies no memory of the server: a fork of a server on Node takes ten times as
 * long, and `node:child_process` has to be loaded for it.
 */
import { constants } from "node:os"
import * as HelperShell from "../HelperShell.ts"
import type { ChildWatch } from "./ChildWatch.ts"
import type { Libc } from "./Libc.ts"

/** The pause before a write to a pipe that was full. */
const FULL_MILLIS = 5

const { EAGAIN, EINTR } = constants.errno

/** Starts shells; `watch` is that of this process. */
export const make =
  (libc: Libc, watch: ChildWatch): HelperShell.Start =>
  (script, args, onEnd) => {
    const ends = new Int32Array(2)
    if (libc.pipe(ends) < 0) return failed(onEnd)
    const [theirs = -1, ours = -1] = ends
    const pid = libc.spawn({
      path: HelperShell.path,
      argv: [HelperShell.path, "-c", script, ...args],
      env: [],
      cwd: "/",
      stdio: { kind: "input", stdin: theirs },
    })
    libc.close(theirs)
    if (pid < 0) {
      libc.close(ours)
      return failed(onEnd)
    }
    libc.nonBlocking(ours)
    const shell = writer(libc, ours)
    watch.addHelper(pid, () => {
      // One that was killed is not ended otherwise.
      shell.end()
      onEnd()
    })
    return shell
  }

/** Writes ASCII to a pipe whose writes do not wait. */
const writer = (libc: Libc, fd: number): HelperShell.HelperShell => {
  let waiting = ""
  let ending = false
  let closed = false
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    timer = undefined
    while (waiting !== "") {
      const count = libc.write(fd, Buffer.from(waiting, "latin1"))
      if (count === -EINTR) continue
      if (count === -EAGAIN) {
        timer = setTimeout(flush, FULL_MILLIS).unref()
        return
      }
      // The shell has ended, which `watch` reports.
      waiting = count < 0 ? "" : waiting.slice(count)
    }
    if (!ending || closed) return
    closed = true
    libc.close(fd)
  }
  return {
    write: (text) => {
      if (ending) return
      waiting += text
      if (timer === undefined) flush()
    },
    end: () => {
      ending = true
      if (timer === undefined) flush()
    },
  }
}

/** A shell that could not be started. */
const failed = (onEnd: () => void): HelperShell.HelperShell => {
  queueMicrotask(onEnd)
  return { write: () => {}, end: () => {} }
}
