// @ts-check
// Faults of tools for language models, MCP and ACP.
import { byTests, inFile } from "./fault.mjs"

export const agent = [
  inFile("adapters/shared/acp/DisplayTerminal.ts")(
    "a picture of a terminal has no output",
    "output.add(event.bytes)",
    "",
    byTests("adapters/shared/integration/AcpTerminal.test.ts"),
  ),
  inFile("adapters/shared/mcp/Resources.ts")(
    "everybody is told of all output",
    "(subscribed.has(change.id))",
    "(true)",
  ),
  inFile("core/agent/Command.ts")("no shell is a login shell", 'login ? "-lc" : "-c"', '"-c"'),
  inFile("core/agent/Commands.ts")(
    "the output of ended commands is kept for ever",
    "ended.length - index <= mostEnded && this.kept <= most",
    "ended.length - index <= mostEnded",
    byTests("core/agent/MoreTools.test.ts"),
  ),
  inFile("core/agent/ExecCommandTool.ts")(
    "a cancelled call leaves its command alone",
    "args.kill_on_cancel === true",
    "false",
    byTests("core/agent/Stopping.test.ts"),
  ),
  inFile("core/agent/Grep.ts")(
    "matches that do not fit are lost",
    'text: `${texts.join("\\n")}\\n`, next: match',
    'text: `${texts.join("\\n")}\\n`, next: undefined',
  ),
  inFile("core/agent/HeadTailBuffer.ts")(
    "the last bytes are never told",
    "last ? 0 : Utf8.unfinished(bytes)",
    "Utf8.unfinished(bytes)",
  ),
  inFile("core/agent/OwnedSessions.ts")(
    "what is started at the end runs on",
    "if (ended) { session.release(); return terminate(session) }",
    "if (false) { session.release(); return terminate(session) }",
  ),
  inFile("core/agent/Reading.ts")(
    "a tail that is cut lacks its end",
    "fromEnd ? lastOf(bytes, budget) : firstOf(bytes, budget)",
    "false ? lastOf(bytes, budget) : firstOf(bytes, budget)",
  ),
  inFile("core/agent/Reply.ts")(
    "a reply has fewer digits than the model knows",
    "reply.wallSeconds.toFixed(4)",
    "reply.wallSeconds.toFixed(1)",
  ),
  inFile("core/agent/Screen.ts")(
    "a model is told rows from 0",
    "columns: size.columns, cursorRow: cursor.row + 1",
    "columns: size.columns, cursorRow: cursor.row",
  ),
  inFile("core/agent/SessionCalls.ts")(
    "the rest is that of the first reply",
    "from: told + from, to: told + to",
    "from: from, to",
  ),
  inFile("core/agent/SessionTable.ts")(
    "a session that is waited for is ended",
    "callers === 0",
    "callers >= 0",
  ),
  inFile("core/agent/SessionWait.ts")(
    "an exited command is waited for until its pipes are closed",
    "0, Math.min(left, afterExitMillis)",
    "0, left",
  ),
  inFile("core/agent/Stopping.ts")(
    "an old deadline ends a command that has a new one",
    "deadlines.get(session) === own",
    "true",
  ),
  inFile("core/agent/Transcript.ts")(
    "a line of a transcript begins one too late",
    "block.offset + at",
    "block.offset + at + 1",
  ),
  inFile("core/agent/Truncate.ts")(
    "a character is cut in two",
    "while (Utf8.isContinuation(bytes[right])) right += 1",
    "",
  ),
  inFile("core/agent/UnifiedExec.ts")(
    "a tool is offered that the server cannot do",
    "server?.processScreen === true",
    "true",
    byTests("core/agent/ReadScreen.test.ts"),
  ),
  inFile("core/agent/WaitFor.ts")(
    "silence counts before a question for input",
    "...all, ...quiet",
    "...quiet, ...all",
  ),
  inFile("core/agent/Waiting.ts")(
    "a deadline is not waited for",
    "{ exit: true }",
    "{ quiet_ms: 0 }",
    byTests("core/agent/Stopping.test.ts"),
  ),
  inFile("core/agent/WriteStdinTool.ts")(
    "the end of a command is told twice",
    "!table.has(session)",
    "false",
    byTests("core/agent/UnifiedExec.test.ts"),
  ),
  inFile("core/agent/vendor/AnthropicBash.ts")(
    "a shell that is over is used again",
    "if (answer.over === true) yield* stop",
    "",
    byTests("adapters/shared/integration/VendorTools.test.ts"),
  ),
  inFile("core/agent/vendor/OpenAiShell.ts")(
    "a timeout looks like an exit",
    'endedBy === "timeout" || sessionId !== undefined',
    "sessionId !== undefined",
    byTests("adapters/shared/integration/VendorTools.test.ts"),
  ),
]
