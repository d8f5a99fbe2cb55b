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
import * as CaseChildren from "./CaseChildren.ts"
import * as CaseFolder from "./CaseFolder.ts"
import { sh } from "./SpawnedChild.ts"

/** The needs of a case: a capability of the manifest, or Linux's /proc. */
export type Need = keyof Spawner.Capabilities | "procfs"

/** A case of the spawner suite. */
export type Case = SeamCase.SeamCase<Need, SpawnerContext>

/** Completes a table of cases, all below one path. */
export const table = SeamCase.table<Need, SpawnerContext>

/** The context of a case: its children, its folder, and waits. */
export interface SpawnerContext
  extends
    Pick<CaseChildren.CaseChildren, "start" | "run" | "refused">,
    Pick<CaseFolder.CaseFolder, "put" | "has" | "waitFor" | "idle" | "beat"> {
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
  const { path, size, remove, ...scripts } = CaseFolder.make()
  const { fault, close, ...children } = CaseChildren.make(spawner, requires, timeoutMs)
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
