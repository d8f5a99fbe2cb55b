/**
 * `procwire attach`: this terminal at a process that runs, beside others who are there. It leaves the process as it is,
 * and the terminal as it was.
 */
import process from "node:process"
import * as Effect from "effect/Effect"
import type { Policy } from "../../../core/protocol/Attach.ts"
import type { Platform } from "../Platform.ts"
import * as Control from "./control/Control.ts"
import * as Join from "./control/Join.ts"
import * as Operands from "./control/Operands.ts"
import * as Session from "./control/TerminalSession.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import { Unable } from "./server/Unable.ts"
import * as Rows from "./show/Rows.ts"
import { help, type FlagSpecs, type Spec } from "./table/Spec.ts"
import * as TargetFlags from "./TargetFlags.ts"
import * as DetachKeys from "./words/DetachKeys.ts"
import * as Failure from "./words/Failure.ts"

const command = "procwire attach"

const policies: ReadonlyArray<Policy> = ["screen", "skip", "block"]

const usualKeys = "ctrl-p,ctrl-q"

const flags = {
  "read-only": { type: "boolean", short: "r", help: "look on: nothing that is typed is sent" },
  take: { type: "boolean", help: "write, also if somebody else does, who looks on then" },
  policy: {
    type: "string",
    shows: "POLICY",
    help:
      "while this terminal lags: screen jumps to what the terminal of the process shows, skip leaves output out, " +
      "block lets the process wait [default: screen, or skip without a terminal]",
  },
  "detach-keys": {
    type: "string",
    shows: "KEYS",
    help: `what leaves the process, as in ctrl-a,d or f12; empty for nothing [default: ${usualKeys}]`,
  },
  ...TargetFlags.flags,
  ...help,
} as const satisfies FlagSpecs

export const spec: Spec = {
  name: "attach",
  summary: "Bring a process to this terminal, and leave it again without harm",
  usage: "[OPTIONS] NAME",
  flags,
  operands: "process",
  text: `
What a terminal process has shown is shown again, its terminal gets the size of this one, and every key goes to it until
the detach keys. A process without a terminal gets stdin as it comes, and Ctrl-C leaves it. One client at a time writes;
others look on. With --read-only Ctrl-C leaves as well.

Exit code: that of the process if it ends meanwhile; 0 after the detach keys.`,
  examples: [
    "procwire attach web",
    "procwire attach --read-only web",
    "procwire attach --read-only --policy block web",
    "procwire attach --take --detach-keys ctrl-a,d web",
  ],
}

/** Attaches until the process ends or the user leaves it. */
export const attach = (_: Platform, args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { operands, values } = yield* Flags.parseAll(command, args, flags)
    const ref = yield* Operands.one(command, operands)
    const readOnly = values["read-only"] === true
    const wrong = (message: string) => new Flags.UsageError({ command, message })
    if (readOnly && values.take === true) return yield* wrong("--read-only and --take exclude each other")
    const policy = policies.find((one) => one === values.policy)
    if (values.policy !== undefined && policy === undefined)
      return yield* wrong(`invalid value '${values.policy}' for '--policy': expected ${policies.join(", ")}`)
    const given = values["detach-keys"] ?? usualKeys
    const keys = DetachKeys.parse(given)
    if (keys === undefined)
      return yield* wrong(
        `invalid value '${given}' for '--detach-keys': expected keys such as ${usualKeys} or f12`,
      )
    const link = Session.link()
    const control = yield* Control.open(command, values, { onStatus: link.status })
    const row = yield* Control.find(control, ref)
    if (control.client === undefined) return 1
    if (!Rows.isLive(row))
      return yield* new Unable({
        message: `${ref} has ended (${Rows.stateOf(row)}); procwire logs ${ref} shows what it has printed`,
      })
    const paints = row.tty && control.client.environmentInfo.capabilities?.processScreen === true
    if (policy === "screen" && !paints)
      return yield* new Unable({
        message: row.tty
          ? "this server cannot paint terminals"
          : `${ref} has no terminal, so no screen to jump to`,
      })
    const lagging = policy ?? (paints ? "screen" : "skip")
    // What is retained of a terminal is shown again where there is no picture of it, of a pipe only what comes.
    const after = row.tty && !paints ? 0 : row.nextSeq - 1
    const take = values.take === true
    const ended = yield* (
      readOnly
        ? Join.look(control.client, row, after, lagging)
        : Join.write(control.client, row, after, take, lagging)
    ).pipe(
      Effect.flatMap((child) => Session.run(child, { row, keys, readOnly, paints, link })),
      Failure.about(ref, row),
    )
    if (ended.kind === "exited") return ended.code
    yield* Effect.ignore(LocalTerminal.write("stderr", new TextEncoder().encode(left(ref))))
    return 0
  }).pipe(Effect.scoped)

const left = (ref: string) => (process.stderr.isTTY ? `detached; procwire attach ${ref} comes back\n` : "")
