// @ts-check
// Mutations of core/agent: what a model is told of its commands. The wire suite has no agent, so tests must notice
// them.
import { elsewhere, inFile } from "./mutation.mjs"

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
const waiting = inFile("core/agent/Waiting.ts")
const waitFor = inFile("core/agent/WaitFor.ts")
const stopping = inFile("core/agent/Stopping.ts")
const reading = inFile("core/agent/Reading.ts")
const grep = inFile("core/agent/Grep.ts")
const transcript = inFile("core/agent/Transcript.ts")
const commands = inFile("core/agent/Commands.ts")

export const agent = [
  truncate(
    "if (bytes.length <= budget && omitted === 0)",
    "if (bytes.length < budget && omitted === 0)",
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
  truncate("Math.min(all, rawLength(", "Math.max(all, rawLength(", "the rest of a cut output has a hole"),
  calls("told + from, to: told + to", "from, to", "the rest is that of the first reply"),
  waiting(
    "!asks || result.nextSeq === seen",
    "!asks || seen === undefined",
    "a prompt is told before it has come",
  ),
  waiting(
    "waitFor = wait_for ?? { exit: true }",
    "waitFor = wait_for ?? { quiet_ms: 0 }",
    "a deadline is not waited for",
  ),
  writeStdin(
    "session.toldSeq : session.lastSeq",
    "session.lastSeq : session.toldSeq",
    "a wait sees old output",
  ),
  waitFor("...all, ...quiet", "...quiet, ...all", "silence counts before a question for input"),
  waitFor("input === undefined ? [[", "false ? [[", "a wait goes on while its command asks for input"),
  stopping("deadlines.get(session) === own", "true", "an old deadline ends a command that has a new one"),
  stopping("if (session.over) return Effect.void", "", "what has ended is told to have been stopped"),
  execCommand("args.kill_on_cancel === true", "false", "a cancelled call leaves its command alone"),
  reading("fromEnd ? lastOf", "false ? lastOf", "a tail that is cut lacks its end"),
  grep("next: match }", "next: undefined }", "matches that do not fit are lost"),
  transcript("each.ends < wanted", "each.ends <= wanted", "a line begins one too late"),
  commands("this.kept > most", "this.kept < 0", "all output is kept for ever"),
  inFile("core/agent/Screen.ts")("cursor.row + 1", "cursor.row", "a model is told rows from 0"),
  inFile("core/agent/UnifiedExec.ts")(
    "server?.processScreen === true",
    "true",
    "a tool is offered that the server cannot do",
  ),
  elsewhere(
    inFile("adapters/shared/mcp/Resources.ts")(
      "subscribed.has(change.id)",
      "true",
      "everybody is told of all output",
    ),
    "adapters/shared/mcp/Resources.test.ts",
  ),
  elsewhere(
    inFile("core/agent/vendor/AnthropicBash.ts")(
      "if (answer.over) await stop()",
      "",
      "a shell that is over is used again",
    ),
    "adapters/shared/integration/VendorTools.test.ts",
  ),
  elsewhere(
    inFile("core/agent/vendor/OpenAiShell.ts")(
      `endedBy === "timeout" || sessionId`,
      "sessionId",
      "a timeout looks like an exit",
    ),
    "adapters/shared/integration/VendorTools.test.ts",
  ),
  elsewhere(
    inFile("adapters/shared/acp/DisplayTerminal.ts")(
      "exitStatus ??= {}",
      "",
      "a terminal without a known end stays open",
    ),
    "adapters/shared/integration/AcpTerminal.test.ts",
  ),
]
