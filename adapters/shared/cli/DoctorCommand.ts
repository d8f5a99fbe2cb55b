/** `procwire doctor`: what this machine can do, each answer tried, and what mends the rest. */
import * as Effect from "effect/Effect"
import * as Suggestion from "../../../core/protocol/Suggestion.ts"
import type { Answer } from "../doctor/Check.ts"
import * as Doctor from "../doctor/Doctor.ts"
import type { Platform } from "../Platform.ts"
import { version } from "../Version.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import { isColoured } from "./show/Colours.ts"
import { help as helpFlag, type FlagSpecs, type Spec } from "./table/Spec.ts"
import * as Message from "./words/Message.ts"

const command = "procwire doctor"

const flags = {
  require: {
    type: "string",
    multiple: true,
    shows: "NAME,…",
    help: "exit with 1 if one of these does not work; may be repeated",
    completes: Doctor.names,
  },
  json: {
    type: "boolean",
    help: "print { version, ok, checks: [{ name, ok, why, remedy }] }; ok: all that is required works",
  },
  ...helpFlag,
} as const satisfies FlagSpecs

export const spec: Spec = {
  name: "doctor",
  summary: "Try what this machine can do, and say what mends what it cannot",
  usage: "[OPTIONS]",
  flags,
  text: `
Names: ${Doctor.names.slice(0, 11).join(", ")},
       ${Doctor.names.slice(11).join(", ")}

Every answer is tried: a program runs on a PTY and under bubblewrap, a cgroup is made and removed. Colours are for
terminals, and not with the variable NO_COLOR.

Exit code: 0; 1 if something that is required does not work; 2 for wrong use.`,
  examples: [
    "procwire doctor",
    "procwire doctor --require pty,bwrap && procwire serve",
    "procwire doctor --json",
  ],
}

/** Prints the answers. Succeeds with the exit code. */
export const doctor = (platform: Platform, args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { json = false, require = [] } = yield* Flags.parse(command, args, flags)
    const required = require.flatMap((list) => list.split(","))
    for (const name of required) if (!Doctor.names.includes(name)) return yield* unknown(name)
    const answers = yield* Doctor.examine(platform)
    const lacking = answers.filter(({ name, ok }) => !ok && required.includes(name)).map(({ name }) => name)
    const page = json ? toJson(answers, lacking.length === 0) : toPage(answers, isColoured("stdout"))
    yield* Effect.ignore(LocalTerminal.write("stdout", utf8.encode(page)))
    if (lacking.length === 0) return 0
    const text = Message.line(`required, and does not work here: ${lacking.join(", ")}`)
    yield* Effect.ignore(LocalTerminal.write("stderr", utf8.encode(text)))
    return 1
  })

const utf8 = new TextEncoder()

const unknown = (name: string) =>
  new Flags.UsageError({
    command,
    message:
      `invalid value '${name}' for '--require': expected ${Doctor.names.join(", ")}` +
      Suggestion.ofWord(name, Doctor.names),
  })

const toJson = (answers: ReadonlyArray<Answer>, ok: boolean): string => {
  const checks = answers.map(({ name, ok, remedy = null, why }) => ({ name, ok, why, remedy }))
  return `${JSON.stringify({ version, ok, checks }, undefined, 2)}\n`
}

const width = Math.max(...Doctor.names.map((name) => name.length))
const indent = " ".repeat(width + 7)

/** The page: at most 100 columns, two lines for what is wrong. */
export const toPage = (answers: ReadonlyArray<Answer>, coloured: boolean): string =>
  answers
    .map(({ name, ok, remedy, why }) => {
      const word = ok ? "yes" : "no "
      const mark = coloured ? `\u001b[${ok ? 32 : 31}m${word}\u001b[m` : word
      const mend = remedy === undefined ? "" : `${indent}${wrap(`to mend it: ${remedy}`)}\n`
      return `${mark}  ${name.padEnd(width)}  ${wrap(why)}\n${mend}`
    })
    .join("")

const wrap = (text: string): string => text.replaceAll(/(.{1,81})(?: |$)/g, `$1\n${indent}`).trimEnd()
