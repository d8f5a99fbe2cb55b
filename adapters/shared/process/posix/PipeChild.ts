/**
 * A child on pipes: `/dev/null` or a pipe as its stdin, and one pipe each for stdout and stderr.
 *
 * These are real pipes, as with the peer: a child may open `/dev/stderr`, and a write without a reader is SIGPIPE.
 */
import type * as Spawner from "../../../../core/spawn/Spawner.ts"
import type { SpawnError } from "../../../../core/spawn/SpawnError.ts"
import * as ChildEvents from "../ChildEvents.ts"
import * as OsError from "../../host/OsError.ts"
import { Errno } from "../ProgramPath.ts"
import * as RunningChild from "../RunningChild.ts"
import * as StdinWriter from "../StdinWriter.ts"
import * as Launch from "./Launch.ts"
import type { Libc } from "./Libc.ts"

/** Starts a child on pipes. A failure leaves nothing behind. */
export const start = (
  host: Launch.Host,
  spec: Spawner.SpawnSpec,
  withStdin: boolean,
  sink: Spawner.SpawnEvents,
): RunningChild.RunningChild | SpawnError => {
  const { libc, descriptors } = host
  const pipes = openPipes(libc, withStdin ? 3 : 2)
  if (pipes instanceof Errno) return OsError.fromErrno(pipes.errno)
  const [out, err, input] = pipes
  if (out === undefined || err === undefined) return OsError.fromErrno(0)
  const theirs = { kind: "pipe", stdin: input?.read, stdout: out.write, stderr: err.write } as const
  const launched = Launch.launch(host, spec, theirs)
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
    // After the exit nobody reads stdin, unless the group lingers: do not keep its descriptor as long as the child.
    group: Launch.watch(host, launched, events, (group) => group.lingering() || stdin.destroy()),
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
