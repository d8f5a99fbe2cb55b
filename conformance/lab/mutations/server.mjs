// Mutations of core/server, core/session and core/rpc: one line each, made wrong in a way that somebody could get wrong.
//
// `find` must occur exactly once in the file. `cases` are the ids or globs of the wire suite that are tried before the
// whole suite is; `tests` replaces the tests that are near the file.
const one = (file, find, replace, says, ...cases) => ({ file, find, replace, says, cases })

export const server = [
  one(
    "core/server/Notifier.ts",
    "advance(event.seq)",
    "advance(event.seq + 1)",
    "every other event is not told",
    "process/output/seq-contiguous",
  ),
  one(
    "core/server/handlers/process.ts",
    "        notifier.attach(process, 0)",
    "        notifier.attach(process, 1)",
    "the first event of a process is not told",
    "process/output/order",
  ),
  one(
    "core/server/handlers/process.ts",
    "maxBytes: maxBytes ?? Infinity",
    "maxBytes: maxBytes ?? 65536",
    "a read without maxBytes has one of 64 KiB",
    "process/read",
  ),
  one(
    "core/server/handlers/session.ts",
    "return named ? Math.min(replayAfter[process.id] ?? now, now) : now",
    "return 0",
    "after a resume all output is pushed again",
    "session",
  ),
  one(
    "core/server/handlers/session.ts",
    "Math.min(replayAfter[process.id] ?? now, now)",
    "now",
    "a resume does not push what was missed",
    "session",
  ),
  one(
    "core/server/handlers/session.ts",
    "Math.min(replayAfter[process.id] ?? now, now)",
    "(replayAfter[process.id] ?? now)",
    "a seq that does not exist yet is waited for",
    "session",
  ),
  one(
    "core/server/Handshake.ts",
    'if (!dialect.handshake || phase === "ready") return undefined',
    "return undefined",
    "no handshake is needed",
    "handshake",
  ),
  one(
    "core/server/handlers/session.ts",
    "return Effect.tapError(attached, () => Effect.sync(handshake.fail))",
    "return attached",
    "a refused resume spoils the connection",
    "session",
  ),
  one(
    "core/protocol/dialect/current.ts",
    "opened && Object.hasOwn(Methods.clientNotifications, method)",
    "opened || method.length < 0",
    "unknown notifications are tolerated",
    "handshake/violation",
  ),
  one(
    "core/server/WireError.ts",
    "            ErrorCode.sessionAttached,",
    "            ErrorCode.invalidRequest,",
    "an attached session has the code of an unknown one",
    "session",
  ),
  one(
    "core/session/SessionRegistry.ts",
    "if (entry.detachment === undefined) {",
    "if (entry.session === undefined) {",
    "an attached session can be resumed",
    "session",
  ),
  one(
    "core/session/SessionRegistry.ts",
    "entry.detachment = detachment",
    "entry.detachment = undefined",
    "a session is never detached",
    "session",
  ),
  one(
    "core/session/SessionRegistry.ts",
    "detachedMillis: 80_000",
    "detachedMillis: 800",
    "a detached session lives for less than a second",
    "session",
  ),
  one(
    "core/session/SessionRegistry.ts",
    "entry === undefined ? Effect.void : Scope.close(entry.scope, Exit.void)",
    "entry === undefined ? Effect.void : Effect.void",
    "an expired session leaves its children running",
  ),
  one(
    "core/rpc/Requests.ts",
    "if (!receiver.slotted(request.method)) return begin(request, nothing)",
    "void nothing",
    "every method waits for a slot",
    "concurrency",
  ),
  one(
    "core/rpc/Requests.ts",
    "hook = next",
    "next()",
    "notifications do not wait for the answer to the start",
    "process/output/order",
  ),
  one("core/rpc/RequestSlots.ts", "this.taken -= 1", "this.taken -= 0", "slots are never given back", "concurrency"),
  one(
    "core/rpc/Dispatch.ts",
    ' ? undefined : "an answer to no request"',
    " ? undefined : undefined",
    "an answer to no request is tolerated",
    "handshake/violation",
  ),
  one(
    "core/rpc/Router.ts",
    "new ErrorCode.RpcError({ code: ErrorCode.invalidParams, message })",
    "new ErrorCode.RpcError({ code: ErrorCode.invalidRequest, message })",
    "wrong params have the wrong code",
    "process/read",
  ),
]
