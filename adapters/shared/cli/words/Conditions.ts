/** `--for` of `procwire wait`: `exit`, `closed`, `text:READY`, `match:RE`, `port:3000`, `input`, `idle:5s`. */
import * as Effect from "effect/Effect"
import type { WaitCondition } from "../../../../core/client/RemoteProcess.ts"
import * as Suggestion from "../../../../core/protocol/Suggestion.ts"
import * as Flags from "../Flags.ts"

/** The kinds, as the help shows them. */
export const kinds = ["exit", "closed", "input", "text:", "match:", "port:", "idle:", "bytes:"] as const

/** Reads one. */
export const read = (text: string): Effect.Effect<WaitCondition, Flags.UsageError> => {
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
