/** `procwire doctor`: what this machine can do, each answer tried, and what mends the rest. */
import * as Effect from "effect/Effect"
import * as Suggestion from "../../../core/protocol/Suggestion.ts"
import type { Answer } from "../doctor/Check.ts"
import * as Doctor from "../doctor/Doctor.ts"
import * as Command from "./Command.ts"
import { version } from "../Version.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import * as LeftProcesses from "./server/LeftProcesses.ts"
import * as Colours from "./show/Colours.ts"
import { wrap } from "./show/Texts.ts"
import * as Message from "./words/Message.ts"

const readName = (name: string) =>
  Doctor.names.includes(name)
    ? Effect.succeed(name)
    : Flags.wrong(
        `invalid value '${name}' for '--require': expected ${Doctor.names.join(", ")}` +
          Suggestion.ofWord(name, Doctor.names),
      )

export const doctor = Command.make({
  name: "doctor",
  summary: "Try what this machine can do, and say what mends what it cannot",
  usage: "[OPTIONS]",
  flags: {
    require: {
      ...Flags.texts("NAME,…", "exit with 1 if one of these does not work; may be repeated", {
        completes: Doctor.names,
      }),
      read: (text: string) => Effect.forEach(text.split(","), readName),
    },
    json: Flags.toggle(
      "print { version, ok, checks: [{ name, ok, why, remedy }] }; ok: all that is required works",
    ),
  },
  text: `
Names: ${Doctor.names.slice(0, 12).join(", ")},
       ${Doctor.names.slice(12).join(", ")}

Every answer is tried: a program runs on a PTY and under bubblewrap, a cgroup is made and removed. Colours are for
terminals, and not with the variable NO_COLOR.

Exit code: 0; 1 if something that is required does not work; 2 for wrong use.`,
  examples: [
    "procwire doctor",
    "procwire doctor --require pty,bwrap && procwire serve",
    "procwire doctor --json",
  ],
  endsWell: true,
  run: ({ platform, values }) =>
    Effect.gen(function* () {
      const required = (values.require ?? []).flat()
      const answers = yield* Doctor.examine(platform, LeftProcesses.folders)
      const lacking = answers.filter(({ name, ok }) => !ok && required.includes(name)).map(({ name }) => name)
      const ok = lacking.length === 0
      const page = values.json === true ? toJson(answers, ok) : toPage(answers)
      yield* Effect.ignore(LocalTerminal.print(page))
      if (!ok) Message.say(`required, and does not work here: ${lacking.join(", ")}`)
      return ok ? 0 : 1
    }),
})

const toJson = (answers: ReadonlyArray<Answer>, ok: boolean): string => {
  const checks = answers.map(({ name, ok, remedy = null, why }) => ({ name, ok, why, remedy }))
  return `${JSON.stringify({ version, ok, checks }, undefined, 2)}\n`
}

const width = Math.max(...Doctor.names.map((name) => name.length))
const indent = " ".repeat(width + 7)

/** The page: at most 100 columns, two lines for a fault. */
const toPage = (answers: ReadonlyArray<Answer>): string => {
  const { bad, good } = Colours.of("stdout")
  const wrapped = (text: string) => wrap(text, 81).join(`\n${indent}`)
  return answers
    .map(({ name, ok, remedy, why }) => {
      const mend = remedy === undefined ? "" : `${indent}${wrapped(`to mend it: ${remedy}`)}\n`
      return `${ok ? good("yes") : bad("no ")}  ${name.padEnd(width)}  ${wrapped(why)}\n${mend}`
    })
    .join("")
}
