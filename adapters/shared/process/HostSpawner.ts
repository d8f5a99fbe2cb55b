/**
 * The best spawner of a host: `posix_spawn` where the C library can be called, `node:child_process` elsewhere.
 * A runtime provides data: calls of C, waits for descriptors, and the node-pty package.
 */
import { isMainThread } from "node:worker_threads"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Layer from "effect/Layer"
import * as Spawner from "../../../core/spawn/Spawner.ts"
import * as Contain from "./contain/Contain.ts"
import type * as Containment from "./contain/Containment.ts"
import * as KernelFiles from "../host/KernelFiles.ts"
import * as ProcessGroup from "./ProcessGroup.ts"
import type * as NodePtyChild from "./NodePtyChild.ts"
import * as PortableSpawner from "./PortableSpawner.ts"
import * as ProcessTable from "./ProcessTable.ts"
import * as ChildWatch from "./posix/ChildWatch.ts"
import type { Descriptors } from "./posix/Descriptors.ts"
import type { Ffi } from "./posix/Ffi.ts"
import * as Libc from "./posix/Libc.ts"
import * as LibcKernelFiles from "./posix/LibcKernelFiles.ts"
import * as PidFd from "./posix/PidFd.ts"
import * as PosixHelperShell from "./posix/PosixHelperShell.ts"
import * as PosixSpawner from "./posix/PosixSpawner.ts"
import * as PtyDevice from "./posix/PtyDevice.ts"

/** Calls of the C library. A function throws if this host cannot do it; the error says why. */
export interface Native {
  readonly ffi: () => Ffi
  readonly descriptors: (libc: Libc.Libc) => Descriptors
}

export interface Options {
  /** Absent: the portable spawner is used on every host. */
  readonly native?: Native
  /** Loads the node-pty package, for PTYs where the C library cannot be called. Absent where it does not work. */
  readonly nodePty?: NodePtyChild.Load
}

interface Bound extends Contain.Native {
  readonly libc: Libc.Libc
  readonly descriptors: Descriptors
  readonly files: KernelFiles.KernelFiles
  readonly device: Result.Result<PtyDevice.PtyDevice, string>
}

/** Options of a spawner. */
export interface Choices {
  /** The containment of descendants. The default is `none`. */
  readonly contain?: Containment.Choice | undefined
  /** True if `auto` may choose `subreaper`: every orphan of this process counts as a descendant of a child then. */
  readonly mayAdopt?: boolean | undefined
  /** So many processes survived the end of the process that they belong to; a warning in the log says so too. */
  readonly onEscape?: ((count: number) => void) | undefined
}

/** One spawner per scope. Fails if a containment that was asked for is impossible here. */
export type ToLayer = (choices?: Choices) => Layer.Layer<Spawner.Spawner, Contain.Unavailable>

/** Layers of this host. The C library is bound once; a debug log says why it is not used. */
export const make = ({ native, nodePty }: Options): ToLayer => {
  const leaderless = ProcessGroup.makeLeaderless()
  const trees = Contain.makeTrees()
  let bound: Result.Result<Bound, string> | undefined
  return ({ contain: choice = "none", mayAdopt = false, onEscape: counted } = {}) =>
    Layer.effect(
      Spawner.Spawner,
      Effect.gen(function* () {
        bound ??= bind(native)
        const libc = Result.getOrUndefined(bound)
        const files = libc?.files ?? KernelFiles.node
        const table = ProcessTable.make(files)
        const onEscape = yield* toOnEscape(counted)
        const means = { trees, files, table, native: libc, mayAdopt, onEscape }
        const { contain, groups } = yield* Contain.make(choice, means)
        const host = { groups, leaderless, contain, table }
        if (Result.isFailure(bound)) {
          yield* Effect.logDebug(`spawning through node:child_process: ${bound.failure}`)
          return PortableSpawner.make({ ...host, nodePty })
        }
        const { device, ...rest } = bound.success
        if (Result.isFailure(device)) yield* Effect.logDebug(device.failure)
        return PosixSpawner.make({ ...rest, ...host }, Result.getOrUndefined(device))
      }),
    )
}

/** One spawner per scope, which knows no more of a child than its group. */
export const layer = (options: Options): Layer.Layer<Spawner.Spawner> => Layer.orDie(make(options)())

const toOnEscape = (counted: ((count: number) => void) | undefined) =>
  Effect.map(Effect.context<never>(), (context) => (count: number) => {
    counted?.(count)
    const text = `${count} descendants of a process have survived its end`
    Effect.runForkWith(context)(Effect.logWarning(text))
  })

const bind = (native: Native | undefined): Result.Result<Bound, string> =>
  Result.gen(function* () {
    if (native === undefined) return yield* Result.fail("libc is not to be used")
    if (!isMainThread) return yield* Result.fail("signals reach the main thread only")
    if (process.platform !== "linux") return yield* Result.fail("posix_spawn is only used on Linux")
    if (!process.arch.endsWith("64")) return yield* Result.fail(`no layout of siginfo_t for ${process.arch}`)
    const ffi = yield* attempt("libc is out of reach", native.ffi)
    const libc = yield* attempt("libc is out of reach", () => Libc.bind(ffi))
    const descriptors = yield* attempt("no way to wait for pipes", () => native.descriptors(libc))
    const files = yield* attempt("no files of the kernel", () => LibcKernelFiles.make(ffi, libc))
    const table = ProcessTable.make(files)
    const pidFds = yield* attempt("no system calls", () => PidFd.make(ffi, libc, table))
    const device = attempt("no PTYs", () => PtyDevice.make(ffi, libc))
    const watch = ChildWatch.make(libc)
    return {
      libc,
      descriptors,
      files,
      pidFds,
      watch,
      startShell: PosixHelperShell.make(libc, watch),
      adopt: () => libc.adopt() === 0,
      device,
    }
  })

const attempt = <A>(what: string, evaluate: () => A): Result.Result<A, string> =>
  Result.try({
    try: evaluate,
    catch: (error) => `${what}: ${error instanceof Error ? error.message : String(error)}`,
  })
