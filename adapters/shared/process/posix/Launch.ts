/** What pipe and PTY children share: finding the program, `posix_spawn`, and watching for the exit. */
import type * as Spawner from "../../../../core/spawn/Spawner.ts"
import type { ChildEvents } from "../ChildEvents.ts"
import * as Containment from "../contain/Containment.ts"
import * as ProcessGroup from "../ProcessGroup.ts"
import * as ProgramPath from "../ProgramPath.ts"
import type { ChildWatch, Ended } from "./ChildWatch.ts"
import type { Descriptors } from "./Descriptors.ts"
import type { ChildStdio, Libc } from "./Libc.ts"
import type { PidFds } from "./PidFd.ts"

/** What a spawner over `posix_spawn` needs. */
export interface Host extends ProcessGroup.Host {
  readonly libc: Libc
  readonly descriptors: Descriptors
  readonly watch: ChildWatch
  readonly pidFds: PidFds
}

/** A child that was started. */
export interface Launched {
  readonly pid: number
  readonly container: Containment.Container
}

/** Starts a child: its pid, or why there is none. The caller must `watch` it in the same tick. */
export const launch = (
  { libc, groups, contain }: Host,
  spec: Spawner.SpawnSpec,
  stdio: ChildStdio,
): Launched | ProgramPath.Errno => {
  const argv = [spec.arg0 ?? spec.argv[0], ...spec.argv.slice(1)]
  const env = Object.entries(spec.env).map(([name, value]) => `${name}=${value}`)
  const launch = () =>
    ProgramPath.search(spec, libc.access, (path) => {
      groups.starting(stdio.kind === "pty" ? stdio.path : libc.inode(stdio.stdout)?.toString())
      const pid = libc.spawn({ path, argv, env, cwd: spec.cwd, stdio })
      return pid < 0 ? new ProgramPath.Errno(-pid) : pid
    })
  const contained = Containment.around(contain, launch, (pid) => (typeof pid === "number" ? pid : undefined))
  if (contained instanceof ProgramPath.Errno) return contained
  const { started, container } = contained
  if (typeof started === "number") return { pid: started, container }
  groups.starting(undefined)
  return started
}

/** The group of a child that was just launched. `onExit` is called before its exit is reported. */
export const watch = (
  host: Host,
  { pid, container }: Launched,
  events: ChildEvents,
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
