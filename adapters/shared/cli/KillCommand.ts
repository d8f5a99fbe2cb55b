/** `procwire kill` and `procwire stop`: send a signal to processes, or end them within a time. */
import process from "node:process"
import * as Effect from "effect/Effect"
import type { EndOptions } from "../../../core/client/RemoteProcess.ts"
import type * as ExecClient from "../../../core/client/ExecClient.ts"
import type { ListedProcess } from "../../../core/client/Lists.ts"
import * as Signals from "../../../core/protocol/Signals.ts"
import type { Platform } from "../Platform.ts"
import * as Control from "./control/Control.ts"
import * as Join from "./control/Join.ts"
import * as Operands from "./control/Operands.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import { Unable } from "./server/Unable.ts"
import * as Rows from "./show/Rows.ts"
import { help, type FlagSpecs, type Spec } from "./table/Spec.ts"
import * as TargetFlags from "./TargetFlags.ts"

const command = "procwire kill"

const flags = {
  signal: {
    type: "string",
    short: "s",
    shows: "NAME",
    help: "which one: TERM, SIGUSR1, 9; -9 and -KILL are the same [default: TERM]",
    completes: ["TERM", "KILL", "INT", "HUP", "QUIT", "USR1", "USR2", "STOP", "CONT", "WINCH"],
  },
  list: {
    type: "boolean",
    short: "l",
    help: "list the signals, or tell those that are named by number or by name",
  },
  grace: {
    type: "string",
    shows: "DURATION",
    help: "kill what is left of it and its descendants after this time, and return when it has ended",
  },
  ...TargetFlags.flags,
  ...help,
} as const satisfies FlagSpecs

export const spec: Spec = {
  name: "kill",
  summary: "Send a signal to processes",
  usage: "[OPTIONS] NAME… | -l [SIGNAL…]",
  flags,
  operands: "process",
  text: `
The signal goes to the group of the process. Those that have ended are an error, and the exit code is 1; the others get
theirs all the same.`,
  examples: [
    "procwire kill web",
    "procwire kill -s HUP web db",
    "procwire kill -9 web",
    "procwire kill --grace 5s web",
    "procwire kill -l 9",
  ],
}

/** Sends it. */
export const kill = (_: Platform, args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { operands, values } = yield* Flags.parseAll(command, args.map(toFlag), flags)
    if (values.list === true) return yield* listed(operands)
    const refs = yield* Operands.some(command, operands)
    const signal = yield* readSignal(values.signal ?? "TERM", command)
    const graceMs =
      values.grace === undefined ? undefined : yield* Flags.duration(command, "--grace", values.grace)
    const control = yield* Control.open(command, values)
    return yield* Control.each(control, refs, (row, client) =>
      Effect.gen(function* () {
        if (!Rows.isLive(row)) return yield* ended(row)
        if (graceMs !== undefined) return yield* end(client, row, { signal, graceMs })
        const process = yield* Join.act(client, row)
        yield* Effect.ensuring(process.signal(signal), Effect.ignore(process.detach))
      }),
    )
  }).pipe(Effect.scoped)

const stopCommand = "procwire stop"

const stopFlags = {
  time: {
    type: "string",
    short: "t",
    shows: "DURATION",
    help: "how long it may take to end before it is killed [default: 10s]",
  },
  signal: {
    type: "string",
    short: "s",
    shows: "NAME",
    help: "what it gets first [default: TERM]",
    completes: flags.signal.completes,
  },
  ...TargetFlags.flags,
  ...help,
} as const satisfies FlagSpecs

export const stopSpec: Spec = {
  name: "stop",
  summary: "End processes: SIGTERM, and SIGKILL for what is left after a time",
  usage: "[OPTIONS] NAME…",
  flags: stopFlags,
  operands: "process",
  text: `
It returns when they have ended, and prints their names. Their output stays until procwire rm. One that has ended
already is an error, and the exit code is 1. procwire kill --grace is the same.`,
  examples: ["procwire stop web", "procwire stop -t 30 web db"],
}

/** Ends them, one after the other. */
export const stop = (_: Platform, args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { operands, values } = yield* Flags.parseAll(stopCommand, args, stopFlags)
    const refs = yield* Operands.some(stopCommand, operands)
    const signal = yield* readSignal(values.signal ?? "TERM", stopCommand)
    const graceMs = yield* Flags.duration(stopCommand, "--time", values.time ?? "10s")
    const control = yield* Control.open(stopCommand, values)
    return yield* Control.each(control, refs, (row, client) =>
      Effect.gen(function* () {
        if (!Rows.isLive(row)) return yield* ended(row)
        yield* end(client, row, { signal, graceMs })
        yield* print(Rows.refOf(row))
      }),
    )
  }).pipe(Effect.scoped)

const end = (client: ExecClient.ExecClient, row: ListedProcess, how: EndOptions) =>
  Effect.gen(function* () {
    const process = yield* Join.act(client, row)
    yield* process.end(how)
    yield* process.closed
  })

const print = (text: string) => LocalTerminal.write("stdout", new TextEncoder().encode(`${text}\n`))

/** All signals of this system, or what the words mean: a name a number, a number (or that of an exit code) a name. */
const listed = (words: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const names = Signals.namesOn(process.platform === "darwin" ? "macos" : "linux")
    if (words.length === 0) {
      yield* print(names.map((name, index) => `${String(index + 1).padStart(2)} ${name}`).join("\n"))
      return 0
    }
    const told = yield* Effect.forEach(words, (word) => {
      const name = word.toUpperCase().replace(/^SIG/, "")
      const number = Number(word) > 128 ? Number(word) - 128 : Number(word)
      const found = /^\d+$/.test(word) ? names[number - 1] : names.indexOf(name) + 1 || undefined
      const message = `invalid signal '${word}': ${expected}`
      return found === undefined ? new Flags.UsageError({ command, message }) : Effect.succeed(String(found))
    })
    yield* print(told.join("\n"))
    return 0
  })

const ended = (row: Parameters<typeof Rows.refOf>[0]) =>
  new Unable({ message: `${Rows.refOf(row)} has ended already (${Rows.stateOf(row)})` })

/** `-9` and `-KILL`, as `kill` of a shell has them. */
const toFlag = (word: string): string =>
  /^-(?:\d{1,2}|[A-Z][A-Z0-9+-]+)$/.test(word) ? `--signal=${word.slice(1)}` : word

const expected = "expected a name such as TERM or SIGUSR1, or a number"

const readSignal = (text: string, command: string) => {
  const signal = Signals.read(/^\d+$/.test(text) ? Number(text) : text.toUpperCase())
  const message = `invalid value '${text}' for '--signal': ${expected}`
  return signal === undefined ? new Flags.UsageError({ command, message }) : Effect.succeed(signal)
}
