/** What is to be started on the far side, as a script that its starter reads. */
import * as NativePath from "../../../core/protocol/NativePath.ts"
import type { SpawnSpec } from "../../../core/spawn/Spawner.ts"
import { quote } from "./FarScripts.ts"

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

/** What follows `store`: the words, and the script, of any bytes but for NUL. */
export const make = (
  id: number,
  { argv, cwd, env, stdio }: SpawnSpec,
): readonly [words: ReadonlyArray<number>, script: Uint8Array] => {
  const variables = Object.entries(env)
  const exported = variables.filter(([name]) => plain.test(name) && !special.test(name))
  const others = variables.filter(([name]) => !plain.test(name) || special.test(name))
  const words = argv.map(quote).join(" ")
  const exports = exported.map(([name, value]) => `export ${name}=${quote(value)}`)
  const lines = [
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
