// @ts-check
// Faults in the first version of the wire.
import { bytesOf, coded, event, fault, later, params, result, signalled } from "./changes.mjs"

/** @import { WireFault } from "./changes.mjs" */
/** @import { Connection, Fault, Hooks, Message } from "./relay.mjs" */

const [exec, terminate] = ["command/exec", "command/exec/terminate"]
const [output, exited] = ["command/exec/outputDelta", "command/exec/exited"]

/** Answers of the client. @param {(c: Connection, m: Message) => unknown} change @returns {Fault} */
const stray = (change) => (c) => ({ asked: (m) => (m.method === undefined ? (change(c, m), []) : undefined) })

/** Notifications other than initialized. @param {(c: Connection) => void} change @returns {Fault} */
const unexpected = (change) => (c) => ({
  asked: ({ id, method }) =>
    id === undefined && method !== undefined && method !== "initialized" ? (change(c), []) : undefined,
})

/** The pids of processes. @type {Hooks} */
const pids = { answered: (m, { method }, known) => void (method === exec && (known.pid = m.result?.pid)) }

/** Completes when a group has no members. @param {number} pid @returns {Promise<void>} */
const groupEnded = async (pid) => {
  while (signalled(-pid, 0)) await later(50, undefined)
}

/** @type {readonly WireFault[]} */
const faults = [
  fault`version-unnamed: initialize names no version.
    v0/initialize/answers-the-version`.result("initialize", (found) => ({ ...found, protocolVersion: "" })),
  fault`initialize-needed: Requests before initialize are refused.
    v0/initialize/not-needed`
    .with({ everywhere: true })
    .by((c) => ({
      asked: (m) => {
        c.ready ||= m.method === "initialize"
        return c.ready || m.id === undefined ? undefined : c.refuse(m, -32600, "call initialize first")
      },
    })),
  fault`unknown-method-by-todays-code: An unknown method is refused with -32601.
    v0/unknown/method-refused`.by({
    answered: (m) => (m.error?.message.startsWith("unknown method") ? coded(m, -32601) : undefined),
  }),
  fault`unknown-notification-ignored: An unknown notification is not answered.
    v0/unknown/notification-answered-with-minus-one`.by(unexpected(() => {})),
  fault`stray-answer-ends: An answer to nothing ends the connection.
    v0/unknown/answers-ignored`.by(stray((c) => c.end())),
  fault`malformed-answered: A text that is no message is answered.
    v0/unknown/malformed-ends-the-connection`.by((c) => ({
    malformed: () => c.refuse({ id: -1 }, -32600, "what?"),
  })),
  fault`answer-bare: The answer to a start has the id alone.
    v0/exec/answer-shape v0/output/bytes-are-exact`
    .with({ everywhere: true })
    .result(exec, ({ processId }) => ({ processId })),
  fault`answer-late: The answer to a start leaves behind the first notifications of its process.
    v0/output/answer-comes-first`.by({ answered: (m) => later(400, m) }),
  fault`pid-of-the-server: A process has the pid of the server.
    v0/exec/pid-is-the-childs`.result(exec, (found) => ({ ...found, pid: process.pid })),
  fault`environment-leaks: A process sees the variables of the server, too.
    v0/exec/environment-and-folder`.params(exec, (asked) => ({
    ...asked,
    env: { FROM_SERVER: "yes", ...process.env, ...asked.env },
  })),
  fault`id-shared: The id of a process that runs can be used again.
    v0/exec/id-in-use-refused`.by(() => {
    const plain = (/** @type {Message} */ one) => ({ ...one, processId: one.processId.replace(/#+$/, "") })
    return {
      ...params(exec, (asked, known) => {
        known.names = `${known.names ?? ""}#`
        return { ...asked, processId: asked.processId + known.names.slice(1) }
      }),
      ...result(exec, plain),
      told: (m) => ({ ...m, params: plain(m.params) }),
    }
  }),
  fault`id-kept-at-exit: The id of a process stays taken when it has exited, and the process is called running.
    v0/exited/frees-the-id v0/terminate/unknown-is-not-running`.by((c) => ({
    asked: (m, { ended }) => {
      if (ended && m.method === terminate) return c.reply(m, { running: true })
      if (!ended || m.method !== exec) return undefined
      return c.refuse(m, -32600, `process ${m.params.processId} already exists`)
    },
    told: ({ method }, known) => void (known.ended ||= method === exited),
  })),
  fault`id-kept-at-terminate: A process that was terminated is called running until it has exited.
    v0/terminate/second-is-not-running`.by({
    // The exit may come between the answers to two requests that came together.
    asked: ({ method, id }, known) => void (method === terminate && (known[id] = known.running)),
    answered: (m, { method }, known) => {
      known.running ||= method === exec && m.result !== undefined
      return method === terminate ? { ...m, result: { running: known[m.id] === true } } : undefined
    },
    told: ({ method }, known) => void (known.running &&= method !== exited),
  }),
  fault`output-cut-at-the-cap: Output beyond outputBytesCap is not told.
    v0/output/cap-cuts-nothing`.by({
    asked: ({ method, params: { outputBytesCap = Infinity } = {} }, known) =>
      void (method === exec && (known.room = outputBytesCap)),
    ...event(output, (told, known) => {
      const bytes = bytesOf(told.chunk).subarray(0, known.room)
      known.room -= bytes.length
      return { ...told, chunk: bytes.toString("base64") }
    }),
  }),
  fault`exit-numbered: Exited has a seq.
    v0/output/streams-and-exit-code`.event(exited, (told) => ({ ...told, seq: 1 })),
  fault`exit-waits-for-output: Exited waits until every descendant has let go of the output.
    v0/exited/not-delayed-by-descendants`.by({
    ...pids,
    told: (m, { pid }) => (m.method === exited ? groupEnded(pid).then(() => m) : undefined),
  }),
  fault`signal-code-of-today: A process that dies of a signal has 128 and its number as the exit code.
    v0/exited/of-a-signal`.event(exited, (told) => ({
    ...told,
    exitCode: told.exitCode === -1 ? 137 : told.exitCode,
  })),
  fault`write-refused-in-a-result: A write that is refused is answered with a result.
    v0/write/closed-for-pipes v0/write/unknown-process-refused`.by({
    answered: ({ id, error }, { method }) =>
      method === "command/exec/write" && error ? { id, result: { accepted: false } } : undefined,
  }),
  fault`terminate-spares-children: Terminate kills the process and not its group.
    v0/terminate/kills-the-group`.by((c) => ({
    ...pids,
    asked: (m, { pid, ended }) =>
      m.method === terminate && pid && !ended
        ? c.reply(m, { running: signalled(pid, "SIGKILL") })
        : undefined,
    told: ({ method }, known) => void (known.ended ||= method === exited),
  })),
  fault`processes-outlive-the-connection: The end of the connection leaves its processes running.
    v0/terminate/connection-end-kills`.by({ left: () => false }),
]

/** Each by its name below v0. @type {readonly WireFault[]} */
export const v0 = faults.map((fault) => ({
  ...fault,
  name: `v0-${fault.name}`,
  args: (args) => [...args, "--dialect", "v0"],
}))
