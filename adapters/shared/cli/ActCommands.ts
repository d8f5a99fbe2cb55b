/** Commands that act on processes by their names: `write`, `send`, `kill`, `stop`, `restart`, `rm` and `prune`. */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { EndOptions } from "../../../core/client/RemoteProcess.ts"
import type * as ExecClient from "../../../core/client/ExecClient.ts"
import type { ListedProcess } from "../../../core/client/Lists.ts"
import * as Signals from "../../../core/protocol/Signals.ts"
import * as Command from "./Command.ts"
import * as Control from "./control/Control.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import { unable } from "./server/Unable.ts"
import * as Filters from "./show/Filters.ts"
import * as Rows from "./show/Rows.ts"
import * as TargetFlags from "./TargetFlags.ts"
import * as Keys from "./words/Keys.ts"
import * as Access from "./server/Access.ts"
import { restartsNothing } from "./features/Restart.ts"

const { endOfTransmission, printLine: print } = LocalTerminal

export const write = Command.make({
  name: "write",
  summary: "Write stdin to the stdin, or the terminal, of a process",
  usage: "[OPTIONS] NAME",
  flags: { eof: Flags.toggle("end the stdin of the process behind it"), ...TargetFlags.flags },
  operands: "process",
  text: "The process needs a terminal (run -d -t) or a stdin that was kept open (run -d -i).",
  examples: ["echo hello | procwire write web", "procwire write --eof sorter <words.txt"],
  run: (given) =>
    Effect.gen(function* () {
      yield* Control.name(given.operands)
      return yield* Control.eachNamed(given, (row, client) =>
        Control.acting(client, row, (child) => {
          const sent = Stream.runForEach(LocalTerminal.input, child.write)
          if (given.values.eof !== true) return sent
          return Effect.andThen(sent, row.tty ? child.write(endOfTransmission) : child.closeStdin)
        }),
      )
    }),
})

export const send = Command.make({
  name: "send",
  summary: "Send text and keys to a process, as if they were typed",
  usage: "[OPTIONS] NAME TEXT…",
  flags: { literal: Flags.toggle("braces are no keys", "l"), ...TargetFlags.flags },
  operands: "process",
  text: `
Keys are named in braces: {Enter}, {Ctrl-C} or {C-c}, {Alt-x} or {M-x}, and
  ${Keys.names}
A brace of its own is {{} or {}}. Several texts follow each other without a blank.`,
  examples: [
    'procwire send web "make test{Enter}"',
    "procwire send web '{C-c}'",
    "procwire send editor '{Esc}:wq{Enter}'",
  ],
  run: ({ name, platform, values, operands: [ref, ...texts] }) =>
    Effect.gen(function* () {
      if (ref === undefined || texts.length === 0)
        return yield* Flags.wrong('expected a process and what to send: procwire send web "make test{Enter}"')
      const keys = values.literal === true ? texts.join("") : Keys.read(texts.join(""))
      if (typeof keys !== "string") return yield* Flags.wrong(keys.wrong)
      return yield* Control.eachNamed({ name, platform, values, operands: [ref] }, (row, client) =>
        Control.acting(client, row, (child) => child.write(new TextEncoder().encode(keys))),
      )
    }),
})

const expected = "expected a name such as TERM or SIGUSR1, or a number"

const signalFlag = (help: string) =>
  ({
    ...Flags.text("NAME", help, {
      short: "s",
      completes: ["TERM", "KILL", "INT", "HUP", "QUIT", "USR1", "USR2", "STOP", "CONT", "WINCH"],
    }),
    read: (text: string) => {
      const signal = Signals.read(/^\d+$/.test(text) ? Number(text) : text.toUpperCase())
      return signal === undefined
        ? Flags.wrong(`invalid value '${text}' for '--signal': ${expected}`)
        : Effect.succeed(signal)
    },
  }) as const

/** `-9` and `-KILL`, as `kill` of a shell has them. */
const toFlag = (word: string): string =>
  /^-(?:\d{1,2}|[A-Z][A-Z0-9+-]+)$/.test(word) ? `--signal=${word.slice(1)}` : word

export const kill = Command.make({
  name: "kill",
  summary: "Send a signal to processes",
  usage: "[OPTIONS] NAME… | -l [SIGNAL…]",
  flags: {
    signal: signalFlag("which one: TERM, SIGUSR1, 9; -9 and -KILL are the same [default: TERM]"),
    list: Flags.toggle("list the signals, or tell those that are named by number or by name", "l"),
    grace: Flags.duration(
      "kill what is left of it and its descendants after this time, and return when it has ended",
    ),
    ...TargetFlags.flags,
  },
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
  parse: (args, flags) => Flags.parse(args.map(toFlag), flags),
  run: (given) => {
    const { list, signal = "SIGTERM", grace: graceMs } = given.values
    if (list === true) return listed(given.operands)
    return Control.eachNamed(given, (row, client) =>
      Effect.gen(function* () {
        if (!Rows.isLive(row)) return yield* ended(row)
        if (graceMs !== undefined) return yield* end(client, row, { signal, graceMs })
        yield* Control.acting(client, row, (child) => child.signal(signal))
      }),
    )
  },
})

export const stop = Command.make({
  name: "stop",
  summary: "End processes: SIGTERM, and SIGKILL for what is left after a time",
  usage: "[OPTIONS] NAME…",
  flags: {
    time: Flags.duration("how long it may take to end before it is killed [default: 10s]", "t"),
    signal: signalFlag("what it gets first [default: TERM]"),
    ...TargetFlags.flags,
  },
  operands: "process",
  text: `
It returns when they have ended, and prints their names. Their output stays until procwire rm. One that has ended
already is an error, and the exit code is 1. procwire kill --grace is the same.`,
  examples: ["procwire stop web", "procwire stop -t 30 web db"],
  run: (given) =>
    Control.eachNamed(given, (row, client) =>
      Effect.gen(function* () {
        if (!Rows.isLive(row)) return yield* ended(row)
        const { signal = "SIGTERM", time: graceMs = 10_000 } = given.values
        yield* end(client, row, { signal, graceMs })
        yield* print(Rows.refOf(row))
      }),
    ),
})

const end = (client: ExecClient.ExecClient, row: ListedProcess, how: EndOptions) =>
  Effect.gen(function* () {
    const child = yield* Control.act(client, row)
    yield* child.end(how)
    yield* child.closed
  })

const ended = (row: ListedProcess) => unable(`${Rows.refOf(row)} has ended already (${Rows.stateOf(row)})`)

/** All signals of this system, or what the words mean: a name a number, a number (or that of an exit code) a name. */
const listed = (words: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const names = Signals.namesOn(process.platform === "darwin" ? "macos" : "linux")
    if (words.length === 0)
      return yield* print(names.map((name, index) => `${String(index + 1).padStart(2)} ${name}`).join("\n"))
    const answers = yield* Effect.forEach(words, (word) => {
      const name = word.toUpperCase().replace(/^SIG/, "")
      const number = Number(word) > 128 ? Number(word) - 128 : Number(word)
      const found = /^\d+$/.test(word) ? names[number - 1] : names.indexOf(name) + 1 || undefined
      return found === undefined
        ? Flags.wrong(`invalid signal '${word}': ${expected}`)
        : Effect.succeed(String(found))
    })
    return yield* print(answers.join("\n"))
  })

export const rm = Command.make({
  name: "rm",
  summary: "Remove processes that have ended, with their output",
  usage: "[OPTIONS] NAME…",
  flags: { force: Flags.toggle("kill those that run", "f"), ...TargetFlags.flags },
  operands: "process",
  text: "It prints the names of those that it has removed. One that runs is an error without --force.",
  examples: [
    "procwire rm web",
    "procwire rm -f web db",
    "procwire ps -aq --filter exit=0 | xargs -r procwire rm",
  ],
  run: (given) =>
    Control.eachNamed(given, (row, client) => {
      const ref = Rows.refOf(row)
      return Rows.isLive(row) && given.values.force !== true
        ? unable(`${ref} runs: end it with procwire kill ${ref}, or give --force`)
        : remove(row, client)
    }),
})

export const prune = Command.make({
  name: "prune",
  summary: "Remove all processes that have ended, with their output",
  usage: "[OPTIONS]",
  flags: {
    filter: Filters.flag("only those with all of these, as in procwire ps; may be repeated"),
    ...TargetFlags.flags,
  },
  text: "It prints the names of those that it has removed. Those that run stay.",
  examples: ["procwire prune", "procwire prune --filter label=team=web"],
  run: (given) =>
    Effect.gen(function* () {
      const { matches } = Filters.of(given.values.filter)
      const control = yield* Control.open(given)
      const rows = (yield* Control.list(control, { states: ["closed"] })).filter(matches)
      const places = rows.map(({ session, processId }) => `${session}/${processId}`)
      return yield* Control.each(control, places, remove)
    }),
})

/** Completes when it has closed, and is forgotten. */
const remove = (row: ListedProcess, client: ExecClient.ExecClient) =>
  Effect.gen(function* () {
    const child = yield* Control.act(client, row)
    yield* child.end({ signal: "SIGKILL", graceMs: 0, remove: true })
    // One that was closed when it was listed sends no more events.
    if (row.state !== "closed") yield* Effect.exit(child.closed)
    yield* print(Rows.refOf(row))
  })

export const restart = Command.make({
  name: "restart",
  summary: "End processes, and start them again with the same command, directory, variables and labels",
  usage: "[OPTIONS] NAME…",
  flags: {
    grace: Flags.duration("from SIGTERM to the SIGKILL of what is left of it [default: that of run, or 5s]"),
    json: Flags.toggle("print { name, session, processId } instead of the name"),
    ...TargetFlags.flags,
  },
  operands: "process",
  text: `
It prints the names when they run again, which is when nothing is left of what ran before. The output goes on where it
was, and those who are attached stay. One that has ended already begins anew, with an empty output. Processes of run -d
can be restarted; those of other clients if their start has asked for it.`,
  examples: ["procwire restart web", "procwire restart --grace 30s web db"],
  run: (given) =>
    Control.eachNamed(given, (row, client) =>
      Effect.gen(function* () {
        const { grace: graceMs, json = false } = given.values
        yield* Access.need(client, "processRestart", restartsNothing)
        yield* Control.acting(client, row, (child) => child.restart(graceMs === undefined ? {} : { graceMs }))
        const { name, session, processId } = row
        const text = json ? JSON.stringify({ name, session, processId }) : Rows.refOf(row)
        yield* print(text)
      }),
    ),
})
