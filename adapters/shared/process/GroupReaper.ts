/**
 * Kills the processes that a server leaves behind, even if the server is killed with SIGKILL.
 *
 * A tiny `/bin/sh` in a session of its own reads from a pipe which groups exist. Only the server holds the other end,
 * so however the server ends, the shell reads EOF, kills every group that is still on its list, and exits. It starts
 * with the first child. If it is killed, another one starts with the whole list. It does not keep the server's event
 * loop alive. Where children are in cgroups, it has no list, and kills what is inside them.
 *
 * A new group is written to the pipe before its start is reported; ended groups are written in batches. If the server
 * is killed between the start of a child and the write of its id, the shell finds the child in /proc by the pipe or
 * terminal that it was given (pipes from Linux 5.14 on). Not on Windows.
 */
import type { ChildProcess } from "node:child_process"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Registry } from "./ProcessGroup.ts"
import type { ProcessTable } from "./ProcessTable.ts"
import * as ReaperShell from "./ReaperShell.ts"

/** Ended groups are written together after this time. */
const BATCH_MILLIS = 5
/** A shell that exits at once is started again after this time. */
const RESTART_MILLIS = 1_000

/** Who is killed. */
export interface Options {
  /** True if the descendants of the groups are killed too, whatever group they have made. */
  readonly descends?: boolean
}

/** A registry of groups that are killed when this process ends, however it ends, or when the scope closes. */
export const make = (
  table: ProcessTable,
  { descends = false }: Options = {},
): Effect.Effect<Registry, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => unsafeMake(table, descends)),
      (reaper) => Effect.sync(reaper.close),
    ),
    ({ starting, add, outlives, remove }) => ({ starting, add, outlives, remove }),
  )

/**
 * The same for children in cgroups: what is inside those whose paths begin with `leaves` is killed. To be run before a
 * child is started: the shell starts with the first one, and must not be in its cgroup.
 */
export const makeForCgroups = (leaves: string): Effect.Effect<() => void, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => unsafeMakeForCgroups(leaves)),
      (reaper) => Effect.sync(reaper.close),
    ),
    ({ starting }) => starting,
  )

/** Nobody has to be told of groups. */
export const none: Registry = { starting: () => {}, add: () => {}, outlives: () => {}, remove: () => {} }

interface GroupReaper extends Registry {
  readonly close: () => void
}

function unsafeMake(table: ProcessTable, descends: boolean): GroupReaper {
  /** What each group is known by: `+` and its leader's start, or `~` and when it was seen without one. */
  const groups = new Map<number, string>()
  const sent = new Map<number, string>()
  const changed = new Set<number>()
  let shell: ChildProcess | undefined
  let timer: NodeJS.Timeout | undefined
  let startedAt = 0
  let closed = false

  const flushIn = (millis: number) => {
    timer ??= setTimeout(flush, millis).unref()
  }

  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    let text = ""
    for (const id of changed) {
      const known = groups.get(id)
      if (known === sent.get(id)) continue
      text += known === undefined ? `- ${id}\n` : `${known.slice(0, 1)} ${id} ${known.slice(1)}\n`
      if (known === undefined) sent.delete(id)
      else sent.set(id, known)
    }
    changed.clear()
    if (text !== "") send(text)
  }

  const send = (text: string) => {
    if (closed) return
    if (shell === undefined) {
      startedAt = performance.now()
      shell = ReaperShell.start(onEnd, descends ? ["", "", "descend"] : [])
    }
    shell.stdin?.write(text)
  }

  const onEnd = () => {
    shell = undefined
    sent.clear()
    for (const id of groups.keys()) changed.add(id)
    if (closed || groups.size === 0) return
    flushIn(performance.now() - startedAt < RESTART_MILLIS ? RESTART_MILLIS : BATCH_MILLIS)
  }

  return {
    starting: (holds) => send(`= ${holds ?? ""}\n`),
    add: (id) => {
      groups.set(id, `+${table.find(id)?.start ?? 0}`)
      changed.add(id)
      flush()
    },
    outlives: (id) => {
      groups.set(id, `~${table.now()}`)
      changed.add(id)
      flushIn(BATCH_MILLIS)
    },
    remove: (id) => {
      groups.delete(id)
      changed.add(id)
      flushIn(BATCH_MILLIS)
    },
    close: () => {
      flush()
      closed = true
      clearTimeout(timer)
      shell?.stdin?.end()
    },
  }
}

/** Its shell starts with the first child, and again when it was killed. */
const unsafeMakeForCgroups = (leaves: string) => {
  let shell: ChildProcess | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false
  const begin = () => {
    if (closed) return
    shell = ReaperShell.start(() => {
      timer = setTimeout(begin, RESTART_MILLIS).unref()
    }, [leaves, String(process.pid)])
  }
  return {
    starting: () => {
      if (shell === undefined) begin()
    },
    close: () => {
      closed = true
      clearTimeout(timer)
      shell?.stdin?.end()
    },
  }
}
