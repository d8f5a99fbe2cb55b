/**
 * The PID namespace of one child: bubblewrap holds it, with a shell inside that does nothing. Whoever is in it dies
 * with bubblewrap, which ends with that shell, which ends when the pipe from this process does.
 */
import { type ChildProcess, spawn } from "node:child_process"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** How long bubblewrap may take. */
const LONGEST = "10 seconds"

/** `$0` is bubblewrap. The descriptor 3 is told the pid of the first process inside, 4 is a file. */
const SCRIPT = `
trap '' INT TERM HUP QUIT
file=$(mktemp) && exec 4>"$file" && rm "$file" || exit
"$0" --unshare-pid --die-with-parent --dev-bind / / --proc /proc --info-fd 3 -- \
  /bin/sh -c 'echo up; read x' 3>&1
exit
`

/** A namespace. */
export interface Keeper {
  /** The first process inside, as this process sees it. */
  readonly init: number
  /** True while it is there, so that `init` is its. */
  readonly isAlive: () => boolean
  /** Kills everybody inside. */
  readonly kill: () => void
  /** An empty file, as long as it is alive. */
  readonly file: string
}

/** Makes a namespace, which ends with the scope. Fails with what bubblewrap says. */
export const make = (bwrap: string): Effect.Effect<Keeper, string, Scope.Scope> =>
  Effect.acquireRelease(Effect.try({ try: () => start(bwrap), catch: String }), (child) =>
    Effect.sync(() => end(child)),
  ).pipe(
    Effect.flatMap((child) =>
      Effect.map(ready(child), (init) => ({
        init,
        isAlive: () => child.exitCode === null && child.signalCode === null,
        kill: () => end(child),
        file: `/proc/${child.pid}/fd/4`,
      })),
    ),
    Effect.timeoutFail({ duration: LONGEST, onTimeout: () => "bubblewrap does not start" }),
  )

const start = (bwrap: string): ChildProcess => {
  const child = spawn("/bin/sh", ["-c", SCRIPT, bwrap], { cwd: "/", detached: true, env: {}, stdio: "pipe" })
  child.unref()
  for (const stream of [child.stdin, child.stdout, child.stderr]) {
    stream?.on("error", () => {})
    if (stream && "unref" in stream && typeof stream.unref === "function") stream.unref()
  }
  return child
}

const end = (child: ChildProcess): void => {
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy()
  if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL")
}

/** Bubblewrap tells the pid before it mounts anything; `up` comes from inside. */
const ready = (child: ChildProcess): Effect.Effect<number, string> =>
  Effect.async((resume) => {
    let [told, said] = ["", ""]
    child.stdout?.on("data", (bytes: Buffer) => {
      told += bytes.toString()
      const [, pid] = /"child-pid": (\d+)[^]*^up$/m.exec(told) ?? []
      if (pid !== undefined) resume(Effect.succeed(Number(pid)))
    })
    child.stderr?.on("data", (bytes: Buffer) => void (said += bytes.toString()))
    child.once("error", (error) => resume(Effect.fail(error.message)))
    child.once("close", () => resume(Effect.fail(said.trim() || "bubblewrap has ended")))
  })
