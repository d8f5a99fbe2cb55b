/**
 * What a case about a spawner works with: children, a folder of its own, and waits that measure time in
 * what other children of the same spawner do, never in seconds.
 *
 * After the case every child's scope is closed, and the folder is gone, which ends the loops of children
 * that a broken spawner has left behind.
 */
import { existsSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { SpawnError } from "../../core/spawn/SpawnError.ts"
import type * as Spawner from "../../core/spawn/Spawner.ts"
import { fail } from "../suite/Check.ts"
import { pause } from "../suite/Deadline.ts"
import * as Procfs from "../suite/wire/Procfs.ts"
import { SpawnedChild, sh, type ChildOptions } from "./SpawnedChild.ts"
import * as SeamCase from "../seam/SeamCase.ts"
import type { OpenContext, Subject } from "../seam/SeamRunner.ts"

/** What a case may need: a capability of the manifest, or Linux's /proc. */
export type Need = keyof Spawner.Capabilities | "procfs"

export type Case = SeamCase.SeamCase<Need, SpawnerContext>

export const table: (
  prefix: string,
  specs: { readonly [name: string]: SeamCase.CaseSpec<Need, SpawnerContext> },
) => ReadonlyArray<Case> = SeamCase.table

export interface SpawnerContext {
  readonly capabilities: Spawner.Capabilities
  /** A folder of this case, as a path without links. */
  readonly folder: string
  /** A started child. */
  readonly start: (options: ChildOptions) => Promise<SpawnedChild>
  /** A child that has run to its end and whose scope is closed. */
  readonly run: (options: ChildOptions) => Promise<SpawnedChild>
  /** Why a child cannot be started. */
  readonly refused: (options: ChildOptions) => Promise<SpawnError>
  /** Waits as long as some other children take from start to end: for what must not happen meanwhile. */
  readonly others: (count?: number) => Promise<void>
  /** Waits for a condition outside the events of a child. */
  readonly until: (holds: () => boolean, what: string) => Promise<void>
  /** Runs `body` `count` times, some at a time. */
  readonly times: (count: number, atOnce: number, body: () => Promise<void>) => Promise<void>
  /** A script that waits until a file of this name is in the folder. */
  readonly waitFor: (name: string) => string
  /** Puts an empty file there. */
  readonly put: (name: string) => void
  /** Whether a file of this name is there. */
  readonly has: (name: string) => boolean
  /** A script that does nothing until it is killed. */
  readonly idle: string
  /** A script that writes to a file of this name until it is killed. */
  readonly beat: (name: string) => string
  /** Waits until every one of these is written to. */
  readonly beating: (...names: ReadonlyArray<string>) => Promise<void>
  /** Fails if a process still writes to one of these, while another one writes elsewhere. */
  readonly silent: (...names: ReadonlyArray<string>) => Promise<void>
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
  item: Case,
  timeoutMs: number,
): OpenContext<SpawnerContext> => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "procwire-spawner-")))
  const children = new Set<SpawnedChild>()
  const faults: Array<string> = []
  const notes: Array<string> = []
  let beats = 0

  /** A case that uses what it does not list would fail on a spawner that rightly lacks it. */
  const listed = (used: boolean, need: Need) => {
    if (used && !item.requires.includes(need)) fail(`the case uses ${need} and does not list it`)
  }
  const make = (options: ChildOptions): SpawnedChild => {
    const child = new SpawnedChild(options, timeoutMs)
    children.add(child)
    return child
  }
  const start: SpawnerContext["start"] = async (options) => {
    listed(options.pty !== undefined && options.pty !== false, "pty")
    listed(options.stdin === true, "pipeStdin")
    listed(options.arg0 !== undefined, "arg0")
    const child = make(options)
    const refusal = await child.spawn(spawner)
    if (refusal !== undefined) fail(`${options.argv[0]} was refused: ${refusal.reason}, ${refusal.message}`)
    return child
  }
  const run: SpawnerContext["run"] = async (options) => {
    const child = await start(options)
    await child.finished()
    await child.close()
    faults.push(...child.faults)
    children.delete(child)
    return child
  }
  const size = (name: string) => (existsSync(join(folder, name)) ? statSync(join(folder, name)).size : 0)
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
  const inFolder = (name: string) => `'${join(folder, name)}'`
  const beat: SpawnerContext["beat"] = (name) =>
    `while [ -d '${folder}' ]; do printf x >>${inFolder(name)}; sleep 0.02; done`

  const context: SpawnerContext = {
    capabilities: spawner.capabilities,
    folder,
    start,
    run,
    refused: async (options) => {
      const child = make(options)
      const refusal = await child.spawn(spawner)
      if (child.log.length > 0) fail(`a refused child has told ${child.log.join(", ")}`)
      return refusal ?? fail(`${JSON.stringify(options.argv).slice(0, 100)} was not refused`)
    },
    others: async (count = 10) => {
      for (let i = 0; i < count; i++) await run({ argv: ["/bin/sh", "-c", "echo other"] })
    },
    until,
    times: async (count, atOnce, body) => {
      let left = count
      const worker = async () => {
        while (left-- > 0) await body()
      }
      await Promise.all(Array.from({ length: atOnce }, worker))
    },
    waitFor: (name) => `while [ -d '${folder}' ] && [ ! -e ${inFolder(name)} ]; do sleep 0.02; done`,
    put: (name) => writeFileSync(join(folder, name), ""),
    has: (name) => existsSync(join(folder, name)),
    idle: `while [ -d '${folder}' ]; do sleep 0.05; done`,
    beat,
    beating: async (...names) => {
      for (const name of names) await until(() => size(name) > 0, `the process of ${name} to run`)
    },
    silent: async (...names) => {
      const control = `control-${++beats}`
      const child = await start({ argv: sh(beat(control)) })
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
    fault: () => faults[0] ?? [...children].flatMap((child) => child.faults)[0],
    close: async () => {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
      await Promise.all([...children].map((child) => child.close()))
    },
  }
}
