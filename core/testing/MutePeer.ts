/** A server of the current wire and of v0 that answers a few requests, and from some time on none. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Message from "../protocol/Message.ts"
import * as Memory from "../transport/Memory.ts"

const listed = {
  processId: "p",
  session: 1,
  attached: true,
  labels: {},
  argv: ["x"],
  cwd: "file:///",
  pid: null,
  tty: false,
  startedAtMs: 0,
  state: "running",
  exitCode: null,
  bytes: 0,
  nextSeq: 1,
}

/** The answers of the server before it is mute. */
const answers: { readonly [method: string]: object } = {
  initialize: {
    sessionId: "s",
    environmentInfo: {
      shell: { name: "sh", path: "/bin/sh" },
      cwd: "file:///",
      capabilities: { requestCancel: true, processAttach: true, fsChange: true },
    },
    protocolVersion: "exec-server.v0",
  },
  "process/start": { processId: "p", sandboxType: "none" },
  "process/attach": { processId: "@p", process: listed, firstSeq: 1, writer: true },
  "fs/open": { handleId: "file-1" },
  "fs/watchMissing": { watching: true },
  "http/request": { status: 200, headers: [], bodyBase64: "" },
  "command/exec": { processId: "p", pid: 1, running: true, exitCode: null, stdout: null, stderr: null },
}

/**
 * A server that becomes mute once `mute` is set; `heard` are the methods that it is sent from then on. `answer` answers
 * what has come meanwhile, but for what was cancelled.
 */
export const make = Effect.gen(function* () {
  const [transport, right] = yield* Memory.makePair()
  const open = new Map<Message.RequestId, string>()
  const answer = () => {
    for (const [id, method] of open)
      right.write(Message.responseText(id, JSON.stringify(answers[method] ?? {})))
    open.clear()
  }
  const peer = { transport, mute: false, heard: new Array<string>(), answer }
  const take = Effect.map(right.incoming.take, (text) => {
    const message = Result.getOrThrow(Message.fromText(text))
    if (!("method" in message)) return
    if (peer.mute) peer.heard.push(message.method)
    if (message.kind === "request") open.set(message.id, message.method)
    else open.delete(Message.cancelledId(message.params) ?? "")
    if (!peer.mute) answer()
  })
  yield* Effect.forkScoped(Effect.ignore(Effect.forever(take)))
  return peer
})
