/**
 * A small shell beside a server, in a session of its own, which reads what the server writes to it, and EOF when the
 * server ends. It does not keep the server's event loop alive.
 */
import { spawn } from "node:child_process"

/** A shell that was started. */
export interface HelperShell {
  /** Writes to its stdin. Text for a shell that has ended is lost. */
  readonly write: (text: string) => void
  /** Ends its stdin after earlier writes. */
  readonly end: () => void
}

/** Starts a shell with a script in ASCII and its `$0`, `$1`, ...; `onEnd` is called once, when it has ended. */
export type Start = (script: string, args: ReadonlyArray<string>, onEnd: () => void) => HelperShell

/** The shell of every start. */
export const path = "/bin/sh"

/** Starts it by `node:child_process`, which forks this process. */
export const start: Start = (script, args, onEnd) => {
  const shell = spawn(path, ["-c", script, ...args], {
    cwd: "/",
    detached: true,
    env: {},
    stdio: ["pipe", "ignore", "ignore"],
  })
  let ended = false
  const end = () => {
    if (!ended) onEnd()
    ended = true
  }
  shell.on("error", end)
  shell.on("exit", end)
  const { stdin } = shell
  stdin?.on("error", () => {})
  if (stdin && "unref" in stdin && typeof stdin.unref === "function") stdin.unref()
  shell.unref()
  return { write: (text) => void stdin?.write(text), end: () => void stdin?.end() }
}
