/**
 * The exact messages of clients from spring 2026: the handshake, `process/…` without `writeId`, plain paths in April
 * and file URIs in June, and nothing that came later.
 *
 * These clients decode answers and notifications by their own schemas, so every member of those must be there.
 */
import { Check, Child, table, type JsonObject, type Wire } from "../Vocabulary.ts"
import { resumed } from "./resuming.ts"

const loop = "printf 'ready\\n'; while IFS= read -r line; do printf 'echo:%s\\n' \"$line\"; done"

/** `process/start` as those clients wrote it. */
const params = (wire: Wire, id: string, change: JsonObject): JsonObject => ({
  processId: id,
  argv: ["/bin/sh", "-c", loop],
  cwd: "/tmp",
  env: wire.childEnv,
  tty: true,
  arg0: null,
  ...change,
})

const write = (wire: Wire, processId: string, text: string) =>
  wire.ok("process/write", { processId, chunk: Buffer.from(text).toString("base64") })

export const earlier = table("earlier", {
  "april-terminal": {
    requires: ["earlier-clients", "pty"],
    says: `April: initialize {clientName}, initialized {}, a start with a plain path and arg0 null, writes
      without writeId, and terminate.`,
    run: async (t) => {
      const wire = await t.connect()
      await wire.ok("initialize", { clientName: "exec-server-test" })
      wire.send({ method: "initialized", params: {} })
      const started = await wire.ok("process/start", params(wire, "proc-1", {}))
      Check.equal(started["processId"], "proc-1", "processId in the result of process/start")
      const child = Child.attach(wire, "proc-1")
      await child.says("ready")
      Check.equal(child.events()[0]?.params["stream"], "pty", "the stream")
      for (const text of ["hello\n", "hello\n"])
        Check.equal(await write(wire, "proc-1", text), { status: "accepted" }, "the result of process/write")
      // The echo of the terminal is in no fixed order to the output.
      await wire.inbox.wait("both lines", t.timeoutMs, () =>
        child.text().split("echo:hello\r\n").length === 3 ? true : undefined,
      )
      Check.equal(await child.terminate(), true, "running")
      await child.ended()
    },
  },
  "april-write-refused": {
    requires: ["earlier-clients"],
    says: "April: a write without writeId is answered with unknownProcess or stdinClosed, as a write with one is.",
    run: async (t) => {
      const wire = await t.open({ clientName: "exec-server-test" })
      await wire.ok("process/start", params(wire, "proc-2", { argv: ["true"], tty: false }))
      Check.equal(await write(wire, "proc-2", "x"), { status: "stdinClosed" }, "the result for pipes")
      Check.equal(await write(wire, "nobody", "x"), { status: "unknownProcess" }, "the result for nobody")
    },
  },
  "april-poll": {
    requires: ["earlier-clients"],
    says: `April: process/read with afterSeq, maxBytes and waitMs, each of which may be null, returns
      chunks, nextSeq, exited, exitCode, closed and failure.`,
    run: async (t) => {
      const wire = await t.open({ clientName: "exec-server-test" })
      const script = "echo out; echo err >&2; exit 3"
      await wire.ok("process/start", params(wire, "proc-3", { argv: ["/bin/sh", "-c", script], tty: false }))
      await Child.attach(wire, "proc-3").ended()
      const read = { processId: "proc-3", afterSeq: null, maxBytes: null, waitMs: null }
      const { chunks, nextSeq, exited, exitCode, closed, failure } = await wire.ok("process/read", read)
      Check.equal(
        { nextSeq, exited, exitCode, closed, failure },
        { nextSeq: 5, exited: true, exitCode: 3, closed: true, failure: null },
        "the state",
      )
      Check.equal(Check.list(chunks, "chunks").length, 2, "how many chunks there are")
      const polled = await wire.ok("process/read", { ...read, afterSeq: 4, maxBytes: 65_536, waitMs: 250 })
      Check.equal(polled["chunks"], [], "the chunks behind the last event")
    },
  },
  "june-uri-and-policy": {
    requires: ["env-policy"],
    says: `June: resumeSessionId null, a file URI, envPolicy, pipeStdin, arg0 and sandbox null; the exit is
      reported with sandboxDenied false.`,
    run: async (t) => {
      const wire = await t.open({ clientName: "exec-server-test", resumeSessionId: null })
      const child = await Child.start(wire, {
        id: "proc-4",
        argv: ["/bin/sh", "-c", 'echo "$A $(pwd)"'],
        params: {
          cwd: "file:///usr",
          envPolicy: { inherit: "core", ignoreDefaultExcludes: true, exclude: [], set: {}, includeOnly: [] },
          env: { A: "b" },
          pipeStdin: false,
          arg0: null,
          sandbox: null,
          enforceManagedNetwork: false,
          managedNetwork: null,
        },
      })
      const { events } = await child.ended()
      Check.equal(child.text("stdout"), "b /usr\n", "the output")
      const exited = events.find(({ kind }) => kind === "exited")?.params
      Check.equal(exited?.["sandboxDenied"], false, "sandboxDenied of process/exited")
      const { sandboxDenied, failure } = await child.read({ afterSeq: null, maxBytes: null, waitMs: 0 })
      Check.equal({ sandboxDenied, failure }, { sandboxDenied: false, failure: null }, "what a read says")
    },
  },
  "any-time-session-only": {
    says: "These clients take only sessionId from the answer to initialize and resume the session with it.",
    requires: ["resume"],
    transports: "sockets",
    run: async (t) => {
      const first = await t.connect()
      const { sessionId } = await first.handshake({ clientName: "exec-server-test", resumeSessionId: null })
      const child = await Child.start(first, { script: "echo ready; sleep 60" })
      await child.says("ready")
      first.channel.close()
      const second = await resumed(t, Check.text(sessionId, "sessionId"))
      Check.equal(await Child.attach(second, child.id).terminate(), true, "running")
    },
  },
})
