/** `procwire completion`: the script of a shell; `procwire complete`: what that asks for. */
import process from "node:process"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as CommandLine from "../../../core/protocol/CommandLine.ts"
import * as Suggestion from "../../../core/protocol/Suggestion.ts"
import type { Platform } from "../Platform.ts"
import { allSpecs } from "./Commands.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import * as Access from "./server/Access.ts"
import * as Contexts from "./server/Contexts.ts"
import * as Reach from "./server/Reach.ts"
import * as SshConfig from "./server/SshConfig.ts"
import * as Rows from "./show/Rows.ts"
import * as Completion from "./table/Completion.ts"
import { scripts } from "./table/Scripts.ts"
import { help, type Spec } from "./table/Spec.ts"
import * as TargetFlags from "./TargetFlags.ts"

const command = "procwire completion"

const names = ["bash", "zsh", "fish"] as const

export const spec: Spec = {
  name: "completion",
  summary: "Print what makes bash, zsh or fish complete commands, flags and the names of processes",
  usage: "bash|zsh|fish",
  flags: {},
  operands: names,
  examples: [
    'eval "$(procwire completion bash)"        # in ~/.bashrc',
    "source <(procwire completion zsh)         # in ~/.zshrc, behind compinit",
    "procwire completion fish >~/.config/fish/completions/procwire.fish",
  ],
}

/** Prints the script. */
export const completion = (_: Platform, args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { operands } = yield* Flags.parseAll(command, args, help)
    const [name = "", ...more] = operands
    const shell = names.find((each) => each === name)
    if (shell === undefined || more.length > 0) {
      const given = name === "" ? "no shell is named" : `invalid shell '${operands.join(" ")}'`
      const message = `${given}: expected ${names.join(", ")}${Suggestion.ofWord(name, names)}`
      return yield* new Flags.UsageError({ command, message })
    }
    yield* print(scripts[shell])
  })

const print = (text: string) => LocalTerminal.write("stdout", new TextEncoder().encode(text))

/** How long the names of processes may take: a shell waits for them at a key. */
const patience = "1 second"

/** Prints what fits the words behind `--`. It never fails: there is just nothing that fits. */
export const complete = (_: Platform, args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const words = args[0] === "--" ? args.slice(1) : args
    const specs = yield* Effect.promise(allSpecs)
    const found = Completion.candidates(words, specs)
    const current = words.at(-1) ?? ""
    if (found.kind === "words") return yield* print(answer(found.words))
    if (found.kind === "context") return yield* print(answer(yield* contexts(current, [])))
    if (found.kind === "host")
      return yield* print(answer(yield* contexts(current, SshConfig.hosts(process.env))))
    if (found.kind === "process") return yield* print(answer(yield* processes(words)))
    return yield* print(`${found.kind}\n`)
  }).pipe(Effect.ignore)

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
    const target = yield* TargetFlags.read(command, named, { own: true })
    const reached = yield* Reach.existing(target)
    if (reached === undefined) return []
    const client = yield* Access.connect(reached, { clientName: "procwire-complete", heartbeat: false })
    const rows = Chunk.toReadonlyArray(yield* Stream.runCollect(client.list({ sessions: "all" })))
    const begin = words.at(-1) ?? ""
    return rows
      .map((row) => [Rows.refOf(row), `${Rows.stateOf(row)}: ${CommandLine.of(row.argv)}`] as const)
      .filter(([ref]) => ref.startsWith(begin))
  }).pipe(Effect.scoped, Effect.timeout(patience))
