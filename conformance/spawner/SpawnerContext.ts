/**
 * The context of a case about a spawner: children, a folder of its own, and waits that measure time in
 * what other children of the same spawner do, never in seconds.
 *
 * After the case the scope of every child is closed and the folder is removed, which ends the scripts of children
 * that a broken spawner has left behind.
 */
import type * as Spawner from "../../core/spawn/Spawner.ts"
import * as SeamCase from "../seam/SeamCase.ts"
import type { OpenContext, Subject } from "../seam/SeamRunner.ts"
import { fail } from "../suite/Check.ts"
import { pause } from "../suite/Deadline.ts"
import * as Procfs from "../suite/wire/Procfs.ts"
import { sh, SpawnedChild, type ChildOptions } from "./SpawnedChild.ts"
import type { SpawnError } from "../../core/spawn/SpawnError.ts"
import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { quote } from "../suite/ShellWords.ts"

/** The needs of a case: a capability of the manifest, or Linux's /proc. */
export type Need = keyof Spawner.Capabilities | "procfs"

/** A case of the spawner suite. */
export type Case = SeamCase.SeamCase<Need, SpawnerContext>

/** Completes a table of cases, all below one path. */
export const table = SeamCase.table<Need, SpawnerContext>

/** The context of a case: its children, its folder, and waits. */
export interface SpawnerContext
  extends
    Pick<CaseChildren, "start" | "run" | "refused">,
    Pick<CaseFolder, "put" | "has" | "waitFor" | "idle" | "beat"> {
  /** The declared capabilities of the spawner. */
  readonly capabilities: Spawner.Capabilities
  /** The path of the folder of this case, without symbolic links. */
  readonly folder: string
  /** Waits as long as `count` other children (10) take from start to end: for what must not happen meanwhile. */
  readonly others: (count?: number) => Promise<void>
  /** Waits for a condition outside the events of a child. */
  readonly until: (holds: () => boolean, what: string) => Promise<void>
  /** Runs `body` `count` times, some at a time. */
  readonly times: (count: number, atOnce: number, body: () => Promise<void>) => Promise<void>
  /** Waits until a script of `beat` has written to each of these files. */
  readonly beating: (...names: ReadonlyArray<string>) => Promise<void>
  /** Fails if one of these files still grows while a new child writes to another. */
  readonly silent: (...names: ReadonlyArray<string>) => Promise<void>
  /** Adds a figure to the report. */
  readonly note: (text: string) => void
}

/** The spawner as a subject of the cases. */
export const subject = (spawner: Spawner.SpawnerService): Subject<Need, SpawnerContext> => ({
  lacks: (need) => {
    if (need === "procfs") return Procfs.available ? undefined : "needs Linux's /proc"
    return spawner.capabilities[need] ? undefined : `the spawner does not declare ${need}`
  },
  open: async (item, timeoutMs) => open(spawner, item, timeoutMs),
})

const open = (
  spawner: Spawner.SpawnerService,
  { requires }: Case,
  timeoutMs: number,
): OpenContext<SpawnerContext> => {
  const { path, size, remove, ...scripts } = makeFolder()
  const { fault, close, ...children } = makeChildren(spawner, requires, timeoutMs)
  const notes: Array<string> = []
  let controls = 0

  const until: SpawnerContext["until"] = async (holds, what) => {
    const began = performance.now()
    for (; !holds(); await pause(5)) {
      if (performance.now() - began > timeoutMs) fail(`waited ${timeoutMs} ms in vain for ${what}`)
    }
  }
  const grown = async (name: string, by: number) => {
    const before = size(name)
    await until(() => size(name) >= before + by, `${by} more beats of ${name}`)
  }
  const context: SpawnerContext = {
    ...children,
    ...scripts,
    capabilities: spawner.capabilities,
    folder: path,
    until,
    others: async (count = 10) => {
      for (let i = 0; i < count; i++) await children.run({ argv: ["/bin/sh", "-c", "echo other"] })
    },
    times: async (count, atOnce, body) => {
      let left = count
      const worker = async () => {
        while (left-- > 0) await body()
      }
      await Promise.all(Array.from({ length: atOnce }, worker))
    },
    beating: async (...names) => {
      for (const name of names) await until(() => size(name) > 0, `the process of ${name} to run`)
    },
    silent: async (...names) => {
      const control = `control-${++controls}`
      const child = await children.start({ argv: sh(scripts.beat(control)) })
      await grown(control, 2)
      const before = names.map(size)
      await grown(control, 10)
      const alive = names.filter((name, i) => size(name) > (before[i] ?? 0))
      await child.close()
      if (alive.length > 0) fail(`still alive: ${alive.join(", ")}`)
    },
    note: (text) => notes.push(text),
  }
  return {
    context,
    notes,
    fault,
    close: async () => {
      remove()
      await close()
    },
  }
}

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

/** The children of one case: started, run to their end, or refused, and all closed when the case is over. */
type CaseChildren = ReturnType<typeof makeChildren>

/** `requires` is what the case lists. */
const makeChildren = (
  spawner: Spawner.SpawnerService,
  requires: ReadonlyArray<string>,
  timeoutMs: number,
) => {
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

/** A temporary folder and scripts that live no longer than it. */
type CaseFolder = ReturnType<typeof makeFolder>

/** Creates a folder below that for temporary files; as there, children of other users may write to it. */
const makeFolder = () => {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "procwire-spawner-")))
  chmodSync(path, 0o1777)
  const file = (name: string): string => join(path, name)
  const has = (name: string): boolean => existsSync(file(name))
  const present = `[ -d ${quote(path)} ]`
  return {
    /** A path without symbolic links. */
    path,
    /** Creates an empty file. */
    put: (name: string): void => writeFileSync(file(name), ""),
    /** True if there is a file of this name. */
    has,
    /** The size of a file in bytes; 0 if there is none. */
    size: (name: string): number => (has(name) ? statSync(file(name)).size : 0),
    /** A script that waits until there is a file of this name. */
    waitFor: (name: string) => `while ${present} && [ ! -e ${quote(file(name))} ]; do sleep 0.02; done`,
    /** A script that does nothing until it is killed. */
    idle: `while ${present}; do sleep 0.05; done`,
    /** A script that appends to a file of this name until it is killed. */
    beat: (name: string) => `while ${present}; do printf x >>${quote(file(name))}; sleep 0.02; done`,
    /** Removes the folder, which ends its scripts. */
    remove: (): void => rmSync(path, { recursive: true, force: true, maxRetries: 3 }),
  }
}
