// @ts-check
// Mutations of attachments: who writes, what is missed, and what a client may.
import { elsewhere, inFile, one } from "./mutation.mjs"

const test = "core/server/ExecServer.Attach.test.ts"
const handler = inFile("core/server/handlers/attach.ts")
const attachments = inFile("core/server/Attachments.ts")
const writers = inFile("core/process/Writers.ts")
const told = inFile("core/process/Told.ts")

export const attaching = [
  elsewhere(
    writers("else this.moveOut(writer)", "", "who takes the role twice keeps it when it leaves"),
    test,
  ),
  elsewhere(writers("before.told()", "", "who loses the role of the writer is not told"), test),
  elsewhere(told("end <= last + 1", "true", "output that an attachment has missed is not told"), test),
  elsewhere(
    told(
      "holds ? process.attach(seq) : watcher(process, seq)",
      "process.attach(seq)",
      "every viewer stalls the child",
    ),
    test,
  ),
  attachments(
    "if (target.processes.writer(target.id) === attachment) return",
    "if (target.id !== undefined) return",
    "viewers write",
  ),
  attachments("attachment.writers.leave(attachment)", "", "the role of a writer that has left is nobody's"),
  attachments(
    "if (attachment.process.closed !== undefined) return",
    "",
    "what is left of a closed process does not come",
  ),
  handler(
    'role === "writer" || policy === "block"',
    'role === "writer"',
    "who may only look stalls the child",
  ),
  handler(
    "current === undefined ? isOwn ||",
    "current === undefined ||",
    "the role is free while its owner has it",
  ),
  one(
    "core/server/Sideline.ts",
    "restsUntil = now + (worked < mostNanos ? worked : mostNanos) * restFactor",
    "restsUntil = now",
    "viewers take all the time of the server",
  ),
  one(
    "core/server/Sideline.ts",
    "worked < mostNanos ? worked : mostNanos",
    "worked",
    "viewers wait for seconds where the server was held up once",
  ),
  one(
    "core/server/Notifier.ts",
    "if (encoded?.seq === event.seq && encoded.id === id) return encoded.message",
    "",
    "output is encoded for each of its viewers",
  ),
  one(
    "core/server/Sought.ts",
    'if (!isOwn && !SessionScope.includes(scope, "observe"))',
    "if (false)",
    "every client sees the processes of all",
  ),
  one(
    "core/server/Sought.ts",
    "const found = running.length > 0 ? running : all",
    "const found = all",
    "a name that an ended process has, too, is ambiguous",
  ),
  elsewhere(
    one(
      "core/process/Lifecycle.ts",
      "if (entry.removed !== undefined) yield* Deferred.await(entry.removed)\n    else if",
      "if",
      "a process that is kept is forgotten",
    ),
    test,
  ),
  elsewhere(
    one(
      "core/session/Expiry.ts",
      "    yield* entry.session.processes.noneKept\n",
      "",
      "a session ends although a process of it is kept",
    ),
    test,
  ),
  elsewhere(
    one(
      "adapters/shared/transport/UnixSocketFile.ts",
      "if (fd === undefined) return true",
      "if (fd === undefined) return false",
      "the user of a unix socket has no scope",
    ),
    "adapters/shared/integration/Scopes.test.ts",
  ),
  one(
    "adapters/shared/auth/TokenFile.ts",
    "scope = greater(scope, found)",
    "scope = found",
    "the last scope of a token counts, not the greatest",
  ),
  elsewhere(
    one(
      "adapters/shared/transport/Peers.ts",
      "...(credential?.scope === undefined ? {} : { scope: credential.scope })",
      "",
      "the scopes of tokens are ignored",
    ),
    "adapters/shared/integration/Scopes.test.ts",
  ),
  one(
    "core/client/ReorderBuffer.ts",
    'event.kind === "gap" ? event.from : event.seq',
    "event.seq",
    "a gap is taken for one event",
  ),
  one(
    "core/client/Attaching.ts",
    "follower.role.current\n      ?",
    "false\n      ?",
    "a writer is a viewer on the next connection",
  ),
]
