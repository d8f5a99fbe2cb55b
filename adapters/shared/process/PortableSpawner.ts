/**
 * The portable spawner, over `node:child_process`: for hosts where the C library cannot be called.
 *
 * PTYs are those of the node-pty package, see `NodePtyChild`. On Unix a child's stdout and stderr are socket pairs, so
 * it cannot open `/dev/stderr`. A file of no executable format may be run by a shell (glibc's `execvp` does that). A
 * death by a real-time signal is reported as exit code 0 on Node and Bun; on Deno it ends the whole server with an
 * uncaught error. On Windows there are no process groups: signals and kills reach the child alone.
 */
import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import * as Os from "node:os"
import type { Readable } from "node:stream"
import * as Effect from "effect/Effect"
import type * as Spawner from "../../../core/spawn/Spawner.ts"
import * as SpawnError from "../../../core/spawn/SpawnError.ts"
import * as ChildEvents from "./ChildEvents.ts"
import * as OsError from "../host/OsError.ts"
import * as Containment from "./contain/Containment.ts"
import * as GroupAddress from "./GroupAddress.ts"
import * as NodePtyChild from "./NodePtyChild.ts"
import * as ProcessGroup from "./ProcessGroup.ts"
import * as ProgramLookup from "./ProgramLookup.ts"
import * as ProgramPath from "./ProgramPath.ts"
import * as RunningChild from "./RunningChild.ts"
import * as SpecCheck from "../../../core/spawn/SpecCheck.ts"
import * as StdinWriter from "./StdinWriter.ts"

/** The most that is delivered at once: Bun reads ahead without a limit. */
const CHUNK_BYTES = 65_536

const windows = process.platform === "win32"

export interface Host extends ProcessGroup.Host {
  /** Loads the node-pty package, on runtimes where it works. Absent: no PTYs. */
  readonly nodePty?: NodePtyChild.Load | undefined
}

/** The portable spawner; it registers the groups of its children with `host`. */
export const make = (host: Host): Spawner.SpawnerService => ({
  capabilities: {
    pty: host.nodePty !== undefined,
    resize: host.nodePty !== undefined,
    arg0: !windows,
    processGroup: !windows,
    pipeStdin: true,
    pause: true,
    confine: false,
  },
  spawn: (spec, events) =>
    Effect.acquireRelease(start(host, spec, events), (child) => Effect.sync(child.close)).pipe(
      Effect.map((child) => child.handle),
    ),
})

const start = (
  host: Host,
  spec: Spawner.SpawnSpec,
  sink: Spawner.SpawnEvents,
): Effect.Effect<RunningChild.RunningChild, SpawnError.SpawnError> =>
  Effect.gen(function* () {
    const refusal = SpecCheck.refusalOfText(spec)
    if (refusal !== undefined) return yield* refusal
    const entered = windows ? 0 : ProgramLookup.access(`${spec.cwd}/.`)
    if (entered !== 0) return yield* OsError.fromErrno(entered)
    const { stdio } = spec
    if (stdio.kind === "pipe") return yield* startOnPipes(host, spec, stdio.stdin, sink)
    if (host.nodePty !== undefined)
      return yield* NodePtyChild.start(host.nodePty, host, spec, stdio.size, sink)
    return yield* new SpawnError.SpawnError({ reason: "Unsupported", message: "no PTY on this host" })
  })

const startOnPipes = (
  host: Host,
  spec: Spawner.SpawnSpec,
  withStdin: boolean,
  sink: Spawner.SpawnEvents,
): Effect.Effect<RunningChild.RunningChild, SpawnError.SpawnError> =>
  Effect.gen(function* () {
    const path = windows ? spec.argv[0] : ProgramPath.search(spec, ProgramLookup.access, (path) => path)
    if (path instanceof ProgramPath.Errno) return yield* OsError.fromErrno(path.errno)
    const start = () =>
      spawn(path.includes("/") || windows ? path : `./${path}`, spec.argv.slice(1), {
        argv0: spec.arg0 ?? spec.argv[0],
        cwd: spec.cwd,
        env: { ...spec.env },
        detached: !windows,
        stdio: [withStdin ? "pipe" : "ignore", "pipe", "pipe"],
      })
    const contained = yield* Effect.try({
      try: () => Containment.around(host.contain, start, ({ pid }) => pid),
      catch: OsError.fromUnknown,
    })
    if (contained instanceof ProgramPath.Errno) return yield* OsError.fromErrno(contained.errno)
    const { started: child, container } = contained
    const { pid } = child
    if (pid === undefined) return yield* failure(child)
    return running(host, { child, pid, container }, sink)
  })

interface Started {
  readonly child: ChildProcess
  readonly pid: number
  readonly container: Containment.Container
}

const running = (
  host: Host,
  { child, pid, container }: Started,
  sink: Spawner.SpawnEvents,
): RunningChild.RunningChild => {
  const events = ChildEvents.make(sink, ["stdout", "stderr"])
  const group = windows
    ? ProcessGroup.single((name) => void child.kill(name as NodeJS.Signals))
    : ProcessGroup.make(pid, host, GroupAddress.portable(pid, host.table))
  const stdin = child.stdin === null ? StdinWriter.none : StdinWriter.make(child.stdin)
  child.on("error", () => {})
  child.on("exit", (code, signal) => {
    group.leaderEnded()
    container.childEnded()
    if (!group.lingering()) stdin.destroy()
    events.exit(
      signal === null
        ? { kind: "exited", code: (code ?? 255) & 0xff }
        : { kind: "signaled", signal: Os.constants.signals[signal] },
    )
  })
  return RunningChild.make({
    pid,
    events,
    container,
    group,
    stdin,
    endStdin: stdin.end,
    outputs: [read(child.stdout, "stdout", events), read(child.stderr, "stderr", events)],
  })
}

const read = (
  stream: Readable | null,
  name: Spawner.OutputStream,
  events: ChildEvents.ChildEvents,
): RunningChild.Output => {
  const end = () => events.end(name)
  let paused = false
  const take = () => {
    while (!paused) {
      const most = Math.min(stream?.readableLength ?? 0, CHUNK_BYTES)
      const bytes: Uint8Array | null = stream?.read(most || undefined) ?? null
      if (bytes === null) return
      events.output(name, bytes)
    }
  }
  // Not `data`: after the exit of the child Node resumes such a stream, and Bun delivers while it is paused.
  stream?.on("readable", take)
  stream?.on("error", () => {})
  stream?.on("end", end)
  stream?.on("close", end)
  return {
    pause: () => {
      paused = true
    },
    resume: () => {
      paused = false
      process.nextTick(take)
    },
    destroy: () => void stream?.destroy(),
  }
}

/** The error of a child without a pid: `node:child_process` reports it in a later tick. */
const failure = (child: ChildProcess): Effect.Effect<never, SpawnError.SpawnError> =>
  Effect.callback((resume) => {
    child.once("error", (error) => resume(Effect.fail(OsError.fromUnknown(error))))
  })
