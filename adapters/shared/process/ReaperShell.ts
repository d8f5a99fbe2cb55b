/**
 * The shell that kills what a server leaves behind: `GroupReaper` writes to it.
 *
 * Its input has one line for each change: `+ ID START` for a group and the start of its leader, `~ ID TIME` for a group
 * that was seen without a leader then, `- ID` for one that is gone, and `= HOLDS` before a start.
 *
 * Where there is a /proc, no stranger who got a number is killed. A leader has to have the start that the server wrote.
 * A group without a leader has to have a member that is as old as the time when the server last saw it, or died: that
 * member has kept the number in use since.
 */
import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"

/**
 * Its arguments: what the paths of the leaves begin with, and the pid of the server; empty without cgroups. A thread of
 * a server that lives is no child: its leaf is left alone. The third is not empty if descendants are killed that have
 * left the groups: all of them are stopped first, because a child of a process that has ended is nobody's any more. Who
 * is stopped keeps its number; who got one just now goes on.
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

/** Starts it; `onEnd` is called once, when it has ended. `args` are those of the script. */
export const start = (onEnd: () => void, args: ReadonlyArray<string> = []): ChildProcess => {
  const shell = spawn("/bin/sh", ["-c", SCRIPT, "procwire-reaper", ...args], {
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
