/**
 * What runs on the far side of an SSH connection: two scripts for any POSIX shell (dash, bash, busybox), which need
 * nothing that is installed.
 *
 * The keeper runs as long as the connection. It has a private folder: `run/ID.PID.START` names each process that was
 * started, `spec.ID` what is to be started. It sends signals to process groups, so the session of a process does not
 * matter. When its input ends, however the connection came to its end, all that is still running is killed: the
 * groups, and what /proc shows to be in their sessions or to descend from them. Silence for as long as the connection
 * may be silent is an end, too. A reaper of its own does that, so that it is done also if the keeper is killed.
 *
 * The starter becomes the program, so that the program leads the session that sshd made for it.
 */

/** Where there is a /proc, a number that a stranger has got meanwhile is told by its start. */
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
 * `name` is that of the private folder, `mark` begins what it says, `silence` is in seconds, `starter` is the other
 * script. Then it reads commands: `store SEQ ID LINES` and so many lines, `signal SEQ PID START NAME`,
 * `lingers SEQ PID START`, `end SEQ ID`, `beat SEQ`. It answers `SEQ STATUS`.
 */
const keeper = `
umask 077
trap '' HUP INT QUIT TERM PIPE
folder=
for base in /dev/shm "$TMPDIR" /tmp "$HOME"; do
  [ -n "$base" ] && mkdir "$base/.$name" 2>/dev/null && folder=$base/.$name && break
done
[ -n "$folder" ] || { echo "$mark none"; exit 1; }
mkdir "$folder/run" && mkfifo "$folder/life" || exit 1
printf '%s\\n' "mark=$mark env=$(command -v env)" "$starter" >"$folder/start"
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
  rm -rf "$folder.end"
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
true >"$folder/beat"
watch </dev/null >/dev/null 2>&1 &
watch=$!
{
  while read -r line; do :; done
  end_all
  kill "$watch"
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
    signal) ours "$3" "$4" && kill "-$5" "-$3" 2>/dev/null ;;
    lingers) ours "$3" "$4" && runs "$3" ;;
    end) rm -f "$folder/spec.$3" "$folder/run/$3".* ;;
  esac
  echo "$2 $?"
done
`

/**
 * Its names do not meet those of the environment, which it exports itself, so that no list of processes shows it. The
 * file `spec.ID` sets what it needs, see `StartScript`. It says `ready PID START` before it becomes the program,
 * or `refused ERRNO`.
 */
const starter = `
procwire_env=$env procwire_mark=$mark procwire_folder=\${0%/*} procwire_spec=\${0%/*}/spec.$1
begun $$
procwire_start=$at
true >"$procwire_folder/run/$1.$$.$at" || exit 1
unset mark env line part at
procwire_say() { printf '%s %s;' "$procwire_mark" "$1"; }
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
procwire_say "ready $$ $procwire_start"
procwire_run "$@"
`

/** A text as one word of a shell. */
export const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The command that starts the keeper: it reads its script from its input, up to a line with a dot. */
export const bootstrap =
  `exec /bin/sh -c 'n=$(printf "\\n:"); n=\${n%:}; s=; ` +
  `while IFS= read -r l; do [ "$l" = . ] && break; s=$s$l$n; done; eval "$s"' procwire`

/** What the keeper is sent first. */
export const keeperScript = (name: string, mark: string, silenceSeconds: number): string =>
  `name=${name} mark=${mark} silence=${silenceSeconds} starter=${quote(common + starter)}${common}${keeper}.\n`

/** The command that starts a program whose spec is stored. */
export const startCommand = (folder: string, id: number): string =>
  `exec env -i /bin/sh ${quote(`${folder}/start`)} ${id}`
