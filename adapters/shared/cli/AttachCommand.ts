/**
 * `procwire attach`: this terminal at a process that runs, beside others who are there. It leaves the process as it is,
 * and the terminal as it was.
 */
import process from "node:process"
import * as Effect from "effect/Effect"
import type { Policy } from "../../../core/protocol/Attach.ts"
import * as Command from "./Command.ts"
import * as Control from "./control/Control.ts"
import * as Session from "./control/TerminalSession.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import { Unable } from "./server/Unable.ts"
import * as Rows from "./show/Rows.ts"
import * as TargetFlags from "./TargetFlags.ts"
import * as Keys from "./words/Keys.ts"
import * as Failure from "./words/Failure.ts"

const policies: ReadonlyArray<Policy> = ["screen", "skip", "block"]

const usualKeys = "ctrl-p,ctrl-q"

/** `procwire attach`: attaches until the process ends or the user leaves it. */
export const attach = Command.make({
  name: "attach",
  summary: "Bring a process to this terminal, and leave it again without harm",
  usage: "[OPTIONS] NAME",
  flags: {
    "read-only": Flags.toggle("look on: nothing that is typed is sent", "r"),
    take: Flags.toggle("write, also if somebody else does, who looks on then"),
    policy: Flags.text(
      "POLICY",
      "while this terminal lags: screen jumps to what the terminal of the process shows, skip leaves output out, " +
        "block lets the process wait [default: screen, or skip without a terminal]",
    ),
    "detach-keys": Flags.text(
      "KEYS",
      `what leaves the process, as in ctrl-a,d or f12; empty for nothing [default: ${usualKeys}]`,
    ),
    ...TargetFlags.flags,
  },
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
  run: (asked) =>
    Effect.gen(function* () {
      const { values } = asked
      const ref = yield* Control.name(asked.operands)
      const readOnly = values["read-only"] === true
      const take = values.take === true
      if (readOnly && take) return yield* Flags.wrong("--read-only and --take exclude each other")
      const policy = policies.find((one) => one === values.policy)
      if (values.policy !== undefined && policy === undefined)
        return yield* Flags.wrong(
          `invalid value '${values.policy}' for '--policy': expected ${policies.join(", ")}`,
        )
      const given = values["detach-keys"] ?? usualKeys
      const keys = Keys.parseDetachKeys(given)
      if (keys === undefined)
        return yield* Flags.wrong(
          `invalid value '${given}' for '--detach-keys': expected keys such as ${usualKeys} or f12`,
        )
      const link = Session.link()
      const control = yield* Control.open(asked, { onStatus: link.status })
      const { client, row } = yield* Control.find(control, ref)
      if (!Rows.isLive(row))
        return yield* new Unable({
          message: `${ref} has ended (${Rows.stateOf(row)}); procwire logs ${ref} shows what it has printed`,
        })
      const paints = row.tty && client.environmentInfo.capabilities?.processScreen === true
      if (policy === "screen" && !paints)
        return yield* new Unable({
          message: row.tty
            ? "this server cannot paint terminals"
            : `${ref} has no terminal, so no screen to jump to`,
        })
      const lagging = policy ?? (paints ? "screen" : "skip")
      // What is retained of a terminal is shown again where there is no picture of it, of a pipe only what comes.
      const after = row.tty && !paints ? 0 : row.nextSeq - 1
      const ended = yield* (
        readOnly
          ? Control.look(client, row, after, lagging)
          : Control.write(client, row, after, take, lagging)
      ).pipe(
        Effect.flatMap((child) => Session.run(child, { row, keys, readOnly, paints, link })),
        Failure.about(ref, row),
      )
      if (ended.kind === "exited") return ended.code
      const left = process.stderr.isTTY ? `detached; procwire attach ${ref} comes back\n` : ""
      return yield* Effect.as(Effect.ignore(LocalTerminal.print(left, "stderr")), 0)
    }),
})
