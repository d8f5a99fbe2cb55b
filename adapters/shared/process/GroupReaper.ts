/**
 * Kills the processes that a server leaves behind, even if the server is killed with SIGKILL.
 *
 * A tiny `/bin/sh` in a session of its own reads from a pipe which groups exist. Only the server holds the other end,
 * so however the server ends, the shell reads EOF, kills every group that is still on its list, and exits. It starts
 * with the first child. If it is killed, another one starts with the whole list. It does not keep the server's event
 * loop alive.
 *
 * A new group is written to the pipe before its start is reported; ended groups are written in batches. If the server
 * is killed between the start of a child and the write of its id, the shell finds the child in /proc by the pipe or
 * terminal that it was given (pipes from Linux 5.14 on). It does not find processes that left their group. Not on
 * Windows.
 */
import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Registry } from "./ProcessGroup.ts"

/** Ended groups are written together after this time. */
const BATCH_MILLIS = 5
/** A shell that exits at once is started again after this time. */
const RESTART_MILLIS = 1_000

const SCRIPT = `
trap '' INT TERM HUP QUIT
groups=' ' holds=
while read -r sign id; do
  case "$sign$groups" in
    =*) holds=$id ;;
    +*) groups="$groups$id " holds= ;;
    -*" $id "*) groups="\${groups%%" $id "*} \${groups#*" $id "}" ;;
  esac
done
for id in $groups; do kill -s KILL -- "-$id" 2>/dev/null; done
found() {
  case "$holds" in
    /*) [ "$1/fd/0" -ef "$holds" ] ;;
    *) [ -p "$1/fd/1" ] && while read -r name value; do
         [ "$name$value" = "ino:$holds" ] && return
       done <"$1/fdinfo/1" && false ;;
  esac
}
[ -z "$holds" ] || for process in /proc/[0-9]*; do
  found "$process" && read -r line <"$process/stat" || continue
  set -- \${line##*) }
  [ "$3" = "$4" ] && kill -s KILL -- "-$3"
done
`

/** A registry of groups that are killed when this process ends, however it ends, or when the scope closes. */
export const make: Effect.Effect<Registry, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(Effect.sync(unsafeMake), (reaper) => Effect.sync(reaper.close)),
  ({ starting, add, remove }) => ({ starting, add, remove }),
)

interface GroupReaper extends Registry {
  readonly close: () => void
}

function unsafeMake(): GroupReaper {
  const groups = new Set<number>()
  const sent = new Set<number>()
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
      if (groups.has(id) === sent.has(id)) continue
      text += `${groups.has(id) ? "+" : "-"} ${id}\n`
      if (!sent.delete(id)) sent.add(id)
    }
    changed.clear()
    if (text !== "") send(text)
  }

  const send = (text: string) => {
    if (closed) return
    if (shell === undefined) {
      startedAt = performance.now()
      shell = start(onEnd)
    }
    shell.stdin?.write(text)
  }

  const onEnd = () => {
    shell = undefined
    sent.clear()
    for (const id of groups) changed.add(id)
    if (closed || groups.size === 0) return
    flushIn(performance.now() - startedAt < RESTART_MILLIS ? RESTART_MILLIS : BATCH_MILLIS)
  }

  return {
    starting: (holds) => send(`= ${holds ?? ""}\n`),
    add: (id) => {
      groups.add(id)
      changed.add(id)
      flush()
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

const start = (onEnd: () => void): ChildProcess => {
  const shell = spawn("/bin/sh", ["-c", SCRIPT, "procwire-reaper"], {
    cwd: "/",
    detached: true,
    env: {},
    stdio: ["pipe", "ignore", "ignore"],
  })
  let ended = false
  const end = () => {
    if (!ended) onEnd()
    ended = true
  }
  shell.on("error", end)
  shell.on("exit", end)
  const { stdin } = shell
  stdin?.on("error", () => {})
  if (stdin && "unref" in stdin && typeof stdin.unref === "function") stdin.unref()
  shell.unref()
  return shell
}
