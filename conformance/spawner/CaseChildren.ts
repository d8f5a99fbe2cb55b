/**
 * The children of one case: started, run to their end, or refused, and all closed when the case is over.
 */
import type { SpawnError } from "../../core/spawn/SpawnError.ts"
import type * as Spawner from "../../core/spawn/Spawner.ts"
import { fail } from "../suite/Check.ts"
import { SpawnedChild, type ChildOptions } from "./SpawnedChild.ts"

/** The capabilities that the options of a child can ask for. */
type Used = "pty" | "pipeStdin" | "arg0"

/** A case that uses a capability that it does not list would fail on a spawner that rightly lacks it. */
const checkListed = (options: ChildOptions, requires: ReadonlyArray<string>): void => {
  const used: { readonly [need in Used]: boolean } = {
    pty: options.pty !== undefined && options.pty !== false,
    pipeStdin: options.stdin === true,
    arg0: options.arg0 !== undefined,
  }
  for (const [need, isUsed] of Object.entries(used)) {
    if (isUsed && !requires.includes(need)) fail(`the case uses ${need} and does not list it`)
  }
}

/** The children of one case. */
export type CaseChildren = ReturnType<typeof make>

/** `requires` is what the case lists. */
export const make = (spawner: Spawner.SpawnerService, requires: ReadonlyArray<string>, timeoutMs: number) => {
  const open = new Set<SpawnedChild>()
  const faults: Array<string> = []
  const create = (options: ChildOptions): SpawnedChild => {
    const child = new SpawnedChild(options, timeoutMs)
    open.add(child)
    return child
  }
  const start = async (options: ChildOptions): Promise<SpawnedChild> => {
    checkListed(options, requires)
    const child = create(options)
    const refusal = await child.spawn(spawner)
    if (refusal !== undefined) fail(`${options.argv[0]} was refused: ${refusal.reason}, ${refusal.message}`)
    return child
  }
  return {
    /** Starts a child; a refusal fails the case. */
    start,
    /** Runs a child to its end and closes its scope. */
    run: async (options: ChildOptions): Promise<SpawnedChild> => {
      const child = await start(options)
      await child.finished()
      await child.close()
      faults.push(...child.faults)
      open.delete(child)
      return child
    },
    /** The error with which a child is refused; a child that starts fails the case. */
    refused: async (options: ChildOptions): Promise<SpawnError> => {
      const child = create(options)
      const refusal = await child.spawn(spawner)
      if (child.log.length > 0) fail(`a refused child has events: ${child.log.join(", ")}`)
      return refusal ?? fail(`${JSON.stringify(options.argv).slice(0, 100)} was not refused`)
    },
    /** The first thing that a child has done and no child may do. */
    fault: (): string | undefined => faults[0] ?? [...open].flatMap((child) => child.faults)[0],
    /** Closes the scope of every child. */
    close: async (): Promise<void> => {
      await Promise.all([...open].map((child) => child.close()))
    },
  }
}
