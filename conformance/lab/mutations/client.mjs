// @ts-check
// Mutations of core/client, most of them of its way over a lost connection. The wire suite has no client, so that
// tests must notice them.
import { elsewhere, one } from "./mutation.mjs"

const reconnect = "core/client/Reconnect.ts"

const dollar = "adapters/shared/integration/Dollar.test.ts"
const streams = "adapters/shared/integration/WebStreams.test.ts"
const files = "adapters/shared/integration/ClientFiles.test.ts"
const input = "adapters/shared/integration/RunInput.test.ts"

export const client = [
  elsewhere(
    one(
      "adapters/web/WebClient.ts",
      "return WebSocketTransport.connect(target.url)",
      "return Effect.never",
      "a client in a browser connects to nothing",
    ),
    "conformance/integration/Web.test.ts",
  ),
  one(
    "core/client/command/Words.ts",
    "if (syntax !== undefined) throw this.refused(syntax)",
    "",
    "what only a shell would understand is passed on as an argument",
  ),
  elsewhere(
    one(
      "core/client/command/Script.ts",
      `\`"$\${name}"\``,
      `\`$\${name}\``,
      "a value in a script of a shell is cut into words",
    ),
    dollar,
  ),
  elsewhere(
    one(
      "core/client/Pipeline.ts",
      "Exit.isSuccess(exit) || options.signal?.aborted === true",
      "Exit.isSuccess(exit)",
      "a signal kills what `run` has started, whatever its grace",
    ),
    dollar,
  ),
  elsewhere(
    one(
      "core/client/Pipeline.ts",
      "rejects && !cut &&",
      "rejects &&",
      "a command fails because the one behind it has read enough",
    ),
    dollar,
  ),
  one(
    "core/client/CollectedOutput.ts",
    'const sign = stream === "stdout" ? 1 : -1',
    "const sign = 1",
    "the output of both streams is told as that of one",
  ),
  elsewhere(
    one(
      "core/client/Input.ts",
      "Stream.takeWhile((taken) => taken),",
      "",
      "input is asked for when the process has ended",
    ),
    input,
  ),
  one(
    "core/client/TextLines.ts",
    'this.bounded(line.endsWith("\\r") ? line.slice(0, -1) : line)',
    "this.bounded(line)",
    "a line keeps the CR of its end",
  ),
  elsewhere(
    one(
      "core/client/ByteStreams.ts",
      'if (other.state === "read" && other.bytes > mostWaiting) {',
      "if (other.bytes < 0) {",
      "a process does not wait for a stream that nobody reads",
    ),
    streams,
  ),
  elsewhere(
    one(
      "core/client/WebTypes.ts",
      "{ highWaterMark: 0 }",
      "{ highWaterMark: 1_000_000 }",
      "a stream reads ahead of its reader",
    ),
    streams,
  ),
  one(
    "core/client/ClientFiber.ts",
    "Effect.flatMap(Fiber.await(fiber), (exit)",
    "Effect.flatMap(Effect.exit(Fiber.join(fiber)), (exit)",
    "what a caller acquires after a start is released with the client",
  ),
  one(
    "core/client/ClientFiber.ts",
    "Cause.isInterruptedOnly(exit.cause) ? Effect.fail(closed) : exit",
    "Cause.isInterruptedOnly(exit.cause) ? exit : exit",
    "the end of a client interrupts who waits for it",
  ),
  one(
    "core/client/FileWatch.ts",
    "if (mine.lost && live === mine) return ask(mine, missing, present)\n",
    "",
    "a watch that is made while a connection is lost ends with that connection",
  ),
  one(
    "core/client/FileBlocks.ts",
    'Effect.onInterrupt(() => Effect.sync(() => tell("fs/close", { handleId }))),',
    "",
    "a file whose opening is given up stays open on the server",
  ),
  elsewhere(
    one(
      "core/client/FileBlocks.ts",
      "from: from + count * maxBlockBytes",
      "from: from + maxBlockBytes",
      "blocks of a file are read twice",
    ),
    files,
  ),
  one(
    "core/client/GivingUp.ts",
    "      since ??= now",
    "      since = now",
    "each step of a loop has the whole time",
  ),
  one(
    "core/client/ClientFiles.ts",
    "changed: (how) => promise(changed, how)",
    "changed: () => promise(changed)",
    "the wait for a change cannot be given up",
  ),
  one(
    "core/client/SessionConnection.ts",
    "environmentInfo.capabilities?.requestCancel === true ? Methods.isCancellable",
    "environmentInfo.capabilities?.requestCancel === false ? Methods.isCancellable",
    "no call that is given up is cancelled on the server",
  ),
  one(
    "core/client/FollowedProcesses.ts",
    "[id, last()]",
    "[id, last() - 1]",
    "what was received is asked for again",
  ),
  one(
    "core/client/FollowedProcesses.ts",
    "[id, last()]",
    "[id, last() + 1]",
    "one event too few is asked for",
  ),
  one("core/client/ExecClient.ts", "shared ?? begin()", "begin()", "each use of a lazy client connects"),
  {
    ...one(
      "core/client/ProcessFollower.ts",
      "replays ? ",
      "true ? ",
      "from a server without replay nothing is fetched",
    ),
    tests: ["core/client/Reconnect.test.ts"],
  },
  one(
    reconnect,
    'options.resumed(can(session, "sessionReplay"))',
    "",
    "processes do not notice a new connection",
  ),
  one(
    "core/client/CurrentConnection.ts",
    "repeatable || isUn",
    "true || isUn",
    "what must not be sent twice is",
  ),
  one("core/client/CurrentConnection.ts", "repeatable || isUn", "isUn", "what can be sent twice is not"),
  one(
    "core/client/ProcessFollower.ts",
    "send(method, params, { refusal: outcome.sessionLost })",
    "send(method, params)",
    "a call on a process of a lost session reaches one with its id in the next",
  ),
  one(
    "core/client/ProcessFollower.ts",
    'error.reason === "Disconnected" || failure() !== undefined',
    'error.reason === "Disconnected"',
    "each who waits for what is lost terminates the process",
  ),
  one(
    "core/client/FollowedProcesses.ts",
    " || attached.has(follower.id)",
    "",
    "an attach that waits reaches a process with its id in the next session",
  ),
  one(
    "core/client/FollowedProcesses.ts",
    "if (attaches && again === undefined && lost !== undefined) return Effect.fail(lost)\n        ",
    "",
    "an attach between two sessions reaches a process with its id in the next",
  ),
  one(
    "core/client/EventRecovery.ts",
    '"Disconnected", "SessionLost"]',
    '"Disconnected"]',
    "a consumer of a lost session is told of lost events",
  ),
  one(
    "core/client/EventRecovery.ts",
    "if (events.length > 0) return",
    "if (false) return",
    "a late consumer does not get more than one part",
  ),
  one(
    "core/client/RemoteHttp.ts",
    "if (body.close()) cancel()",
    "body.close()",
    "the exchange of a dropped body goes on",
  ),
  one(
    "core/client/CurrentConnection.ts",
    "instanceof Disconnected && !cause.sent",
    "instanceof Disconnected && cause.sent === undefined",
    "a request that was never sent fails while its lost connection is being closed",
  ),
  one(
    "core/client/ReconnectPolicy.ts",
    "lived >= steadyMillis || seen !== before",
    "true",
    "every connection ends an outage",
  ),
  one(
    "core/client/ReconnectPolicy.ts",
    "lived >= steadyMillis || seen !== before",
    "false",
    "no connection ends an outage",
  ),
  one("core/client/ReconnectPolicy.ts", "        Schedule.jittered,", "", "all clients come back at once"),
  one(
    "core/client/ReconnectPolicy.ts",
    "code === ErrorCode.sessionAttached",
    "false",
    "a session still attached is given up",
  ),
  one(
    "core/client/ReconnectPolicy.ts",
    "if (!isPassing(result.left))",
    "if (false)",
    "a session that is gone is tried again",
  ),
  one(
    "core/client/CreditWindow.ts",
    "size - waiting() - left",
    "size - left",
    "a consumer that does not read is granted more",
  ),
  one(
    "core/client/ProcessCredit.ts",
    "() => refused",
    "() => Effect.void",
    "whoever is refused a grant waits for ever",
  ),
  one("core/client/CreditWindow.ts", "left -= bytes", "void bytes", "nothing is ever granted again"),
  one(
    "core/client/CreditWindow.ts",
    "size - leastCredit + 1",
    "size",
    "a small window is stuck before a large chunk",
  ),
  one("core/client/CreditWindow.ts", "connection += 1", "", "a grant for a lost connection goes to the next"),
  one(
    "core/client/EventFeed.ts",
    "flow.backlog(credit?.size)",
    "flow.backlog()",
    "what was granted stops the connection",
  ),
  one(
    "core/client/Reconnect.ts",
    "options.credits()",
    "undefined",
    "a resumed process is pushed without a bound",
  ),
  one(
    "core/client/Heartbeat.ts",
    "if (line.held() || line.received() !== before || line.busy()) continue",
    "if (line.received() !== before || line.busy()) continue",
    "a client that does not read takes its server for gone",
  ),
  one(
    "core/client/Heartbeat.ts",
    "line.received() !== before || line.busy()) continue",
    "line.received() !== before) continue",
    "a server that answers one request after the other is taken for gone",
  ),
  elsewhere(
    one(
      "core/client/Pipeline.ts",
      "? Effect.void : Effect.ignore(process.terminate)",
      "? Effect.void : Effect.void",
      "what was run and given up goes on",
    ),
    "adapters/shared/integration/GivingUp.test.ts",
  ),
  elsewhere(
    one("core/client/GivingUp.ts", "resume(Effect.fail(signal.reason))", "{}", "an abort is not heard"),
    "adapters/shared/integration/GivingUp.test.ts",
  ),
  one(
    "core/client/Heartbeat.ts",
    "if (silent >= most() && line.received() === before) return",
    "if (silent < 0) return",
    "a connection that carries nothing is kept",
  ),
  one(
    "core/client/Heartbeat.ts",
    "looks * (line.slow() ? patience : 1)",
    "looks",
    "a long answer that is on its way is silence",
  ),
  one(
    "core/client/Reconnect.ts",
    'can(session, "sessionTakeover") ? { takeover: true } : {}',
    "{}",
    "a server that has not noticed the loss is asked until it has",
  ),
  one(
    "core/client/Reconnect.ts",
    "lost === undefined ? outage.retry(resume) : Effect.fail(lost)",
    "outage.retry(resume)",
    "two clients take one session from each other for ever",
  ),
  one("core/client/ProcessStarter.ts", "fork(terminate)", "void 0", "a start whose answer was lost runs on"),
  ...[
    ["event.seq > this.last + 1", "event.seq > this.last + 2", "one missing event is not noticed"],
    ["bytes !== written.bytes || ", "", "missing bytes are noticed by their hash alone"],
    ["(written.sha256 ?? sha256) !== sha256", "false", "bytes that differ are not noticed"],
  ].map(([find = "", replace = "", says = ""]) =>
    elsewhere(one("core/client/Delivery.ts", find, replace, says), "core/integration/Receipts.test.ts"),
  ),
  elsewhere(
    one(
      "core/client/EventRecovery.ts",
      "{ maxBytes: partBytes }",
      "{}",
      "a recovery asks for all that a ring holds",
    ),
    "core/integration/LostConnections.test.ts",
  ),
  elsewhere(
    one(
      "core/client/ProcessFollower.ts",
      "SharedRun.make(recover, fork)",
      "recover",
      "each new connection carries one more copy of what is missing",
    ),
    "core/integration/LostConnections.test.ts",
  ),
  {
    ...one(
      "core/client/EventRecovery.ts",
      "state.exited && missing(state, after) === 1",
      "false",
      "an exit in front of late output is said to be lost",
    ),
    tests: ["core/client/EventRecovery.test.ts"],
  },
  {
    ...one(
      "core/client/EventRecovery.ts",
      "read(after, () => after)",
      "read(after, last)",
      "a late consumer is not told of what it lost before the last event",
    ),
    tests: ["core/client/EventFeed.test.ts", "core/client/EventRecovery.test.ts"],
  },
  {
    ...one(
      "core/client/EventRecovery.ts",
      "read(after, last)",
      "read(after, () => after)",
      "what was published while the server was asked is said to be gone",
    ),
    tests: ["core/client/EventRecovery.test.ts"],
  },
]
