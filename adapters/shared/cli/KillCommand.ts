/** `procwire kill`: sends a signal to processes, or ends them within a time. */
import * as Effect from "effect/Effect"
import * as Signals from "../../../core/protocol/Signals.ts"
import type { Platform } from "../Platform.ts"
import * as Control from "./control/Control.ts"
import * as Join from "./control/Join.ts"
import * as Operands from "./control/Operands.ts"
import * as Flags from "./Flags.ts"
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
  usage: "[OPTIONS] NAME…",
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
  ],
}

/** Sends it. */
export const kill = (_: Platform, args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { operands, values } = yield* Flags.parseAll(command, args.map(toFlag), flags)
    const refs = yield* Operands.some(command, operands)
    const signal = yield* readSignal(values.signal ?? "TERM")
    const graceMs =
      values.grace === undefined ? undefined : yield* Flags.duration(command, "--grace", values.grace)
    const control = yield* Control.open(command, values)
    return yield* Control.each(control, refs, (row, client) =>
      Effect.gen(function* () {
        if (!Rows.isLive(row)) return yield* ended(row)
        const process = yield* Join.act(client, row)
        if (graceMs === undefined)
          return yield* Effect.ensuring(process.signal(signal), Effect.ignore(process.detach))
        yield* process.end({ signal, graceMs })
        yield* process.closed
      }),
    )
  }).pipe(Effect.scoped)

const ended = (row: Parameters<typeof Rows.refOf>[0]) =>
  new Unable({ message: `${Rows.refOf(row)} has ended already (${Rows.stateOf(row)})` })

/** `-9` and `-KILL`, as `kill` of a shell has them. */
const toFlag = (word: string): string =>
  /^-(?:\d{1,2}|[A-Z][A-Z0-9+-]+)$/.test(word) ? `--signal=${word.slice(1)}` : word

const readSignal = (text: string) => {
  const signal = Signals.read(/^\d+$/.test(text) ? Number(text) : text.toUpperCase())
  const message = `invalid value '${text}' for '--signal': expected a name such as TERM or SIGUSR1, or a number`
  return signal === undefined ? new Flags.UsageError({ command, message }) : Effect.succeed(signal)
}
