/**
 * No process outlives the server, even if the server is killed with SIGKILL.
 *
 * A tiny `/bin/sh` in a session of its own reads from a pipe which groups exist. Only the server holds the
 * other end, so however the server ends, the shell reads the end of the file, kills every group that is
 * still on its list, and ends itself. It starts with the first child, and anew with the whole list if
 * somebody kills it. It does not keep the server's event loop alive.
 *
 * A group is in the pipe before anybody hears of its start; ends are told in batches. A child that came into being
 * while the server was killed, before the server could tell its id, is found in /proc by the pipe or terminal that it
 * was to get (pipes from Linux 5.14 on). Processes that left their group are not found. Not on Windows.
 */
import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Registry } from "./ProcessGroup.ts"

/** Ends are told in batches of this time. */
const BATCH_MILLIS = 5
/** A shell that cannot live is not started again faster than this. */
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

/** A registry of groups whose members die with this process; the scope's end ends the shell. */
export const make: Effect.Effect<Registry, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(Effect.sync(unsafeMake), (reaper) => Effect.sync(reaper.close)),
  ({ starting, add, remove }) => ({ starting, add, remove }),
)

interface GroupReaper extends Registry {
  readonly close: () => void
}

function unsafeMake(): GroupReaper {
  const groups = new Set<number>()
  const told = new Set<number>()
  const changed = new Set<number>()
  let shell: ChildProcess | undefined
  let timer: NodeJS.Timeout | undefined
  let startedAt = 0
  let closed = false

  const tellIn = (millis: number) => {
    timer ??= setTimeout(tell, millis).unref()
  }

  const tell = () => {
    clearTimeout(timer)
    timer = undefined
    let text = ""
    for (const id of changed) {
      if (groups.has(id) === told.has(id)) continue
      text += `${groups.has(id) ? "+" : "-"} ${id}\n`
      if (!told.delete(id)) told.add(id)
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
    told.clear()
    for (const id of groups) changed.add(id)
    if (closed || groups.size === 0) return
    tellIn(performance.now() - startedAt < RESTART_MILLIS ? RESTART_MILLIS : BATCH_MILLIS)
  }

  return {
    starting: (holds) => send(`= ${holds ?? ""}\n`),
    add: (id) => {
      groups.add(id)
      changed.add(id)
      tell()
    },
    remove: (id) => {
      groups.delete(id)
      changed.add(id)
      tellIn(BATCH_MILLIS)
    },
    close: () => {
      tell()
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
