/** Texts that shells evaluate: `procwire completion`, with `procwire complete` that it asks, and `procwire shell-init`. */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as CommandLine from "../../../core/protocol/CommandLine.ts"
import * as Suggestion from "../../../core/protocol/Suggestion.ts"
import * as Command from "./Command.ts"
import { allSpecs } from "./Commands.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import * as Access from "./server/Access.ts"
import * as Contexts from "./server/Contexts.ts"
import * as ServerName from "./server/ServerName.ts"
import * as Rows from "./show/Rows.ts"
import { marks, scripts } from "./table/Scripts.ts"
import * as TargetFlags from "./TargetFlags.ts"
import { flagsOf, type Spec } from "./Command.ts"
import type { Flag, FlagTable, Kind } from "./Flags.ts"

const textOf = (
  operands: ReadonlyArray<string>,
  texts: Readonly<Record<string, string>>,
  expected: string,
) => {
  const [name = "", ...more] = operands
  const text = Object.hasOwn(texts, name) ? texts[name] : undefined
  if (text !== undefined && more.length === 0) return LocalTerminal.print(text)
  const given = name === "" ? "no shell is named" : `invalid shell '${operands.join(" ")}'`
  return Flags.wrong(`${given}: expected ${expected}${Suggestion.ofWord(name, Object.keys(texts))}`)
}

export const completion = Command.make({
  name: "completion",
  summary: "Print what makes bash, zsh or fish complete commands, flags and the names of processes",
  usage: "bash|zsh|fish",
  flags: {},
  operands: Object.keys(scripts),
  examples: [
    'eval "$(procwire completion bash)"        # in ~/.bashrc',
    "source <(procwire completion zsh)         # in ~/.zshrc, behind compinit",
    "procwire completion fish >~/.config/fish/completions/procwire.fish",
  ],
  run: ({ operands }) => textOf(operands, scripts, "bash, zsh, fish"),
})

export const shellInit = Command.make({
  name: "shell-init",
  summary: "Print what makes an interactive shell tell where its prompts and commands begin and end",
  usage: "bash|zsh",
  flags: {},
  operands: Object.keys(marks),
  text: `
The shell then prints the sequences OSC 133 and OSC 633, which terminals do not show. A process that was started with
marks: true tells them as process/mark, with exit codes: one shell can be driven command by command.`,
  examples: [`eval "$(procwire shell-init bash)"`, "procwire shell-init zsh >> ~/.zshrc"],
  run: ({ operands }) => textOf(operands, marks, "bash or zsh"),
})

/** The longest time for the names of processes: a shell waits for them at a key. */
const patience = "1 second"

export const complete = Command.make({
  name: "complete",
  summary: "Print what fits the last word of a command line",
  usage: "-- WORD…",
  flags: {},
  operands: "command",
  examples: ["procwire complete -- ps --fil"],
  parse: (args) => Effect.succeed({ values: {}, operands: args[0] === "--" ? args.slice(1) : args }),
  run: ({ operands: words }) =>
    Effect.gen(function* () {
      const print = (found: Parameters<typeof answer>[0]) => LocalTerminal.print(answer(found))
      const found = candidates(words, yield* Effect.promise(allSpecs))
      const current = words.at(-1) ?? ""
      if (found.kind === "words") return yield* print(found.words)
      if (found.kind === "context") return yield* print(yield* contexts(current, []))
      if (found.kind === "host")
        return yield* print(yield* contexts(current, ServerName.sshHosts(process.env)))
      if (found.kind === "process") return yield* print(yield* processes(words))
      return yield* LocalTerminal.print(`${found.kind}\n`)
    }).pipe(Effect.ignore),
})

const answer = (words: ReadonlyArray<readonly [word: string, meaning: string]>): string =>
  ["words", ...words.map(([word, meaning]) => `${word}\t${meaning.replaceAll(/\s+/g, " ")}`), ""].join("\n")

const contexts = (begin: string, sshHosts: ReadonlyArray<string>) =>
  Effect.map(Contexts.read(process.env), (found) =>
    [["own", "your own server"] as readonly [string, string]]
      .concat(Object.entries(found.contexts).map(([name, { server }]) => [name, server]))
      .concat(sshHosts.map((name) => [name, `ssh://${name}`]))
      .filter(([name]) => name.startsWith(begin)),
  )

/** The names of the processes of the server that the command line so far names. */
const processes = (words: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const valueOf = (flag: string) =>
      words[words.indexOf(flag) + 1 || -1] ??
      words.find((word) => word.startsWith(`${flag}=`))?.slice(flag.length + 1)
    const [host, server] = [valueOf("--host"), valueOf("--server")]
    const named = {
      ...(host === undefined ? {} : { host }),
      ...(server === undefined ? {} : { server: [server] }),
    }
    const target = yield* TargetFlags.read(named, { own: true })
    const reached = yield* Access.existing(target)
    if (reached === undefined) return []
    const client = yield* Access.connect(reached, { clientName: "procwire-complete", heartbeat: false })
    const rows = yield* Stream.runCollect(client.list({ sessions: "all" }))
    const begin = words.at(-1) ?? ""
    return rows
      .map((row) => [Rows.refOf(row), `${Rows.stateOf(row)}: ${CommandLine.of(row.argv)}`] as const)
      .filter(([ref]) => ref.startsWith(begin))
  }).pipe(Effect.scoped, Effect.timeout(patience))

/** Candidates: words with their meanings, or a kind of names that the shell knows. */
export type Candidates =
  | { readonly kind: "words"; readonly words: ReadonlyArray<readonly [word: string, meaning: string]> }
  | { readonly kind: "process" | "context" | "host" | "file" | "directory" | "program" }

const nothing: Candidates = { kind: "words", words: [] }

/** Candidates for the last of `words`, which follow `procwire`. */
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
    // Words behind the first operand of a command that runs another belong to that one.
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
