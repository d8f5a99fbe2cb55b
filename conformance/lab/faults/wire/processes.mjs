// @ts-check
// Faults in what is done to processes: starts, writes, signals, deadlines and restarts.
import { bytesOf, event, fault, later, less, mapped, params, pidOf, signalled } from "./changes.mjs"

/** @import { WireFault } from "./changes.mjs" */
/** @import { Fault } from "./relay.mjs" */

const secrets = [
  "CODEX_EXEC_SERVER_EXIT_ON_STDIN_CLOSE",
  "CODEX_EXEC_SERVER_NOISE_AUTH_TOKEN",
  "NODE_REPL_AUTH_TOKEN",
  "OPENAI_FEDERATION_RULE_ID",
  "OPENAI_IDENTITY_TOKEN_FILE",
  "OPENAI_WORKLOAD_IDENTITY_CONTEXT",
]

const known = ["processId", "argv", "cwd", "env", "tty", "pipeStdin", "arg0", "envPolicy", "sandbox"]
const objects = ["env", "envPolicy", "metadata", "managedNetwork", "networkProxy", "sandbox"]

/** The longest time. */
const longest = 2 ** 31 - 1

/** @type {Record<string, NodeJS.Signals>} */
const signals = { interrupt: "SIGINT", terminate: "SIGTERM", hangup: "SIGHUP", quit: "SIGQUIT" }

/**
 * Signals that reach a process and not its group.
 * @param {readonly string[]} which
 * @returns {Fault}
 */
const sparing =
  (...which) =>
  (c) => ({
    asked: (m) => {
      const kills = m.method === "process/terminate"
      const name = kills ? "kill" : m.method === "process/signal" ? m.params.signal : undefined
      if (!which.includes(name)) return undefined
      return pidOf(c, m.params.processId).then((pid) => {
        signalled(pid, signals[name] ?? "SIGKILL")
        return c.reply(m, kills ? { running: true } : {})
      })
    },
  })

/** Every write is a new one. @type {Fault} */
export const writesAnew = params("process/write", (asked) => ({ ...asked, writeId: `${Math.random()}` }))

/** @param {unknown} answers whether to answer for terminals, in place of what a start asks @returns {Fault} */
const answering = (answers) =>
  params("process/start", (asked) => (asked.tty === true ? { ...asked, answers } : asked))

/**
 * A server that does not look at its terminals: the relay answers DSR 5 and CPR for it, within one chunk.
 * @type {Fault}
 */
const answersBlindly = (c) => ({
  asked: (m, known) => {
    if (m.method !== "process/start" || m.params.tty !== true) return undefined
    known.answers = m.params.answers
    return { ...m, params: less(m.params, "answers") }
  },
  told: ({ method, params: { processId, chunk } }, known) => {
    if (method !== "process/output" || known.answers !== true) return
    const text = bytesOf(chunk).toString("latin1")
    for (const [, asked] of text.replaceAll("\x1b", "ESC ").matchAll(/ESC \[([56])n/g))
      writes(c, processId, asked === "5" ? "\x1b[0n" : "\x1b[1;1R")
  },
})

/** @param {import("./relay.mjs").Connection} c @param {string} processId @param {string} text */
const writes = (c, processId, text) =>
  void c.ask("process/write", {
    processId,
    chunk: Buffer.from(text, "latin1").toString("base64"),
    writeId: `${Math.random()}`,
  })

/** @type {readonly WireFault[]} */
export const processes = [
  fault`answers-beside-a-writer: The server answers although a writer is attached, whose terminal does.
    process/answers/silent-while-a-writer-is-attached`.by((c) => ({
    told: ({ method, params: { processId, chunk } }) => {
      if (method !== "process/output" || processId !== "writer") return
      if (bytesOf(chunk).includes("\x1b[c")) writes(c, processId, "\x1b[?1;2c")
    },
  })),
  fault`answers-blindly: Answers are made of chunks, without a terminal.
    process/answers/da1 process/answers/cpr-is-of-the-screen process/answers/over-chunks`.by(answersBlindly),
  fault`answers-lost: A start that asks for answers is as one that does not.
    process/answers/da1 process/answers/cpr process/answers/cpr-is-of-the-screen process/answers/over-chunks
    process/answers/silent-while-a-writer-is-attached process/answers/beside-viewers
    process/answers/replay-asks-nothing process/answers/flood-is-bounded`.by(answering(false)),
  fault`answers-on-pipes: A start without a terminal that asks for answers is not refused.
    process/answers/refused-on-pipes`.params("process/start", (asked) =>
    asked.tty === true ? asked : less(asked, "answers"),
  ),
  fault`answers-unasked: Terminals are answered for whose starts have not asked for that.
    process/answers/only-when-asked`.by(answering(true)),
  fault`answers-without-a-bound: Every question of a flood is answered, when there is room.
    process/answers/flood-is-bounded`.by((c) => ({
    asked: (m, known) => {
      if (m.method !== "process/start" || m.params.answers !== true || !`${m.params.argv}`.includes("awk"))
        return
      known.flood = true
      return { ...m, params: less(m.params, "answers") }
    },
    told: ({ method, params: { processId, chunk } }, known) => {
      if (method !== "process/output" || known.flood !== true) return
      known.held = `${known.held ?? ""}${bytesOf(chunk).toString("latin1")}`
      if (!known.held.includes("##") || known.answered) return
      known.answered = true
      writes(c, processId, "\x1b[0n".repeat(60_000))
    },
  })),
  fault`failure-without-kind: The error of a failed start tells programs nothing.
    process/start/failure-has-a-kind process/start/failure-has-a-kind-with-tty
    process/start/arg0-with-tty-failures`.error(-32603, (m) => ({ ...m, error: less(m.error, "data") })),
  fault`sandbox-without-kind: The error of a start whose sandbox is refused tells programs nothing.
    process/sandbox/failed-preparation-has-a-kind process/sandbox/native-mxc-has-a-kind`.error(
    -32602,
    (m) => ({
      ...m,
      error: less(m.error, "data"),
    }),
  ),
  fault`refusals-with-kind: Whatever is refused has a kind.
    process/start/refusal-has-no-kind`.error(-32602, (m) => ({
    ...m,
    error: { ...m.error, data: { kind: "spawnFailed" } },
  })),
  fault`arg0-of-terminals-dropped: On a PTY arg0 is not looked at.
    process/start/arg0-with-tty-replaces-argv0 process/start/arg0-with-tty-looks-in-the-path`.params(
    "process/start",
    (asked) => (asked.tty === true ? { ...asked, arg0: null } : asked),
  ),
  fault`network-wishes-dropped: What a start says of its network is not read.
    process/networkProxy/transparent-tcp-needs-a-proxy process/networkProxy/transparent-tcp-needs-a-sandbox
    process/networkProxy/transparent-tcp-is-a-boolean`.params("process/start", (asked) =>
    less(asked, "managedNetwork", "networkProxy"),
  ),
  fault`mxc-is-taken: A sandbox that only Windows has counts as none.
    process/sandbox/native-mxc-refused`.params("process/start", (asked) => ({
    ...asked,
    ...(asked.sandbox?.windowsSandboxLevel === "mxc" && {
      sandbox: { ...asked.sandbox, windowsSandboxLevel: "disabled" },
    }),
  })),
  fault`environment-leaks: A process sees the variables of the server, too.
    environment/exact-without-policy`.params("process/start", (asked) => ({
    ...asked,
    env: { FROM_SERVER: "yes", ...process.env, ...asked.env },
  })),
  fault`private-names-pass: Variables with the names of the server's secrets reach a process.
    environment/private-names-scrubbed`.params("process/start", (asked) => {
    const pass = Object.entries(asked.env ?? {}).filter(([name]) => secrets.includes(name))
    const words = pass.map(([name, value]) => `${name}=${value}`)
    return words.length === 0 ? asked : { ...asked, argv: ["/usr/bin/env", ...words, ...asked.argv] }
  }),
  fault`failed-start-keeps-id: The id of a process that could not be started stays taken.
    process/start/program-missing-frees-the-id`.by((c) => ({
    asked: (m, known) =>
      m.method === "process/start" && known.failed
        ? c.refuse(m, -32600, `process ${m.params.processId} already exists`)
        : undefined,
    answered: ({ error }, { method }, known) =>
      void (known.failed ||= method === "process/start" && error !== undefined),
  })),
  fault`id-free-at-exit: The id of a process that has exited can be used again.
    process/start/retained-id-refused`.by((c) => ({
    asked: ({ method, params: { processId } = {} }, known) => {
      if (method === "process/start" && known.exited)
        void c.ask("process/terminate", { processId, remove: true })
      return undefined
    },
    told: ({ method }, known) => void (known.exited ||= method === "process/exited"),
  })),
  fault`input-left-open: A process without pipeStdin waits for input that never comes.
    process/start/stdin-is-empty`.params("process/start", (asked) =>
    asked.tty ? asked : { ...asked, pipeStdin: true },
  ),
  fault`pid-of-another: A start tells the pid of another process.
    process/pid/is-that-of-the-list`.result("process/start", (started) =>
    started.pid === undefined ? started : { ...started, pid: started.pid + 1 },
  ),
  fault`pid-unasked: A start tells the pid although it was not asked for.
    process/pid/only-when-asked process/start/pid-is-not-revealed`.params("process/start", (asked) => ({
    ...asked,
    pid: true,
  })),
  fault`unknown-fields-refused: Params with a field that the method does not know are refused.
    process/start/unknown-fields-ignored`.by((c) => ({
    asked: (m) => {
      const other =
        m.method === "process/start" && Object.keys(m.params).find((name) => !known.includes(name))
      return other ? c.refuse(m, -32602, `unknown field ${other}`) : undefined
    },
  })),
  fault`number-as-object: A number passes for an object without members.
    params/number-is-no-object`.params("process/start", (asked) =>
    mapped(asked, (value, name) => (objects.includes(name) && typeof value === "number" ? {} : value)),
  ),
  fault`write-id-forgotten: A repeated write is written again.
    process/write/same-write-id-written-once`.by(writesAnew),
  fault`writes-out-of-order: Every other write reaches the process a little later.
    process/write/order-is-kept`.by({
    asked: (m, known) => {
      if (m.method !== "process/write") return undefined
      known.odd = !known.odd
      return known.odd ? m : later(20, m)
    },
  }),
  fault`terminate-is-polite: Terminate sends SIGTERM.
    process/terminate/kills-at-once`.params("process/terminate", (asked) => ({
    ...asked,
    signal: "SIGTERM",
    graceMs: longest,
  })),
  fault`terminate-spares-children: Terminate kills the process and not its group.
    process/terminate/kills-the-group`.by(sparing("kill")),
  fault`remove-ignored: A process that is removed stays.
    process/terminate/remove-forgets`.params("process/terminate", (asked) => less(asked, "remove")),
  fault`grace-ignored: A terminate with a grace kills at once.
    process/terminate/grace-asks-first`.params("process/terminate", (asked) =>
    less(asked, "graceMs", "signal"),
  ),
  fault`interrupt-spares-children: Interrupt signals the process and not its group.
    process/signal/interrupt-reaches-the-group`.by(sparing("interrupt")),
  fault`signals-spare-children: The signals beyond SIGINT and SIGKILL reach the process and not its group.
    process/signal/more-names-reach-the-group`.by(sparing("terminate", "hangup", "quit")),
  fault`signals-are-interrupts: Every name of a signal sends SIGINT.
    process/signal/more-names-run-their-traps process/signal/more-names-by-default
    process/signal/more-names-reach-the-group`.params("process/signal", (asked) => ({
    ...asked,
    signal: "interrupt",
  })),
  fault`signal-numbers-refused: A signal that is a number is an interrupt.
    process/signal/any-name-or-number`.params("process/signal", (asked) =>
    typeof asked.signal === "number" ? { ...asked, signal: "interrupt" } : asked,
  ),
  fault`deadline-ignored: A deadline that has passed ends nothing.
    process/deadlines/timeout-ends-the-process`.params("process/start", (asked) =>
    less(asked, "timeoutMs", "idleTimeoutMs"),
  ),
  fault`deadline-of-the-connection: A deadline that passes while no client is attached ends nothing.
    process/deadlines/goes-on-without-a-client`.by((c) => ({
    ...params("process/start", ({ timeoutMs, ...asked }) => {
      const { processId } = asked
      const end = () =>
        c.server.connections.has(c) && c.ask("process/terminate", { processId, signal: "SIGTERM" })
      if (timeoutMs != null) setTimeout(end, timeoutMs)
      return timeoutMs == null ? asked : { ...asked, ending: true }
    }),
    ...event("process/exited", (told) =>
      told.endedBy === "terminate" ? { ...told, endedBy: "timeout" } : told,
    ),
  })),
  fault`deadline-without-a-kill: What is left after a grace is not killed.
    process/deadlines/grace-ends-in-a-kill`.params("process/start", (asked) =>
    asked.timeoutMs === undefined ? asked : { ...asked, killGraceMs: longest },
  ),
  fault`ending-unasked: Every exit tells what has ended the process.
    process/deadlines/ending-only-when-asked`.params("process/start", (asked) => ({
    ...asked,
    ending: true,
  })),
  fault`silence-from-the-start: The time of silence is not begun anew by output.
    process/deadlines/silence-counts-from-the-last-output`.by({
    ...params("process/start", ({ idleTimeoutMs, ...asked }) =>
      idleTimeoutMs == null ? asked : { ...asked, timeoutMs: idleTimeoutMs },
    ),
    ...event("process/exited", (told) =>
      told.endedBy === "timeout" ? { ...told, endedBy: "idleTimeout" } : told,
    ),
  }),
  fault`auto-remove-ignored: A process that is to be removed when it has ended stays.
    process/auto-remove/when-it-is-closed`.params("process/start", (asked) => less(asked, "autoRemove")),
  fault`changes-without-removals: Changes do not tell what is removed.
    process/changes/tells-what-happens-in-order`.result("process/changes", ({ changes, ...told }) => ({
    ...told,
    changes: changes.map((/** @type {any} */ one) =>
      one.kind === "removed" ? { ...one, kind: "exited" } : one,
    ),
  })),
  fault`changes-at-once: A request for changes does not wait.
    process/changes/waits-for-news`.params("process/changes", (asked) => less(asked, "waitMs")),
  fault`changes-missed-untold: Changes that are no longer kept are not told to be missed.
    process/changes/tells-what-is-missed`.result("process/changes", (told) => less(told, "missed")),
  fault`restart-kills-at-once: A process that is to be restarted is killed at once, whatever grace is asked for.
    process/restart/goes-on-in-the-same-process`.params("process/restart", (asked) => ({
    ...asked,
    graceMs: 0,
  })),
  fault`restart-of-a-success: A child that has ended well is followed by another one, too.
    process/restart/leaves-a-success`.params("process/start", ({ restart, ...asked }) => ({
    ...asked,
    ...(restart && { restart: restart.policy === "onFailure" ? { ...restart, policy: "always" } : restart }),
  })),
  fault`restart-without-a-bound: Children follow each other once more than the start allows.
    process/restart/follows-a-failure`.params("process/start", ({ restart, ...asked }) => ({
    ...asked,
    ...(restart && {
      restart: restart.most === undefined ? restart : { ...restart, most: restart.most + 1 },
    }),
  })),
  fault`children-outlive-the-input: The end of the input ends the server and not its processes.
    lifecycle/end-of-input-ends-the-server`
    .with({ over: "stdio", kernel: true, args: (args) => [...args, "--contain", "none"] })
    .params("process/start", (asked) => ({ ...asked, argv: ["/usr/bin/setsid", "--wait", ...asked.argv] })),
]
