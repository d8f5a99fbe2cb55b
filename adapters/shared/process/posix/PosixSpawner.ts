/**
 * The spawner of 64-bit Linux: `posix_spawn` for children on pipes and on PTYs alike.
 *
 * A child leads its own session and group, inherits descriptors 0, 1 and 2 only, ignores and blocks no signal, and its
 * exit is reported exactly, also a death by a real-time signal.
 */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import type * as Spawner from "../../../../core/spawn/Spawner.ts"
import * as SpawnError from "../../../../core/spawn/SpawnError.ts"
import * as SpecCheck from "../../../../core/spawn/SpecCheck.ts"
import type { PtyDevice } from "./PtyDevice.ts"
import * as ChildEvents from "../ChildEvents.ts"
import * as OsError from "../../host/OsError.ts"
import { Errno, toSpawnError } from "../ProgramPath.ts"
import * as RunningChild from "../RunningChild.ts"
import * as StdinWriter from "../StdinWriter.ts"
import type { Libc, ChildStdio } from "./Libc.ts"
import * as Containment from "../contain/Containment.ts"
import * as ProcessGroup from "../ProcessGroup.ts"
import * as ProgramPath from "../ProgramPath.ts"
import type { ChildWatch, Ended } from "./ChildWatch.ts"
import type { Descriptors } from "./Descriptors.ts"
import type { PidFds } from "./PidFd.ts"

export interface Host extends ProcessGroup.Host {
  readonly libc: Libc
  readonly descriptors: Descriptors
  readonly watch: ChildWatch
  readonly pidFds: PidFds
}

/** A spawner for this host; without `device` it has no PTYs. */
export const make = (host: Host, device: PtyDevice | undefined): Spawner.SpawnerService => ({
  capabilities: {
    pty: device !== undefined,
    resize: device !== undefined,
    arg0: true,
    processGroup: true,
    pipeStdin: true,
    pause: true,
    confine: false,
  },
  spawn: (spec, events) =>
    Effect.uninterruptible(
      Effect.flatMap(Effect.scope, (scope) =>
        Effect.flatMap(start(host, device, spec, events), ({ close, handle }) =>
          Effect.as(Scope.addFinalizer(scope, Effect.sync(close)), handle),
        ),
      ),
    ),
})

const start = (
  host: Host,
  device: PtyDevice | undefined,
  spec: Spawner.SpawnSpec,
  events: Spawner.SpawnEvents,
): Effect.Effect<RunningChild.RunningChild, SpawnError.SpawnError> => {
  const refusal = SpecCheck.refusal(spec)
  if (refusal !== undefined) return Effect.fail(refusal)
  const child = begin(host, device, spec, events)
  return child instanceof SpawnError.SpawnError ? Effect.fail(child) : Effect.succeed(child)
}

const begin = (
  host: Host,
  device: PtyDevice | undefined,
  spec: Spawner.SpawnSpec,
  events: Spawner.SpawnEvents,
): RunningChild.RunningChild | SpawnError.SpawnError => {
  const { stdio } = spec
  if (stdio.kind === "pipe") return startOnPipes(host, spec, stdio.stdin, events)
  if (device !== undefined) return startOnPty(host, device, spec, stdio.size, events)
  return new SpawnError.SpawnError({ reason: "Unsupported", message: "no PTY on this host" })
}

/**
 * Starts a child on pipes; a failure leaves nothing behind. These are real pipes, as with the peer: a child may open
 * `/dev/stderr`, and a write without a reader is SIGPIPE.
 */
const startOnPipes = (
  host: Host,
  spec: Spawner.SpawnSpec,
  withStdin: boolean,
  sink: Spawner.SpawnEvents,
): RunningChild.RunningChild | SpawnError.SpawnError => {
  const { libc, descriptors } = host
  const pipes = openPipes(libc, withStdin ? 3 : 2)
  if (pipes instanceof Errno) return OsError.fromErrno(pipes.errno)
  const [out, err, input] = pipes
  if (out === undefined || err === undefined) return OsError.fromErrno(0)
  const theirs = { kind: "pipe", stdin: input?.read, stdout: out.write, stderr: err.write } as const
  const launched = launch(host, spec, theirs)
  for (const fd of [theirs.stdout, theirs.stderr, theirs.stdin]) {
    if (fd !== undefined) libc.close(fd)
  }
  if (launched instanceof Errno) {
    for (const fd of [out.read, err.read, input?.write]) if (fd !== undefined) libc.close(fd)
    return OsError.fromErrno(launched.errno)
  }
  const { pid, container } = launched
  const end = (stream: Spawner.OutputStream) => {
    host.watch.hint(pid)
    sink.end(stream)
  }
  const events = ChildEvents.make({ ...sink, end }, ["stdout", "stderr"])
  const stdin = input === undefined ? StdinWriter.none : descriptors.writer(input.write)
  return RunningChild.make({
    pid,
    events,
    container,
    // After the exit stdin has no reader, unless the group lingers: do not keep its descriptor as long as the child.
    group: watch(host, launched, events, (group) => group.lingering() || stdin.destroy()),
    stdin,
    endStdin: stdin.end,
    outputs: [descriptors.reader(out.read, "stdout", events), descriptors.reader(err.read, "stderr", events)],
  })
}

interface Pipe {
  readonly read: number
  readonly write: number
}

const openPipes = (libc: Libc, count: number): ReadonlyArray<Pipe> | Errno => {
  const pipes: Array<Pipe> = []
  const ends = new Int32Array(2)
  while (pipes.length < count) {
    const result = libc.pipe(ends)
    if (result < 0) {
      for (const { read, write } of pipes) [read, write].forEach(libc.close)
      return new Errno(-result)
    }
    pipes.push({ read: ends[0] ?? -1, write: ends[1] ?? -1 })
  }
  return pipes
}

/**
 * Starts a child on a PTY of this size; a failure leaves nothing behind.
 *
 * No output is lost at the exit, for two reasons: the server holds the slave open until the child has exited, so a
 * child that closes its terminal for a while is not hung up; and the master is read until EIO, which follows the last
 * close. A descendant that holds the terminal delays the end of the stream, not the exit. Abandoning the output closes
 * the master, which hangs up every process that is still on the terminal.
 */
const startOnPty = (
  host: Host,
  device: PtyDevice,
  spec: Spawner.SpawnSpec,
  size: Spawner.TerminalSize,
  sink: Spawner.SpawnEvents,
): RunningChild.RunningChild | SpawnError.SpawnError => {
  const { libc } = host
  const pty = device.open(size)
  if (pty instanceof Errno) return OsError.fromErrno(pty.errno)
  const launched = launch(host, spec, { kind: "pty", path: pty.path })
  if (launched instanceof Errno) {
    libc.close(pty.master)
    libc.close(pty.slave)
    return toSpawnError(launched)
  }
  let slaveOpen = true
  const releaseSlave = () => {
    if (slaveOpen) libc.close(pty.slave)
    slaveOpen = false
  }
  const { pid, container } = launched
  const events = ChildEvents.make(sink, ["pty"])
  const { output, stdin, open } = host.descriptors.terminal(pty.master, events)
  return RunningChild.make({
    pid,
    events,
    container,
    group: watch(host, launched, events, releaseSlave),
    stdin,
    endStdin: () => {},
    outputs: [
      {
        ...output,
        destroy: () => {
          output.destroy()
          releaseSlave()
        },
      },
    ],
    resize: (size) =>
      Effect.try({
        try: () => {
          if (open()) device.resize(pty.master, size)
        },
        catch: (cause) => new SpawnError.SignalError({ reason: "Unknown", message: String(cause), cause }),
      }),
  })
}

interface Launched {
  readonly pid: number
  readonly container: Containment.Container
}

/** Starts a child: its pid, or why there is none. The caller must `watch` it in the same tick. */
const launch = (
  { libc, groups, contain }: Host,
  spec: Spawner.SpawnSpec,
  stdio: ChildStdio,
): Launched | Errno => {
  const argv = [spec.arg0 ?? spec.argv[0], ...spec.argv.slice(1)]
  const env = Object.entries(spec.env).map(([name, value]) => `${name}=${value}`)
  const launch = () =>
    ProgramPath.search(spec, libc.access, (path) => {
      groups.starting(stdio.kind === "pty" ? stdio.path : libc.inode(stdio.stdout)?.toString())
      const pid = libc.spawn({ path, argv, env, cwd: spec.cwd, stdio })
      return pid < 0 ? new Errno(-pid) : pid
    })
  const contained = Containment.around(contain, launch, (pid) => (typeof pid === "number" ? pid : undefined))
  if (contained instanceof Errno) return contained
  const { started, container } = contained
  if (typeof started === "number") return { pid: started, container }
  groups.starting(undefined)
  return started
}

/** The group of a child that was just launched. `onExit` is called before its exit is reported. */
const watch = (
  host: Host,
  { pid, container }: Launched,
  events: ChildEvents.ChildEvents,
  onExit: (group: ProcessGroup.ProcessGroup) => void,
): ProcessGroup.ProcessGroup => {
  const group = ProcessGroup.make(pid, host, host.pidFds.group(pid))
  host.watch.add(pid, (reap) => {
    let ended: Ended | undefined
    group.leaderEnded(() => (ended = reap()))
    onExit(group)
    container.childEnded()
    if (ended !== undefined) events.exit(ended.status, ended.ending)
  })
  return group
}
