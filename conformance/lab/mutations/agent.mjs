// @ts-check
// Mutations of core/agent: what a model is told of its commands. The wire suite has no agent, so tests must notice
// them.
import { inFile } from "./mutation.mjs"

const truncate = inFile("core/agent/Truncate.ts")
const wait = inFile("core/agent/SessionWait.ts")
const calls = inFile("core/agent/SessionCalls.ts")
const execCommand = inFile("core/agent/ExecCommandTool.ts")
const writeStdin = inFile("core/agent/WriteStdinTool.ts")
const buffer = inFile("core/agent/HeadTailBuffer.ts")
const table = inFile("core/agent/SessionTable.ts")
const command = inFile("core/agent/Command.ts")
const owned = inFile("core/agent/OwnedSessions.ts")
const reply = inFile("core/agent/Reply.ts")

export const agent = [
  truncate(
    "if (bytes.length <= budget) return text",
    "if (bytes.length < budget) return text",
    "what fits is cut",
  ),
  truncate("while (Utf8.isContinuation(bytes[right])) right += 1", "", "a character is cut in two"),
  truncate("Math.min(asked, capped)", "Math.max(asked, capped)", "the cap is ignored"),
  wait("Math.max(Number(asked), least)", "Number(asked)", "a model may poll without a pause"),
  wait(
    "Math.min(left, afterExitMillis)",
    "left",
    "an exited command is waited for until its pipes are closed",
  ),
  calls(
    "session.buffer.take(over)",
    "session.buffer.take(true)",
    "a character that is not complete is replaced",
  ),
  writeStdin(
    "if (!tty && chars !== interrupt)",
    "if (!tty)",
    "Ctrl-C does not reach a command without a terminal",
  ),
  writeStdin("if (!table.has(session)) return", "if (false) return", "the end of a command is told twice"),
  writeStdin('chars === "" ? {', "false ? {", "a poll may be as short as a write"),
  execCommand("Effect.sync(() => table.free(id)),", "Effect.void,", "a failed start keeps its id"),
  buffer("this.omitted += this.tail", "this.tail", "what is left out is not counted"),
  buffer("last ? 0 : Utf8", "Utf8", "the last bytes are never told"),
  table("callers === 0", "callers >= 0", "a session that is waited for is ended"),
  table(
    "idle.find(({ over }) => over) ?? idle[0]",
    "idle[0]",
    "a running command goes before one that is over",
  ),
  command(
    "{ ...fixedEnvironment, ...defaults.env }",
    "{ ...defaults.env, ...fixedEnvironment }",
    "fixed variables win",
  ),
  command('login ? "-lc" : "-c"', '"-c"', "no shell is a login shell"),
  owned("if (ended) {", "if (false) {", "what is started at the end runs on"),
  reply("wallSeconds.toFixed(4)", "wallSeconds.toFixed(1)", "a reply has fewer digits than the model knows"),
]
