// @ts-check
// Faults of the client: connections, recovery, commands, recordings.
import { bySeed, byTests, inFile } from "./fault.mjs"

export const coreClient = [
  inFile("core/client/Attaching.ts")(
    "who attaches again believes to have its role",
    "follower.role.told(writer)",
    "",
    bySeed(11, "sessions,writers"),
  ),
  inFile("core/client/ByteStreams.ts")(
    "a process does not wait for a stream that nobody reads",
    'other.state === "read" && other.bytes > mostWaiting',
    "other.bytes < 0",
    byTests("adapters/shared/integration/WebStreams.test.ts"),
  ),
  inFile("core/client/ClientFiber.ts")(
    "the end of a client interrupts who waits for it",
    "Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause) ? Effect.fail(closed) : exit",
    "Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause) ? exit : exit",
    byTests("core/client/Closing.test.ts"),
  ),
  inFile("core/client/ClientFiles.ts")(
    "the wait for a change cannot be given up",
    "(how?: CallOptions) => promise(changed, how)",
    "() => promise(changed)",
    byTests("core/client/GivingUp.test.ts"),
  ),
  inFile("core/client/CollectedOutput.ts")(
    "the output of both streams is told as that of one",
    'stream === "stdout" ? 1 : -1',
    "1",
  ),
  inFile("core/client/CreditWindow.ts")("a grant is not counted", "left += room", "", bySeed(1, "drills")),
  inFile("core/client/CurrentConnection.ts")(
    "requests that can be sent again wait for ever",
    "current?.over.unsafeOpen()",
    "void current",
    bySeed(3),
  ),
  inFile("core/client/Delivery.ts")(
    "bytes that differ are not noticed",
    "(written.sha256 ?? sha256) !== sha256",
    "false",
    byTests("core/integration/Receipts.test.ts"),
  ),
  inFile("core/client/EventFeed.ts")(
    "what is consumed counts for ever",
    "-batch.reduce((sum, event) => sum + sizeOf(event), 0)",
    "0 * batch.reduce((sum, event) => sum + sizeOf(event), 0)",
    bySeed(1),
  ),
  inFile("core/client/EventRecovery.ts")(
    "a late consumer does not get more than one part",
    "events.length > 0",
    "false",
  ),
  inFile("core/client/ExecClient.ts")(
    "each use of a lazy client connects",
    "shared ?? begin()",
    "begin()",
    byTests("core/client/ExecClient.lazy.test.ts"),
  ),
  inFile("core/client/FileBlocks.ts")(
    "blocks of a file are read twice",
    "from: from + count * maxBlockBytes",
    "from: from + maxBlockBytes",
    byTests("adapters/shared/integration/ClientFiles.test.ts"),
  ),
  inFile("core/client/FileWatch.ts")(
    "a watch that is made while a connection is lost ends with that connection",
    "if (mine.lost && live === mine) return ask(mine, missing, present)",
    "",
  ),
  inFile("core/client/FlowControl.ts")(
    "a connection that is held is never read again",
    "held = next; hold(held)",
    "held = next; if (held) hold(held)",
    bySeed(7),
  ),
  inFile("core/client/FollowedProcesses.ts")(
    "a replay is asked for one too late",
    "[id, last()]",
    "[id, last() + 1]",
    bySeed(54),
  ),
  inFile("core/client/GapWatch.ts")(
    "only one gap is watched",
    "(running = false)",
    "(running = true)",
    bySeed(2, "drills"),
  ),
  inFile("core/client/GivingUp.ts")("each step of a loop has the whole time", "since ??= now", "since = now"),
  inFile("core/client/Heartbeat.ts")(
    "a long answer that is on its way is silence",
    "looks * (line.slow() ? patience : 1)",
    "looks",
  ),
  inFile("core/client/Input.ts")(
    "the end of an input is a wrong piece",
    "if (done === true) return undefined",
    "",
    byTests("adapters/shared/integration/RunInput.test.ts"),
  ),
  inFile("core/client/Pipeline.ts")(
    "a command fails because the one behind it has read enough",
    "rejects && !cut && Result.isFailure(result)",
    "rejects && Result.isFailure(result)",
    byTests("adapters/shared/integration/Dollar.test.ts"),
  ),
  inFile("core/client/ProcessCredit.ts")(
    "whoever is refused a grant waits for ever",
    "() => refused",
    "() => Effect.void",
  ),
  inFile("core/client/ProcessFollower.ts")(
    "a gap is never filled",
    "if (buffer.gap) watchGap()",
    "",
    bySeed(2, "drills"),
  ),
  inFile("core/client/ProcessStarter.ts")(
    "a process that is found is not taken up",
    "return yield* follower.takeOver",
    "return",
    bySeed(19, "drills"),
  ),
  inFile("core/client/Reconnect.ts")(
    "a new connection is not used",
    "live = next.right; use(live)",
    "live = next.right",
    bySeed(1),
  ),
  inFile("core/client/ReconnectPolicy.ts")(
    "a server that has not noticed the loss yet is final",
    "code === ErrorCode.sessionAttached",
    "false",
    bySeed(6),
  ),
  inFile("core/client/RemoteHttp.ts")(
    "the exchange of a dropped body goes on",
    "if (body.close()) cancel()",
    "body.close()",
    byTests("core/client/Cancelling.test.ts"),
  ),
  inFile("core/client/ReorderBuffer.ts")(
    "a read that fills a gap lacks its first event",
    "(seq > this.last)",
    "(seq > this.last + 1)",
    bySeed(2),
  ),
  inFile("core/client/ScreenSvg.ts")(
    "wide characters are drawn too far to the left or right of their columns",
    "column += columns",
    "column += span.text.length",
  ),
  inFile("core/client/SessionConnection.ts")(
    "no call that is given up is cancelled on the server",
    "environmentInfo.capabilities?.requestCancel === true ? Methods.isCancellable : () => false",
    "environmentInfo.capabilities?.requestCancel === false ? Methods.isCancellable : () => false",
  ),
  inFile("core/client/TextLines.ts")(
    "a line keeps the CR of its end",
    'line.endsWith("\\r") ? line.slice(0, -1) : line',
    "line",
  ),
  inFile("core/client/WebTypes.ts")(
    "a stream reads ahead of its reader",
    "highWaterMark: 0",
    "highWaterMark: 1_000_000",
    byTests("adapters/shared/integration/WebStreams.test.ts"),
  ),
  inFile("core/client/asciicast/CastWriter.ts")(
    "a recording of version 3 has absolute times",
    "now - this.last",
    "now",
  ),
  inFile("core/client/asciicast/Recording.ts")(
    "a chunk that two parts share is two events",
    "this.pending?.seq === seq",
    "this.pending === null",
  ),
  inFile("core/client/command/Script.ts")(
    "a value in a script of a shell is cut into words",
    '`"$${name}"`',
    "`$${name}`",
    byTests("adapters/shared/integration/Dollar.test.ts"),
  ),
  inFile("core/client/command/Words.ts")(
    "what only a shell would understand is passed on as an argument",
    "if (syntax !== undefined) throw this.refused(syntax)",
    "",
  ),
]
