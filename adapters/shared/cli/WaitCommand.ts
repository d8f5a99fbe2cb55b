/** `procwire wait`: waits, on the server, until processes have come so far. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Fiber from "effect/Fiber"
import type { WaitResult } from "../../../core/features/wait/wire.ts"
import * as Command from "./Command.ts"
import * as Control from "./control/Control.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import { timeoutExitCode, Unable, unable } from "./server/Unable.ts"
import * as TargetFlags from "./TargetFlags.ts"
import * as Failure from "./words/Failure.ts"
import * as Message from "./words/Message.ts"
import { ClientError } from "../../../core/client/ClientError.ts"
import type { WaitCondition } from "../../../core/client/RemoteProcess.ts"
import * as Suggestion from "../../../core/protocol/Suggestion.ts"

export const kinds = ["exit", "closed", "input", "text:", "match:", "port:", "idle:", "bytes:"] as const

export const readCondition = (text: string): Effect.Effect<WaitCondition, Flags.UsageError> => {
  const cut = text.indexOf(":")
  const [kind, value] = cut < 0 ? [text, ""] : [text.slice(0, cut), text.slice(cut + 1)]
  const wrong = (why: string) => Flags.wrong(`invalid value '${text}' for '--for': ${why}`)
  if (cut < 0 && (kind === "exit" || kind === "closed" || kind === "input"))
    return Effect.succeed({ [kind]: true })
  if (cut < 0 || !kinds.some((each) => each === `${kind}:`))
    return wrong(
      `expected ${list}${Suggestion.ofWord(
        kind,
        kinds.map((each) => each.replace(":", "")),
      )}`,
    )
  if (value === "") return wrong(`${kind}: needs a value, as in ${examples[kind] ?? ""}`)
  if (kind === "text") return Effect.succeed({ pattern: value, flags: "l" })
  if (kind === "match") return Effect.succeed({ pattern: value })
  if (kind === "port") return readPort(value, wrong)
  if (kind === "bytes") return Effect.map(Flags.readWhole(value, "--for bytes:", 1), (bytes) => ({ bytes }))
  return Effect.map(Flags.readDuration(value, "--for idle:"), (idleMs) => ({ idleMs }))
}

const examples: Readonly<Record<string, string>> = {
  text: "text:READY",
  match: "match:^listening",
  port: "port:3000",
  idle: "idle:5s",
  bytes: "bytes:100",
}

const list = ["exit", "closed", "input", ...Object.values(examples)].join(", ")

/** `3000`, or `127.0.0.1:3000`. */
const readPort = (value: string, wrong: (why: string) => Flags.UsageError) => {
  const [, host, digits = ""] = /^(?:(.+):)?(\d{1,5})$/.exec(value) ?? []
  const port = Number(digits)
  if (port < 1 || port > 65_535) return wrong("expected port:3000 or port:127.0.0.1:3000")
  return Effect.succeed(host === undefined ? { port } : { port, host: host.replace(/^\[(.*)\]$/, "$1") })
}

export const wait = Command.make({
  name: "wait",
  summary: "Wait until processes have exited, have printed something, listen on a port or ask for input",
  usage: "[OPTIONS] NAME…",
  flags: {
    for: Flags.texts(
      "CONDITION",
      "what to wait for: exit, closed, input, text:READY, match:RE, port:3000, idle:5s or bytes:100; of several the " +
        "first that comes [default: exit]",
      { completes: kinds },
    ),
    timeout: Flags.text("DURATION", "the longest wait; then the exit code is 124"),
    quiet: Flags.toggle("print nothing", "q"),
    json: Flags.toggle("print { ref, met, evidence }; met: the condition, or null"),
    ...TargetFlags.flags,
  },
  operands: "process",
  text: `
It prints the condition that has come, or for exit the exit code. What was printed before counts. text: is plain text,
match: an expression in the syntax of RE2; a port counts if the process or a descendant listens; input is that it reads
from its terminal or its stdin, and there is nothing to read. Several processes are waited for at once, each until
--timeout, and told in the order in which they are named.

Exit code: 0; 1 if a process has ended, and what was waited for cannot come, or if there is none; 124 after --timeout;
of several failures that of the last one, in the order of the names.`,
  examples: [
    "procwire wait web --for port:3000 --timeout 1m && curl localhost:3000",
    "procwire wait web --for text:READY --for exit",
    "code=$(procwire wait job)",
    "procwire wait build test lint",
  ],
  run: (given) =>
    Effect.gen(function* () {
      const { values } = given
      const refs = yield* Control.names(given.operands)
      const texts = values.for ?? ["exit"]
      const until = yield* Effect.forEach(texts, readCondition)
      const limit =
        values.timeout === undefined
          ? {}
          : { timeoutMs: yield* Flags.readDuration(values.timeout, "--timeout") }
      const control = yield* Control.open(given)
      const one = (ref: string, at = control): Waited =>
        Effect.catch(wait(ref, at), (error) =>
          // The next server of one's own has the process, not the session of this client.
          at.own && isLoss(error)
            ? Effect.flatMap(Control.open(given), (again) => one(ref, again))
            : Effect.fail(error),
        )
      const wait = (ref: string, at: typeof control) =>
        Effect.flatMap(Control.find(at, ref), ({ client, row }) =>
          Control.look(client, row).pipe(
            Effect.flatMap((process) => process.wait({ until, maxBytes: 0, ...limit })),
            Effect.catchIf(
              (error) => !(at.own && isLoss(error)),
              (error) => Failure.about(ref, row)(Effect.fail(error)),
            ),
          ),
        )
      const waits = yield* Effect.forEach(refs, (ref) =>
        Effect.map(Effect.forkChild(one(ref)), (wait) => [ref, wait] as const),
      )
      let code = 0
      for (const [ref, wait] of waits) {
        const ended = yield* Effect.result(Fiber.join(wait))
        const failure = Result.isFailure(ended)
          ? ended.failure
          : yield* report(ref, ended.success, texts, values)
        if (failure === undefined) continue
        code = failure instanceof Unable ? (failure.exitCode ?? 1) : 1
        Message.say(Message.textOf(failure))
      }
      return code
    }),
})

type Opened = ReturnType<typeof Control.open>

type Waited = Effect.Effect<WaitResult, ClientError | Unable | Effect.Error<Opened>, Effect.Services<Opened>>

/** True for a client whose server has ended. */
const isLoss = (error: unknown) =>
  error instanceof ClientError && (error.reason === "Disconnected" || error.reason === "SessionLost")

/** Prints the event; without one, the reason. */
const report = (
  ref: string,
  { met, evidence, exited, unknown, exitCode }: WaitResult,
  texts: ReadonlyArray<string>,
  values: { readonly json?: boolean; readonly quiet?: boolean; readonly timeout?: string },
) =>
  Effect.gen(function* () {
    const text = met === null ? undefined : texts[met]
    if (values.json === true) yield* print(JSON.stringify({ ref, met: text ?? null, evidence }))
    else if (text !== undefined && values.quiet !== true)
      yield* print(text === "exit" ? String(exitCode) : text)
    if (text !== undefined) return undefined
    const [first] = unknown ?? []
    if (first !== undefined) return unable(`${texts[first.index]} cannot be told: ${first.why}`)
    return exited ? hasEnded(ref, texts, exitCode) : tooLate(ref, texts, values.timeout ?? "")
  })

const { printLine: print } = LocalTerminal

const tooLate = (ref: string, texts: ReadonlyArray<string>, timeout: string) =>
  new Unable({
    message: `${ref}: ${texts.join(" or ")} has not come within ${timeout}`,
    exitCode: timeoutExitCode,
  })

const hasEnded = (ref: string, texts: ReadonlyArray<string>, exitCode: number | null) =>
  new Unable({
    message: `${ref} has ended (exit code ${exitCode ?? "unknown"}) before ${texts.join(" or ")}`,
  })
