/** Chooses the containment of a spawner, and who kills what a server leaves behind. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as GroupAddress from "../GroupAddress.ts"
import * as GroupReaper from "../GroupReaper.ts"
import type * as HelperShell from "../HelperShell.ts"
import type { KernelFiles } from "../../host/KernelFiles.ts"
import type { Registry } from "../ProcessGroup.ts"
import type { ProcessTable } from "../ProcessTable.ts"
import type { ChildWatch } from "../posix/ChildWatch.ts"
import type { PidFds } from "../posix/PidFd.ts"
import * as Cgroup from "./Cgroup.ts"
import * as CgroupTree from "./CgroupTree.ts"
import * as Containment from "./Containment.ts"
import type { KillListed } from "./Cgroup.ts"
import * as Subreaper from "./Subreaper.ts"

/** A containment that was asked for is impossible on this host. */
export class Unavailable extends Data.TaggedError("ContainUnavailable")<{
  readonly choice: Containment.Choice
  /** The reason, and what would help. */
  readonly message: string
}> {}

/** The containment of a spawner. */
export interface Contained {
  readonly contain: Containment.Containment
  readonly groups: Registry
}

/** The cgroup of this program, shared by all its spawners. */
export interface Trees {
  readonly acquire: (files: KernelFiles, table: ProcessTable) => CgroupTree.CgroupTree
  readonly release: () => void
  /** Names the leaves of one spawner. */
  readonly nextName: () => string
}

/** No cgroup yet: it is made for the first spawner, and removed after the last. */
export const makeTrees = (): Trees => {
  let tree: CgroupTree.CgroupTree | undefined
  let users = 0
  let names = 0
  const close = () => {
    process.off("exit", close)
    tree?.close()
    tree = undefined
  }
  return {
    acquire: (files, table) => {
      if (tree === undefined) {
        tree = CgroupTree.make(files, table)
        // A program may end without closing its containments.
        process.on("exit", close)
      }
      users += 1
      return tree
    },
    release: () => {
      users -= 1
      if (users === 0) close()
    },
    nextName: () => String((names += 1)),
  }
}

/** The parts of a containment on this host. */
export interface Means {
  readonly trees: Trees
  readonly files: KernelFiles
  readonly table: ProcessTable
  /** Absent where the C library cannot be called. */
  readonly native: Native | undefined
  /** True if `auto` may choose `subreaper`. */
  readonly mayAdopt: boolean
  /** So many processes survived the end of the process that they belong to. */
  readonly onEscape: (count: number) => void
}

/** The parts that need the C library. */
export interface Native {
  readonly pidFds: PidFds
  readonly watch: ChildWatch
  readonly startShell: HelperShell.Start
  /** Makes this process the parent of its orphaned descendants; false if the kernel refuses. */
  readonly adopt: () => boolean
}

/** The containment of this choice. With `auto` a debug log says which one it is, and why not a better one. */
export const make = (
  choice: Containment.Choice,
  means: Means,
): Effect.Effect<Contained, Unavailable, Scope.Scope> => {
  const byGroup = Effect.map(
    GroupReaper.make(means.table, { start: means.native?.startShell }),
    (groups) => ({
      contain: Containment.none,
      groups,
    }),
  )
  if (choice === "none") return byGroup
  if (choice === "cgroup") return byCgroup(means)
  if (choice === "subreaper") return byAdoption(means)
  const or = (next: Effect.Effect<Contained, Unavailable, Scope.Scope>) =>
    Effect.catch(({ message }: Unavailable) => Effect.andThen(Effect.logDebug(message), next))
  return byCgroup(means).pipe(
    or(means.mayAdopt ? byAdoption(means) : byGroup),
    or(byGroup),
    Effect.tap(({ contain }) => Effect.logDebug(`descendants are contained by: ${contain.name}`)),
  )
}

const byCgroup = ({
  trees,
  files,
  table,
  native,
}: Means): Effect.Effect<Contained, Unavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const tree = yield* Effect.acquireRelease(
      Effect.try({
        try: () => trees.acquire(files, table),
        catch: (error) =>
          new Unavailable({
            choice: "cgroup",
            message: `no cgroup for processes can be made: ${error instanceof Error ? error.message : String(error)}`,
          }),
      }),
      () => Effect.sync(trees.release),
    )
    const made = Effect.sync(() =>
      Cgroup.make(tree, trees.nextName(), native?.pidFds.killListed ?? killListed),
    )
    const contain = yield* Effect.acquireRelease(made, ({ close }) => Effect.sync(close))
    const starting = yield* GroupReaper.makeForCgroups(contain.prefix, native?.startShell)
    const enter = () => {
      starting()
      return contain.enter()
    }
    return { contain: { name: contain.name, enter }, groups: GroupReaper.none }
  })

const byAdoption = ({
  files,
  table,
  native,
  onEscape,
}: Means): Effect.Effect<Contained, Unavailable, Scope.Scope> =>
  Effect.gen(function* () {
    if (native === undefined || !native.adopt())
      return yield* new Unavailable({
        choice: "subreaper",
        message: "descendants cannot be adopted: prctl of the C library cannot be called here",
      })
    const groups = yield* GroupReaper.make(table, { descends: true, start: native.startShell })
    const { signal } = native.pidFds
    const isOwn = (pid: number) => mayBeHelper(files.read(`/proc/${pid}/cmdline`))
    const made = Effect.sync(() => Subreaper.make({ table, signal, groups, isOwn, onEscape }))
    const contain = yield* Effect.acquireRelease(made, ({ close }) => Effect.sync(close))
    yield* Effect.acquireRelease(
      Effect.sync(() => native.watch.reapAlso(contain.isOrphan)),
      (stop) => Effect.sync(stop),
    )
    return { contain, groups }
  })

/**
 * True for the command line of a helper of ours, which has a session of its own and an argument that says so, and of a
 * process that is dying, helper or not: its memory is given back, and its command line empty, before it is a zombie.
 */
export const mayBeHelper = (commandLine: string): boolean =>
  commandLine === "" || commandLine.includes("\0procwire-")

/** Without libc. Listed processes are frozen, so their pids are not used again. */
const killListed: KillListed = (list) => {
  for (const pid of list()) GroupAddress.kill(pid, 9)
}
