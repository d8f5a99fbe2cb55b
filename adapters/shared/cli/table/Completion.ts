/**
 * What may stand at the cursor of a command line, from the tables of the commands.
 *
 * The scripts of the shells ask the program at each key, so that all three know the same, and so that names of
 * processes are those of now.
 */
import { flagsOf, type Spec } from "../Command.ts"
import type { Flag, FlagTable, Kind } from "../Flags.ts"

/** What fits: words with what they mean, or a kind of names that somebody else knows. */
export type Candidates =
  | { readonly kind: "words"; readonly words: ReadonlyArray<readonly [word: string, meaning: string]> }
  | { readonly kind: "process" | "context" | "host" | "file" | "directory" | "program" }

const nothing: Candidates = { kind: "words", words: [] }

/** What fits for the last of `words`, which follow `procwire`. */
export const candidates = (words: ReadonlyArray<string>, specs: ReadonlyArray<Spec>): Candidates => {
  const [name = "", ...rest] = words
  if (rest.length === 0) return starting(name, commandsOf(specs))
  if (name === "help") return starting(rest.at(-1) ?? "", commandsOf(specs))
  const spec = specs.find((each) => each.name === name)
  return spec === undefined ? nothing : inCommand(spec, rest)
}

const commandsOf = (specs: ReadonlyArray<Spec>) => [
  ...specs.map(({ name, summary }) => [name, summary] as const),
  ["help", "Show the help"] as const,
]

const inCommand = (spec: Spec, words: ReadonlyArray<string>): Candidates => {
  const flags = flagsOf(spec)
  const current = words.at(-1) ?? ""
  let operands = 0
  let wanted: Flag | undefined
  for (const [index, word] of words.slice(0, -1).entries()) {
    if (wanted !== undefined) wanted = undefined
    else if (word === "--") return operandsOf(spec, current, operands + words.length - index - 2)
    else if (word.startsWith("-")) wanted = valued(word, flags)
    else operands += 1
    // What follows the first operand of a command that runs another is for that one.
    if (operands > 0 && spec.operands === "command") return { kind: "file" }
  }
  if (wanted !== undefined) return ofKind(wanted.completes, current)
  const [, long, begin] = /^--([^=]+)=(.*)$/s.exec(current) ?? []
  if (long !== undefined) return prefixed(`--${long}=`, ofKind(flags[long]?.completes, begin ?? ""))
  if (current.startsWith("-"))
    return starting(
      current,
      Object.entries(flags).map(([flag, { help }]) => [`--${flag}`, help] as const),
    )
  return operandsOf(spec, current, operands)
}

const operandsOf = ({ operands }: Spec, current: string, count: number): Candidates =>
  operands === "command" && count > 0 ? { kind: "file" } : ofKind(operands, current)

/** The flag that takes the next word as its value. */
const valued = (word: string, flags: FlagTable): Flag | undefined => {
  if (word.includes("=")) return undefined
  const last = word.startsWith("--") ? undefined : word.at(-1)
  const [, flag] =
    Object.entries(flags).find(([long, { short }]) =>
      last === undefined ? word === `--${long}` : short === last,
    ) ?? []
  return flag?.type === "string" ? flag : undefined
}

const ofKind = (kind: Kind | undefined, current: string): Candidates => {
  if (kind === undefined) return nothing
  if (typeof kind === "string") return { kind: kind === "command" ? "program" : kind }
  return starting(
    current,
    kind.map((word) => [word, ""] as const),
  )
}

const starting = (
  begin: string,
  words: ReadonlyArray<readonly [word: string, meaning: string]>,
): Candidates => ({ kind: "words", words: words.filter(([word]) => word.startsWith(begin)) })

/** The words behind `--flag=`, as the whole word of the shell. */
const prefixed = (before: string, found: Candidates): Candidates =>
  found.kind === "words"
    ? { kind: "words", words: found.words.map(([word, meaning]) => [`${before}${word}`, meaning]) }
    : found
