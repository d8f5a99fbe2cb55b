/** `procwire write`: stdin for a process; `procwire send`: keys for it. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Platform } from "../Platform.ts"
import * as Control from "./control/Control.ts"
import * as Join from "./control/Join.ts"
import * as Operands from "./control/Operands.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import { help, type FlagSpecs, type Spec } from "./table/Spec.ts"
import * as TargetFlags from "./TargetFlags.ts"
import * as Keys from "./words/Keys.ts"

const flags = {
  eof: { type: "boolean", help: "end the stdin of the process behind it" },
  ...TargetFlags.flags,
  ...help,
} as const satisfies FlagSpecs

export const spec: Spec = {
  name: "write",
  summary: "Write stdin to the stdin, or the terminal, of a process",
  usage: "[OPTIONS] NAME",
  flags,
  operands: "process",
  text: "The process needs a terminal (run -d -t) or a stdin that was kept open (run -d -i).",
  examples: ["echo hello | procwire write web", "procwire write --eof sorter <words.txt"],
}

/** Writes all of stdin. */
export const write = (_: Platform, args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const command = "procwire write"
    const { operands, values } = yield* Flags.parseAll(command, args, flags)
    const ref = yield* Operands.one(command, operands)
    const control = yield* Control.open(command, values)
    return yield* Control.each(control, [ref], (row, client) =>
      Effect.gen(function* () {
        const process = yield* Join.act(client, row)
        yield* Stream.runForEach(LocalTerminal.input, process.write)
        if (values.eof === true) yield* row.tty ? process.write(endOfTransmission) : process.closeStdin
        yield* process.detach
      }),
    )
  }).pipe(Effect.scoped)

/** Ctrl-D, which is EOF on a terminal. */
const endOfTransmission = Uint8Array.of(4)

const sendFlags = {
  literal: { type: "boolean", short: "l", help: "braces are no keys" },
  ...TargetFlags.flags,
  ...help,
} as const satisfies FlagSpecs

export const sendSpec: Spec = {
  name: "send",
  summary: "Send text and keys to a process, as if they were typed",
  usage: "[OPTIONS] NAME TEXT…",
  flags: sendFlags,
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
}

/** Sends them. */
export const send = (_: Platform, args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const command = "procwire send"
    const { operands, values } = yield* Flags.parseAll(command, args, sendFlags)
    const [ref, ...texts] = operands
    const wrong = (message: string) => new Flags.UsageError({ command, message })
    if (ref === undefined || texts.length === 0)
      return yield* wrong('expected a process and what to send: procwire send web "make test{Enter}"')
    const keys = values.literal === true ? texts.join("") : Keys.read(texts.join(""))
    if (typeof keys !== "string") return yield* wrong(keys.wrong)
    const control = yield* Control.open(command, values)
    return yield* Control.each(control, [ref], (row, client) =>
      Effect.gen(function* () {
        const process = yield* Join.act(client, row)
        yield* process.write(new TextEncoder().encode(keys))
        yield* process.detach
      }),
    )
  }).pipe(Effect.scoped)
