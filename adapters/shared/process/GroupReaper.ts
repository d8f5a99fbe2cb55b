/**
 * Kills the processes that a server leaves behind, even if the server is killed with SIGKILL.
 *
 * A tiny `/bin/sh` in a session of its own reads from a pipe which groups exist. Only the server holds the other end,
 * so however the server ends, the shell reads EOF, kills every group that is still on its list, and exits. It starts
 * with the first child. If it is killed, another one starts with the whole list. It does not keep the server's event
 * loop alive. If children are in cgroups, it has no list, and kills those inside them.
 *
 * A new group is written to the pipe before its start is reported; ended groups are written in batches. If the server
 * is killed between the start of a child and the write of its id, the shell finds the child in /proc by the pipe or
 * terminal that it was given (pipes from Linux 5.14 on). Not on Windows.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as HelperShell from "./HelperShell.ts"
import type { Registry } from "./ProcessGroup.ts"
import type { ProcessTable } from "./ProcessTable.ts"

/** Ended groups are written together after this time. */
const BATCH_MILLIS = 5
/** A shell that exits at once is started again after this time. */
const RESTART_MILLIS = 1_000

export interface Options {
  /** True if the descendants of the groups are killed too, whatever group they have made. */
  readonly descends?: boolean
  /** Starts its shell. The default is `node:child_process`. */
  readonly start?: HelperShell.Start | undefined
}

/** A registry of groups that are killed when this process ends, however it ends, or when the scope closes. */
export const make = (
  table: ProcessTable,
  { descends = false, start = HelperShell.start }: Options = {},
): Effect.Effect<Registry, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => unsafeMake(table, descends, start)),
      (reaper) => Effect.sync(reaper.close),
    ),
    ({ starting, add, outlives, remove }) => ({ starting, add, outlives, remove }),
  )

/**
 * The same for children in cgroups: what is inside those whose paths begin with `leaves` is killed. To be run before a
 * child is started: the shell starts with the first one, and must not be in its cgroup.
 */
export const makeForCgroups = (
  leaves: string,
  start: HelperShell.Start = HelperShell.start,
): Effect.Effect<() => void, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => unsafeMakeForCgroups(leaves, start)),
      (reaper) => Effect.sync(reaper.close),
    ),
    ({ starting }) => starting,
  )

export const none: Registry = { starting: () => {}, add: () => {}, outlives: () => {}, remove: () => {} }

interface GroupReaper extends Registry {
  readonly close: () => void
}

function unsafeMake(table: ProcessTable, descends: boolean, start: HelperShell.Start): GroupReaper {
  /** The mark of each group: `+` and its leader's start, or `~` and the time when it was seen without one. */
  const groups = new Map<number, string>()
  const sent = new Map<number, string>()
  const changed = new Set<number>()
  let shell: HelperShell.HelperShell | undefined
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
      shell = start(SCRIPT, ["procwire-reaper", ...(descends ? ["", "", "descend"] : [])], onEnd)
    }
    shell.write(text)
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
      shell?.end()
    },
  }
}

/** Its shell starts with the first child, and again when it was killed. */
const unsafeMakeForCgroups = (leaves: string, start: HelperShell.Start) => {
  let shell: HelperShell.HelperShell | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false
  const begin = () => {
    if (closed) return
    shell = start(SCRIPT, ["procwire-reaper", leaves, String(process.pid)], () => {
      timer = setTimeout(begin, RESTART_MILLIS).unref()
    })
  }
  return {
    starting: () => {
      if (shell === undefined) begin()
    },
    close: () => {
      closed = true
      clearTimeout(timer)
      shell?.end()
    },
  }
}

/**
 * The shell that kills what a server leaves behind.
 *
 * Its input has one line for each change: `+ ID START` for a group and the start of its leader, `~ ID TIME` for a group
 * that was seen without a leader then, `- ID` for one that is gone, and `= HOLDS` before a start. If there is a
 * /proc, no foreign process that got a number is killed. A leader has to have the start that the server wrote. A group
 * without a leader has to have a member that is as old as the time when the server last saw it, or died: that member
 * has kept the number in use since.
 *
 * Its arguments: what the paths of the leaves begin with, and the pid of the server; empty without cgroups. A thread of
 * a server that lives is no child: its leaf is left alone. The third is not empty if descendants are killed that have
 * left the groups: all of them are stopped first, because a child of a process that has ended has no parent any more.
 * A stopped process keeps its number; one that has just got a number goes on.
 */
const SCRIPT = `
trap '' INT TERM HUP QUIT
leaves=$1 server=$2 descend=$3 tree=\${1%/*}
groups=' ' holds=
while read -r sign id value; do
  case $sign in
    =) holds=$id; continue ;;
    +) holds= ;;
  esac
  case $groups in
    *" $id:"*) rest=\${groups#*" $id:"} groups="\${groups%%" $id:"*} \${rest#* }" ;;
  esac
  [ "$sign" = - ] || groups="$groups$id:$sign$value "
done
stat() { read -r line 2>/dev/null <"$1/stat" && line=\${line##*) }; }
server_runs() { stat "/proc/$server" && [ "\${line%% *}" != Z ]; }
end_inside() {
  while read -r thread; do [ -d "/proc/$server/task/$thread" ] && return 1; done <"$1/cgroup.threads"
  echo 1 >"$1/cgroup.freeze"
  while read -r thread; do
    while read -r line; do
      case $line in 0::*"/\${tree##*/}/"*) kill -s KILL "$thread" ;; esac
    done <"/proc/$thread/cgroup"
  done <"$1/cgroup.threads"
  for below in "$1"/*/; do [ -d "$below" ] && end_inside "\${below%/}"; done
  rmdir "$1"
}
end_leaves() {
  for leaf in "$leaves"*/; do [ ! -d "$leaf" ] || end_inside "\${leaf%/}"; done
  [ -d "$tree" ] || return 0
  # A server that runs may be about to use it again.
  server_runs || rmdir "$tree"
  [ ! -d "$tree" ]
}
if [ -n "$leaves" ]; then
  exec 2>/dev/null
  end_leaves
  echo $$ >"\${tree%/*}/cgroup.procs"
  passes=0
  until end_leaves || [ $passes -gt 200 ]; do
    passes=$((passes + 1))
    sleep 0.05 || sleep 1
  done
  exit
fi
read -r now idle </proc/uptime && now=\${now%.*}\${now#*.}
kill_group() { kill -s KILL -- "-$1" 2>/dev/null; }
ours=' '
end() { if [ -n "$descend" ]; then ours="$ours$1 "; else kill_group "$1"; fi; }
orphans=' '
for each in $groups; do
  id=\${each%%:*} value=\${each#*:?}
  if [ -z "$now" ]; then end "$id"; continue; fi
  if stat "/proc/$id"; then
    set -- $line
    case $each in *:+*) [ "$value" = "\${20}" ] && end "$id" ;; esac
  else
    case $each in *:+*) value=$now ;; esac
    orphans="$orphans$id:$value "
  fi
done
found() {
  [ -n "$holds" ] || return
  case "$holds" in
    /*) [ "$1/fd/0" -ef "$holds" ] ;;
    *) [ -p "$1/fd/1" ] && while read -r name value; do
         [ "$name$value" = "ino:$holds" ] && return
       done <"$1/fdinfo/1" && false ;;
  esac
}
[ "$orphans$holds" = ' ' ] || for process in /proc/[0-9]*; do
  stat "$process" || continue
  set -- $line
  case $orphans in
    *" $3:"*) rest=\${orphans#*" $3:"}; [ "\${20}" -le "\${rest%% *}" ] && end "$3" ;;
    *) [ "$3" = "$4" ] && found "$process" && end "$3" ;;
  esac
done
[ -n "$descend" ] || exit
stopped=' '
stop_new() {
  any=
  for process in /proc/[0-9]*; do
    pid=\${process#/proc/}
    case $stopped in *" $pid "*) continue ;; esac
    stat "$process" || continue
    set -- $line
    [ "$1" != Z ] || continue
    case $ours in
      *" $3 "* | *" $4 "*) ;;
      *) case $stopped in *" $2 "*) ;; *) continue ;; esac ;;
    esac
    group=$3 session=$4 start=\${20}
    kill -s STOP "$pid" 2>/dev/null || continue
    stat "$process" && set -- $line && [ "$start" = "\${20}" ] || { kill -s CONT "$pid"; continue; }
    stopped="$stopped$pid " any=1
    case $ours in *" $group "*) ;; *) ours="$ours$group " ;; esac
    case $ours in *" $session "*) ;; *) ours="$ours$session " ;; esac
  done 2>/dev/null
}
passes=0
while stop_new && [ -n "$any" ] && [ $passes -lt 50 ]; do passes=$((passes + 1)); done
for pid in $stopped; do kill -s KILL "$pid" 2>/dev/null; done
for group in $ours; do kill_group "$group"; done
`
