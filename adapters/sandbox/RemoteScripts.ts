/**
 * The scripts of a far side, another machine or a container: for any POSIX shell (dash, bash, busybox). They need
 * nothing that is installed but small commands of every system, and profit from `setsid`.
 *
 * The keeper runs as long as the connection. It has a private folder: `run/ID.PID.START` names each process that was
 * started, `spec.ID` what is to be started, and what is written to `events` is printed, which the starters do. It sends
 * signals to process groups, so the session of a process does not matter. When its input ends, however the connection
 * came to its end, all that is still running is killed: the groups, and what /proc shows to be in their sessions or to
 * descend from them. Silence for as long as the connection may be silent is an end, too. A reaper of its own does that,
 * so that it is done also if the keeper is killed.
 *
 * The starter becomes the program, so that the program leads the session that sshd or the engine made for it. On pipes
 * a shell waits for it where there is `setsid`, and tells its exit as soon as it comes, with 128 + n for a death by the
 * signal n.
 */
import * as NativePath from "../../core/protocol/NativePath.ts"
import type { SpawnSpec, Stdio } from "../../core/spawn/Spawner.ts"

/** The start of a process tells a number that a stranger has got meanwhile, on systems with /proc. */
const common = `
stat() {
  line=
  while IFS= read -r part || [ -n "$part" ]; do line="$line $part"; done 2>/dev/null <"/proc/$1/stat"
  line=\${line##*) }
  [ -n "$line" ]
}
begun() { at=0; stat "$1" || return 1; set -- $line; at=\${20}; }
`

/**
 * `name` is that of the private folder, `mark` begins what it says, `silence` is in seconds and 0 for any, `relay` is
 * set in a container, `starter` is the other script. Then it reads commands: `store SEQ ID LINES` and so many lines,
 * `signal SEQ PID START NAME`, `lingers SEQ PID START`, `size SEQ PID ROWS COLUMNS`, `end SEQ ID HELPER`, `sync SEQ`.
 * It answers `MARK SEQ STATUS`.
 *
 * A kill reads away the unread output of a terminal of a container: conmon, the monitor of podman, may wait with a
 * write to it, and does not notice that the process is gone as long as it does. So the container would stay.
 */
const keeper = `
umask 077
trap '' HUP INT QUIT PIPE
if [ -n "$relay" ]; then trap exit TERM; else trap '' TERM; fi
folder=
for base in /dev/shm "$TMPDIR" /tmp "$HOME"; do
  [ -n "$base" ] && mkdir "$base/.$name" 2>/dev/null && folder=$base/.$name && break
done
[ -n "$folder" ] || { echo "$mark none"; exit 1; }
mkdir "$folder/run" && mkfifo "$folder/life" "$folder/events" || exit 1
printf '%s\\n' "mark=$mark relay=$relay env=$(command -v env) setsid=$(command -v setsid)" "$starter" >"$folder/start"
ours() { [ "$2" = 0 ] || { begun "$1"; [ "$at" = 0 ] || [ "$at" = "$2" ]; }; }
runs() {
  kill -0 "-$1" 2>/dev/null || return
  [ -r "/proc/$$/stat" ] || return 0
  for each in /proc/[0-9]*; do
    stat "\${each#/proc/}" && set -- "$1" $line && [ "$4" = "$1" ] && [ "$2" != Z ] && return
  done
  return 1
}
descend() {
  for each in /proc/[0-9]*; do
    each=\${each#/proc/}
    case $gone in *" $each "*) continue ;; esac
    stat "$each" || continue
    set -- $line
    [ "$1" = Z ] && continue
    case $gone in *" $2 "* | *" $3 "* | *" $4 "*) gone="$gone$each " more=1 ;; esac
  done
}
end_all() {
  mv "$folder" "$folder.end" 2>/dev/null || return 0
  gone=' ' passes=0
  for each in "$folder.end/run"/*; do
    each=\${each##*/} each=\${each#*.}
    [ "$each" != '*' ] && ours "\${each%.*}" "\${each#*.}" && gone="$gone\${each%.*} "
  done
  groups=$gone more=1
  while [ "$groups" != ' ' ] && [ -n "$more" ] && [ $passes -lt 9 ]; do
    more= passes=$((passes + 1))
    descend
    for each in $groups; do kill -KILL "-$each"; done 2>/dev/null
    for each in $gone; do kill -KILL "$each"; done 2>/dev/null
  done
  # It ignores what the keeper ignores.
  kill -KILL "$printer"
  rm -rf "$folder.end"
  [ -n "$relay" ] || return 0
  ends=
  for each in /dev/pts/[0-9]*; do
    [ -c "$each" ] && cat <"$each" >/dev/null &
    ends="$ends $!"
  done
  sleep 5 && kill -KILL $ends &
  wait $ends
}
watch() {
  trap 'kill "$nap"; exit' TERM
  while :; do
    sleep "$silence" &
    nap=$!
    wait "$nap"
    [ -e "$folder/beat" ] || break
    rm -f "$folder/beat"
  done
  end_all
  kill -KILL $$
}
cat <>"$folder/events" &
printer=$!
true >"$folder/beat"
watch=
[ "$silence" = 0 ] || { watch </dev/null >/dev/null 2>&1 & watch=$!; }
{
  while read -r line; do :; done
  end_all
  [ -z "$watch" ] || kill "$watch"
} <"$folder/life" &
exec 4>"$folder/life"
echo "$mark hello $folder"
while IFS= read -r line; do
  true >"$folder/beat" || exit
  set -- $line
  case $1 in
    store)
      left=$4
      while [ "$left" -gt 0 ] && IFS= read -r line; do
        printf '%s\\n' "$line"
        left=$((left - 1))
      done >"$folder/spec.$3"
      ;;
    signal)
      [ "$relay$5" = 1KILL ] && ([ -t 0 ] && cat >/dev/null &) <"/proc/$3/fd/0"
      ours "$3" "$4" && kill "-$5" "-$3"
      ;;
    lingers) ours "$3" "$4" && runs "$3" ;;
    size) stty rows "$4" cols "$5" <"/proc/$3/fd/0" ;;
    end)
      [ -z "$4" ] || kill -KILL "-$4"
      rm -f "$folder/spec.$3" "$folder/run/$3".*
      ;;
  esac 2>/dev/null
  echo "$mark $2 $?" >"$folder/events"
done
# The first process of a container takes the others with it.
[ -z "$relay" ] || { exec 4>&-; wait; }
`

/**
 * `start ID pipe|pty`. Its names do not meet those of the environment, which it exports itself, so that no list of
 * processes shows it. The file `spec.ID` sets what it needs, see `spec`. It says `MARK =ID ready PID START HELPER`
 * before it becomes the program, or `MARK =ID refused ERRNO`; HELPER is the group of the shell that waits for it, and
 * says `MARK =ID exited STATUS`.
 *
 * In a container the output passes through `cat`, so that the end of this shell, with which the streams of an `exec`
 * end, waits for whoever holds them.
 */
const starter = `
procwire_say() { echo "$procwire_mark =$procwire_id $1" >"$procwire_folder/events"; }
procwire_wait() {
  "$setsid" "$procwire_env" -i /bin/sh "$0" "$procwire_id" "$$"
  procwire_say "exited $?"
}
procwire_id=$1 procwire_helper=$2
procwire_env=$env procwire_mark=$mark procwire_folder=\${0%/*} procwire_spec=\${0%/*}/spec.$1
if [ "$2" = pipe ] && [ -n "$setsid" ]; then
  [ -n "$relay" ] || { procwire_wait; exit; }
  { { procwire_wait 2>&1 >&7 7>&- | cat >&2 7>&-; } 7>&1 | cat; }
  exit
fi
case $2 in pipe | pty) procwire_helper=$$ ;; esac
begun $$
procwire_start=$at
true >"$procwire_folder/run/$1.$$.$at" || exit 1
unset mark env line part at relay setsid
procwire_refuse() { procwire_say "refused $1"; exit 0; }
procwire_missing() {
  procwire_at=$1
  while :; do
    case $procwire_at in */*) procwire_at=\${procwire_at%/*} ;; *) procwire_refuse 2 ;; esac
    [ -n "$procwire_at" ] || procwire_refuse 2
    [ -d "$procwire_at" ] && [ ! -x "$procwire_at" ] && procwire_refuse 13
    [ -d "$procwire_at" ] && procwire_refuse 2
    [ -e "$procwire_at" ] && procwire_refuse 20
  done
}
procwire_enter() {
  cd -P "$1" 2>/dev/null && return
  [ -d "$1" ] && procwire_refuse 13
  [ -e "$1" ] && procwire_refuse 20
  procwire_missing "$1"
}
procwire_find() {
  case $1 in */*)
    procwire_program=$1
    [ -e "$1" ] || procwire_missing "$1"
    [ ! -d "$1" ] && [ -x "$1" ] || procwire_refuse 13
    return
  esac
  [ -z "$procwire_long" ] || procwire_refuse 36
  procwire_errno=2 procwire_rest=$procwire_path:
  while [ -n "$procwire_rest" ]; do
    procwire_at=\${procwire_rest%%:*} procwire_rest=\${procwire_rest#*:}
    procwire_program=\${procwire_at:-.}/$1
    [ -e "$procwire_program" ] || continue
    [ ! -d "$procwire_program" ] && [ -x "$procwire_program" ] && return
    procwire_errno=13
  done
  procwire_refuse $procwire_errno
}
. "$procwire_spec"
true >"$procwire_spec"
procwire_enter "$procwire_cwd"
procwire_find "$1"
shift
unset PWD OLDPWD PATH SHLVL
procwire_export
[ -z "$procwire_large" ] || (exec /bin/sh -c : "$procwire_program" "$@") 2>/dev/null || procwire_refuse 7
procwire_say "ready $$ $procwire_start $procwire_helper"
procwire_run "$@"
`

/** A text as one word of a shell. */
export const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The command that starts the keeper: it reads its script from its input, up to a line with a dot. */
export const bootstrap =
  `exec /bin/sh -c 'n=$(printf "\\n:"); n=\${n%:}; s=; ` +
  `while IFS= read -r l; do [ "$l" = . ] && break; s=$s$l$n; done; eval "$s"' procwire`

/** The script of the keeper, which it is sent first. `silenceSeconds`: 0 for a connection that cannot be silent. */
export const keeperScript = (
  name: string,
  mark: string,
  silenceSeconds: number,
  isContainer = false,
): string =>
  `name=${name} mark=${mark} silence=${silenceSeconds} relay=${isContainer ? 1 : ""} ` +
  `starter=${quote(common + starter)}${common}${keeper}.\n`

/** The command that starts a program whose spec is stored. */
export const startCommand = (folder: string, id: number, { kind }: Stdio): ReadonlyArray<string> => [
  "env",
  "-i",
  "/bin/sh",
  `${folder}/start`,
  `${id}`,
  kind,
]

/** Beyond this many bytes the starter tries first whether the system takes so much. */
const largeBytes = 65_536

/** The longest name of a file, in bytes. */
const longestName = 255

/** As musl has it. */
const usualPath = "/usr/local/bin:/bin:/usr/bin"

/** Variables that a shell can export; others are set by `env`, whose arguments everybody may see for a moment. */
const plain = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Names that mean something to a shell itself, or that it may not set. */
const special =
  /^(_|BASH.*|DIRSTACK|E?UID|EPOCH.*|FUNCNAME|GROUPS|HISTCMD|IFS|LANG|LANGUAGE|LC_.*|LINENO|OPT.*|PIPESTATUS|POSIXLY_.*|PPID|PS4|S?RANDOM|SECONDS|SHELLOPTS|SHLVL|procwire_.*)$/

/** The operands of `store`: the words, and the script, of any bytes but for NUL. */
export const spec = (
  id: number,
  { argv, cwd, env, stdio }: SpawnSpec,
): readonly [words: ReadonlyArray<number>, script: Uint8Array] => {
  const variables = Object.entries(env)
  const exported = variables.filter(([name]) => plain.test(name) && !special.test(name))
  const others = variables.filter(([name]) => !plain.test(name) || special.test(name))
  const words = argv.map(quote).join(" ")
  const exports = exported.map(([name, value]) => `export ${name}=${quote(value)}`)
  const lines = [
    // An engine sets the size late, and ssh sends the modes of the terminal here, which is raw.
    stdio.kind === "pty"
      ? `stty sane -brkint -imaxbel rows ${stdio.size.rows} cols ${stdio.size.columns} 2>/dev/null`
      : "",
    `set -- ${words}`,
    `procwire_cwd=${quote(cwd)} procwire_path=${quote(env["PATH"] ?? usualPath)}`,
    // A function of a shell is not empty.
    "procwire_export() {",
    ":",
    ...exports,
    "}",
    ...run(others),
    stdio.kind === "pipe" && !stdio.stdin ? "exec </dev/null" : "",
  ]
  const text = lines.join("\n")
  const is = (fact: boolean) => (fact ? 1 : "")
  const long = is(Buffer.byteLength(argv[0]) > longestName)
  const script = `procwire_large=${is(text.length > largeBytes)} procwire_long=${long}\n${text}\n`
  return [[id, script.split("\n").length - 1], NativePath.toBytes(script)]
}

/** `env` takes a program with `=` in its path for a variable, `nice` does not. bash always exports SHLVL. */
const run = (others: ReadonlyArray<readonly [string, string]>): ReadonlyArray<string> => [
  "procwire_run() {",
  others.length > 0 ? "" : '[ -n "$BASH_VERSION" ] || exec "$procwire_program" "$@"',
  'set -- "$procwire_program" "$@"',
  'case $1 in *=*) set -- nice -n 0 "$@" ;; esac',
  `set -- ${others.map(([name, value]) => quote(`${name}=${value}`)).join(" ")} "$@"`,
  '[ -z "$BASH_VERSION" ] || set -- -u SHLVL "$@"',
  'exec "$procwire_env" "$@"',
  "}",
]
