// @ts-check
// Faults in what is done to processes: starts, writes and signals.
import { fault, later, less, longest, mapped, params, pidOf, signalled } from "./changes.mjs"

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

/** @type {readonly WireFault[]} */
export const processes = [
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
  fault`children-outlive-the-input: The end of the input ends the server and not its processes.
    lifecycle/end-of-input-ends-the-server`
    .with({ over: "stdio", kernel: true, args: (args) => [...args, "--contain", "none"] })
    .params("process/start", (asked) => ({ ...asked, argv: ["/usr/bin/setsid", "--wait", ...asked.argv] })),
]
