/** What shells evaluate: `procwire completion`, with `procwire complete` that it asks, and `procwire shell-init`. */
import process from "node:process"
import * as Chunk from "effect/Chunk"
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
import * as Completion from "./table/Completion.ts"
import { marks, scripts } from "./table/Scripts.ts"
import * as TargetFlags from "./TargetFlags.ts"

/** The text of the shell that is named. */
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

/** `procwire completion`: prints the script of a shell. */
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

/** `procwire shell-init`: prints what makes a shell tell its prompts and commands. */
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

/** How long the names of processes may take: a shell waits for them at a key. */
const patience = "1 second"

/** `procwire complete`: prints what fits the words behind `--`. It never fails: there is just nothing that fits. */
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
      const found = Completion.candidates(words, yield* Effect.promise(allSpecs))
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
    const rows = Chunk.toReadonlyArray(yield* Stream.runCollect(client.list({ sessions: "all" })))
    const begin = words.at(-1) ?? ""
    return rows
      .map((row) => [Rows.refOf(row), `${Rows.stateOf(row)}: ${CommandLine.of(row.argv)}`] as const)
      .filter(([ref]) => ref.startsWith(begin))
  }).pipe(Effect.scoped, Effect.timeout(patience))
