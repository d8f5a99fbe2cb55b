/** `procwire wait`: waits, on the server, until a process has come so far. */
import * as Effect from "effect/Effect"
import type { Platform } from "../Platform.ts"
import * as Control from "./control/Control.ts"
import * as Join from "./control/Join.ts"
import * as Operands from "./control/Operands.ts"
import * as DeadlineFlags from "./DeadlineFlags.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import { Unable } from "./server/Unable.ts"
import { help, type FlagSpecs, type Spec } from "./table/Spec.ts"
import * as TargetFlags from "./TargetFlags.ts"
import * as Conditions from "./words/Conditions.ts"
import * as Failure from "./words/Failure.ts"

const command = "procwire wait"

const flags = {
  for: {
    type: "string",
    multiple: true,
    shows: "CONDITION",
    help:
      "what to wait for: exit, closed, input, text:READY, match:RE, port:3000, idle:5s or bytes:100; of several the " +
      "first that comes [default: exit]",
    completes: Conditions.kinds,
  },
  timeout: { type: "string", shows: "DURATION", help: "the longest wait; then the exit code is 124" },
  quiet: { type: "boolean", short: "q", help: "print nothing" },
  json: { type: "boolean", help: "print { ref, met, evidence }; met: the condition, or null" },
  ...TargetFlags.flags,
  ...help,
} as const satisfies FlagSpecs

export const spec: Spec = {
  name: "wait",
  summary: "Wait until a process has exited, has printed something, listens on a port or asks for input",
  usage: "[OPTIONS] NAME",
  flags,
  operands: "process",
  text: `
It prints the condition that has come, or for exit the exit code. What was printed before counts. text: is plain text,
match: an expression in the syntax of RE2; a port counts if the process or a descendant listens; input is that it reads
from its terminal or its stdin, and there is nothing to read.

Exit code: 0; 1 if the process has ended, and what was waited for cannot come; 124 after --timeout.`,
  examples: [
    "procwire wait web --for port:3000 --timeout 1m && curl localhost:3000",
    "procwire wait web --for text:READY --for exit",
    "code=$(procwire wait job)",
  ],
}

/** Waits. */
export const wait = (_: Platform, args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { operands, values } = yield* Flags.parseAll(command, args, flags)
    const ref = yield* Operands.one(command, operands)
    const texts = values.for ?? ["exit"]
    const until = yield* Effect.forEach(texts, (text) => Conditions.read(command, text))
    const timeoutMs =
      values.timeout === undefined ? undefined : yield* Flags.duration(command, "--timeout", values.timeout)
    const control = yield* Control.open(command, values)
    const row = yield* Control.find(control, ref)
    if (control.client === undefined) return 1
    const limit = timeoutMs === undefined ? {} : { timeoutMs }
    const { met, evidence, exited, unknown, exitCode } = yield* Join.look(control.client, row).pipe(
      Effect.flatMap((process) => process.wait({ until, maxBytes: 0, ...limit })),
      Failure.about(ref, row),
    )
    const text = met === null ? undefined : texts[met]
    if (values.json === true) yield* print(JSON.stringify({ ref, met: text ?? null, evidence }))
    else if (text !== undefined && values.quiet !== true)
      yield* print(text === "exit" ? String(exitCode) : text)
    if (text !== undefined) return 0
    const [first] = unknown ?? []
    if (first !== undefined)
      return yield* new Unable({ message: `${texts[first.index]} cannot be told: ${first.why}` })
    if (!exited) return yield* tooLate(ref, texts, values.timeout ?? "")
    return yield* hasEnded(ref, texts, exitCode)
  }).pipe(Effect.scoped)

const print = (text: string) => LocalTerminal.write("stdout", new TextEncoder().encode(`${text}\n`))

const tooLate = (ref: string, texts: ReadonlyArray<string>, timeout: string) =>
  new Unable({
    message: `${ref}: ${texts.join(" or ")} has not come within ${timeout}`,
    exitCode: DeadlineFlags.exitCode,
  })

const hasEnded = (ref: string, texts: ReadonlyArray<string>, exitCode: number | null) =>
  new Unable({
    message: `${ref} has ended (exit code ${exitCode ?? "unknown"}) before ${texts.join(" or ")}`,
  })
