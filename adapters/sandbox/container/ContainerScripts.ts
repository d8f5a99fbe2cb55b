/**
 * What runs inside a container: three scripts for any POSIX shell (dash, bash, busybox). They need small commands that
 * every image with a shell has, and `setsid`.
 *
 * All they say goes through the FIFO `events` to the first process, and as lines to its output: `- ready`, `- ID
 * STATUS` for a request, and for the process named TOKEN `TOKEN born GROUP HELPER`, `TOKEN refused ERRNO`, `TOKEN
 * exited CODE LIVES` or `TOKEN signaled NUMBER LIVES`, where LIVES is the status of `kill -0` to its group.
 *
 * A shell knows a death by signal n only as 128 + n. Where the image has `time`, as with busybox, that tells it
 * exactly. Otherwise, and on a PTY, what the shell says on its stderr, a file here, means a death. It is silent
 * about SIGPIPE, and mostly about SIGINT: the exit codes 141 and 130 are taken for these deaths, as programs mean them.
 */
import * as NativePath from "../../../core/protocol/NativePath.ts"
import type { SpawnSpec, TerminalSize } from "../../../core/spawn/Spawner.ts"

/** Where the scripts have their files: memory of the container's own. */
export const folder = "/run/procwire"

/** What the scripts need besides builtins of the shell. */
const tools = "cat env mkfifo rm setsid stty"

/**
 * The first process of a container, with the two other scripts as its arguments, which it keeps. It lives until its
 * input ends, which the server holds, and everything in the container with it; meanwhile it reaps. It takes requests:
 * `ID kill SIGNAL GROUP`, `ID lives GROUP`, `ID size HELPER ROWS COLUMNS`, `ID end GROUP HELPER`, and any
 * other word, which waits for what was said before.
 *
 * What nobody reads of a terminal is read away at its end: conmon, the monitor of podman, may wait with a write to it,
 * and does not notice that the process is gone as long as it does. So the container would stay.
 */
const main = `
cd ${folder}
for each in ${tools}; do
  command -v $each >/dev/null || { echo "- lacks $each"; exit 1; }
done
env time -o time true 2>/dev/null && >timed
printf '%s' "$1" >helper && printf '%s' "$2" >start && mkfifo events || exit
exec 3<&0
cat <>events &
while read -r id word a b c; do
  case $word in
    kill) kill "-$a" "-$b" ;;
    lives) kill -0 "-$a" ;;
    size) stty rows "$b" cols "$c" </proc/$a/fd/0 ;;
    end)
      ([ -t 0 ] && cat >/dev/null &) </proc/$b/fd/0
      kill -KILL "-$a"
      kill -KILL "-$b"
      ;;
  esac
  echo "- $id $?" >events
done <&3 2>/dev/null &
exec 3<&-
echo "- ready"
trap 'kill -KILL $!' TERM
wait $!
# Never outside of a PID namespace, which a configuration of the engine could ask for.
[ $$ = 1 ] && kill -KILL -1
ends=
for each in /dev/pts/[0-9]*; do
  [ -c $each ] && cat <$each >/dev/null &
  ends="$ends $!"
done
sleep 5 && kill -KILL $ends &
wait $ends
`

/**
 * The first process of an `exec`, which waits for the program: `helper TOKEN [ROWS COLUMNS]`.
 *
 * On pipes the program leads a session. What it prints passes through `cat`, so that the end of this process, with
 * which the streams of an `exec` end, waits for whoever holds them. On a PTY this process has to be the leader of the
 * session; the program leads the group in the foreground, by job control, and a program that stops goes on.
 */
const helper = `
cd ${folder}
token=$1 rows=$2 columns=$3 notes=${folder}/$1
report() {
  status=$1 how=exited
  [ -e $notes.group ] || return
  read -r group <$notes.group
  if [ -e $notes.time ]; then
    read -r a verb b c number rest <$notes.time
    [ "$verb" = terminated ] && how=signaled status=$number
  elif [ $status -gt 128 ]; then
    case $status in
      130) [ -n "$silent$interrupted" ] && how=signaled ;;
      141) how=signaled ;;
      *) [ -s $notes ] && how=signaled ;;
    esac
    [ $how = signaled ] && status=$((status - 128))
  fi
  kill -0 "-$group" 2>/dev/null
  echo "$token $how $status $?" >events
}
if [ -z "$rows" ]; then
  silent=yes
  run() {
    exec 8>&2 2>$notes
    if [ -e timed ]; then
      env time -o $notes.time setsid sh start "$token" $$
    else
      setsid sh start "$token" $$
    fi
    report $?
  }
  { { run 2>&1 >&7 7>&- | cat >&2 7>&-; } 7>&1 | cat; }
else
  stty rows "$rows" cols "$columns"
  exec 8>&2 2>$notes
  trap : HUP QUIT TERM
  # dash and busybox send themselves the SIGINT of which their foreground has died.
  trap 'interrupted=yes' INT
  silent=$BASH_VERSION
  set -m
  sh start "$token" $$
  status=$?
  while [ $status -gt 128 ] && jobs >$notes.jobs && [ -s $notes.jobs ]; do
    fg >/dev/null
    status=$?
  done
  report $status
  kill -HUP "-$group" && while kill -0 "-$group"; do sleep 0.05; done
  setsid cat <&0 >/dev/null 8>&- &
fi
rm -f $notes $notes.*
`

/** Becomes the program, whose spec is in variables of the environment: `start TOKEN HELPER`. */
const start = `
exec 2>&8 8>&-
token=$1 helper=$2
say() { echo "$token $*" >${folder}/events; }
refuse() { say "refused $1"; exit 1; }
missing() {
  case $1 in
    */*) up=\${1%/*} up=\${up:-/} ;;
    *) up=. ;;
  esac
  if [ -d "$up" ]; then
    [ -x "$up" ] && refuse 2
    refuse 13
  fi
  [ -e "$up" ] && refuse 20
  missing "$up"
}
find() {
  case $1 in
    */*)
      [ -e "$1" ] || missing "$1"
      [ ! -d "$1" ] && [ -x "$1" ] || refuse 13
      return
      ;;
  esac
  [ \${#1} -le 255 ] || refuse 36
  errno=2 rest=$path:
  while [ -n "$rest" ]; do
    file=\${rest%%:*} rest=\${rest#*:}
    file=\${file:-.}/$1
    [ -e "$file" ] || continue
    [ ! -d "$file" ] && [ -x "$file" ] && return
    errno=13
  done
  refuse $errno
}
spec= count=0
while eval "piece=\\\${PROCWIRE_$count-}" && [ -n "$piece" ]; do
  spec=$spec$piece count=$((count + 1))
done
eval "$spec"
cd -P -- "$cwd" 2>/dev/null || {
  [ -d "$cwd" ] && refuse 13
  [ -e "$cwd" ] && refuse 20
  missing "$cwd"
}
find "$program"
echo $$ >${folder}/$token.group
say "born $$ $helper"
exec "$@"
`

/** The arguments of `sh` that make it the first process of a container. */
export const asMain: ReadonlyArray<string> = ["-c", main, "procwire", helper, start]

/** The command of an `exec`. */
export const toHelper = (token: string, size?: TerminalSize): ReadonlyArray<string> => [
  "sh",
  `${folder}/helper`,
  token,
  ...(size ? [`${size.rows}`, `${size.columns}`] : []),
]

/** A text as one word of a shell, of any bytes but NUL; a byte that is not UTF-8 is made inside. */
export const quote = (text: string): string =>
  NativePath.pieces(text)
    .map((piece) =>
      NativePath.isText(piece)
        ? `'${piece.replaceAll("'", "'\\''")}'`
        : `"$(printf '\\${NativePath.byteOf(piece).toString(8)}')"`,
    )
    .join("") || "''"

/** As musl's `execvp` has it. */
const usualPath = "/usr/local/bin:/bin:/usr/bin"

/** What `start` reads of the spec. `env` takes a program with `=` in its path for a variable, `nice` does not. */
const toScript = ({ argv, cwd, env, stdio }: SpawnSpec): string => {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const words = [
    "env",
    "-i",
    "--",
    ...variables,
    ...(argv[0].includes("=") ? ["nice", "-n", "0"] : []),
    ...argv,
  ]
  return [
    `cwd=${quote(cwd)} program=${quote(argv[0])} path=${quote(env["PATH"] ?? usualPath)}`,
    `set -- ${words.map(quote).join(" ")}`,
    stdio.kind === "pipe" && !stdio.stdin ? "exec </dev/null" : "",
  ].join("\n")
}

/** The spec as variables of the environment, each of at most 120,000 bytes, because the kernel takes 131,072 of one. */
export const toVariables = (spec: SpawnSpec): Readonly<Record<string, string>> => {
  const pieces = toScript(spec).match(/[^]{1,30000}/gu) ?? []
  return Object.fromEntries(pieces.map((piece, index) => [`PROCWIRE_${index}`, piece]))
}
