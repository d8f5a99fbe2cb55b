// @ts-check
// Ten tasks that a model does with commands, each played twice: with the two tools of Codex, as models use them
// (default yield times, polls until something has come, a look at what was cut by running it again), and with all
// tools.
//
// A script is a function of a `Model`: `turn` makes calls side by side and returns their replies. It returns what the
// model has found out, which must be what `answer` says.

/** @import { Model, Reply } from "./model.mjs" */

/**
 * @typedef {object} Task
 * @property {string} name
 * @property {RegExp} answer
 * @property {(model: Model) => Promise<string>} codex
 * @property {(model: Model) => Promise<string>} all
 */

/** @param {string} script */
const sh = (script) => script.replaceAll(/\n\s*/g, "; ").replace(/^; |; $/g, "")

/** @param {Reply | undefined} reply */
const session = (reply) => reply?.sessionId ?? 0

/** Polls with the default time until the text has come or the command has ended: all output since. @param {Model} model @param {Reply | undefined} first @param {RegExp} wanted */
const poll = async (model, first, wanted) => {
  let [reply, output] = [first, first?.output ?? ""]
  while (reply?.sessionId !== undefined && !wanted.test(output)) {
    const { sessionId: session_id } = reply
    ;[reply] = await model.turn(["write_stdin", { session_id }])
    output += reply?.output ?? ""
  }
  return { output, reply }
}

const never = /(?!)/

/** @param {{ output: string, reply: Reply | undefined }} end */
const told = ({ output, reply }) => `${output} exit ${reply?.exitCode}`

/** @param {Reply | undefined} reply */
const result = (reply) => `${reply?.output} exit ${reply?.exitCode}`

const untilEnd = { wait_for: { exit: true } }
const brief = { ...untilEnd, max_output_tokens: 60 }

/** What the model runs. @param {(seconds: number) => string} sleep @param {number} port */
const commandsOf = (sleep, port) => {
  const build = `for i in $(seq 120); do echo "compiling unit $i of 120"; ${sleep(1)}; done; echo "build ok"`
  const server =
    `echo starting; ${sleep(15)}; exec node -e 'require("http").createServer((q, s) => s.end("hi"))` +
    `.listen(${port}, "127.0.0.1", () => console.log("ready"))'`
  const fetched = `curl -s -m 2 http://127.0.0.1:${port}/ || echo refused`
  const secret =
    `echo checking; ${sleep(12)}; stty -echo; printf "Password: "; ` +
    `read p; stty echo; echo; echo "welcome $p"`
  const tests =
    `for i in $(seq 60000); do echo "ok $i - a test with a name that says what it is about and what it expects"; ` +
    `[ $i = 31415 ] && echo "FAIL $i - rounds towards zero" && echo "  expected 3, got 4"; done; echo "1 failed"; exit 1`
  const repl = `node -i`
  const lines = [`let wait = (s) => { let e = Date.now() + s * 1000; while (Date.now() < e); return s * 7 }`]
  const sums = [3, 2, 4].map((seconds) => `wait(${sleep(seconds).split(" ")[1]}) && ${seconds} * 7\n`)
  const log =
    `for i in $(seq 20000); do echo "2026-01-01T00:00:00Z info request $i took 12 ms and was answered with 200"; ` +
    `[ $i = 7777 ] && echo "error: disk full on /dev/sda1"; [ $i = 15000 ] && echo "panic: worker 3 died"; done`
  const jobs = [8, 14, 21, 27].map((seconds) => `echo begun; ${sleep(seconds)}; echo "job ${seconds} done"`)
  const hung = `trap "" INT; echo connecting; sleep 1000 & wait; wait`
  const crash = `for i in $(seq 20); do echo "request $i"; ${sleep(1)}; done; echo "Segmentation fault"; exit 139`
  const questions = ["Licence (y/n)? ", "Folder? ", "Port? ", "Start at boot (y/n)? "]
  const replies = ["y", "/opt/app", "8080", "n"]
  const installer =
    questions.map((text, index) => `${sleep(6)}; printf "${text}"; read a${index}`).join("; ") +
    `; ${sleep(6)}; echo "installed in $a1 on $a2"`
  return {
    build,
    server,
    fetched,
    port,
    secret,
    tests,
    repl,
    lines,
    sums,
    log,
    jobs,
    hung,
    crash,
    replies,
    installer,
  }
}

/** @typedef {ReturnType<typeof commandsOf>} Commands */

/** @param {Commands} commands @returns {Task[]} */
const waiting = ({ build, server, fetched, port, secret }) => [
  {
    name: "a slow build",
    answer: /build ok\s+exit 0/,
    codex: async (model) => {
      const [first] = await model.turn(["exec_command", { cmd: build }])
      return told(await poll(model, first, never))
    },
    all: async (model) => {
      const [reply] = await model.turn(["exec_command", { cmd: build, ...brief }])
      return result(reply)
    },
  },
  {
    name: "a dev server until its port is open",
    answer: /^hi$/,
    codex: async (model) => {
      const [begun] = await model.turn(["exec_command", { cmd: server }])
      for (;;) {
        const [, got] = await model.turn(
          ["write_stdin", { session_id: session(begun) }],
          ["exec_command", { cmd: fetched }],
        )
        if (got?.output.includes("refused")) continue
        await model.turn(["write_stdin", { session_id: session(begun), chars: "\u0003" }])
        return got?.output.trim() ?? ""
      }
    },
    all: async (model) => {
      const [begun] = await model.turn(["exec_command", { cmd: server, wait_for: { port } }])
      const [got] = await model.turn(["exec_command", { cmd: fetched }])
      await model.turn(["stop_command", { session_id: session(begun) }])
      return got?.output.trim() ?? ""
    },
  },
  {
    name: "a prompt for a password",
    answer: /welcome secret\s+exit 0/,
    codex: async (model) => {
      const [begun] = await model.turn(["exec_command", { cmd: secret, tty: true }])
      const asked = await poll(model, begun, /assword/)
      const [typed] = await model.turn([
        "write_stdin",
        { session_id: session(asked.reply), chars: "secret\n" },
      ])
      return told(await poll(model, typed, never))
    },
    all: async (model) => {
      const [asked] = await model.turn(["exec_command", { cmd: secret, tty: true, ...untilEnd }])
      if (asked?.wait?.asks !== "password") return "not asked"
      const [typed] = await model.turn([
        "write_stdin",
        { session_id: session(asked), chars: "secret\n", ...untilEnd },
      ])
      return result(typed)
    },
  },
]

/** @param {Commands} commands @returns {Task[]} */
const reading = ({ tests, repl, lines, sums, log }) => [
  {
    name: "a test run with 5 MB of output",
    answer: /FAIL 31415.*expected 3, got 4/s,
    codex: async (model) => {
      const [run] = await model.turn(["exec_command", { cmd: tests }])
      await poll(model, run, never)
      const [again] = await model.turn(["exec_command", { cmd: `(${tests}) | grep -A3 FAIL` }])
      return (await poll(model, again, never)).output
    },
    all: async (model) => {
      const [run] = await model.turn(["exec_command", { cmd: tests, ...brief }])
      const { session_id = 0 } = run?.rest?.call?.arguments ?? {}
      const [found] = await model.turn(["read_output", { session_id, grep: "FAIL", context: 1 }])
      return found?.output ?? ""
    },
  },
  {
    name: "a REPL session",
    answer: /21.*14.*28/s,
    codex: async (model) => {
      const [begun] = await model.turn(["exec_command", { cmd: repl, tty: true }])
      let output = ""
      for (const chars of [...lines.map((line) => `${line}\n`), ...sums]) {
        const [typed] = await model.turn(["write_stdin", { session_id: session(begun), chars }])
        // The prompt behind the answer, which comes after the echo of the line.
        output += (await poll(model, typed, /\n(undefined|\d+)\s+> $/)).output
      }
      await model.turn(["write_stdin", { session_id: session(begun), chars: ".exit\n" }])
      return output
    },
    all: async (model) => {
      const input = { wait_for: { input: true, pattern: "^(undefined|\\d+)\\s+> $" } }
      const [begun] = await model.turn(["exec_command", { cmd: repl, tty: true, wait_for: { text: "> " } }])
      let output = ""
      for (const chars of [...lines.map((line) => `${line}\n`), ...sums]) {
        const [typed] = await model.turn(["write_stdin", { session_id: session(begun), chars, ...input }])
        output += typed?.output ?? ""
      }
      await model.turn(["write_stdin", { session_id: session(begun), chars: ".exit\n", ...untilEnd }])
      return output
    },
  },
  {
    name: "a long log to search",
    answer: /disk full on \/dev\/sda1.*worker 3 died/s,
    codex: async (model) => {
      const [first] = await model.turn(["exec_command", { cmd: log }])
      await poll(model, first, never)
      const [found] = await model.turn(["exec_command", { cmd: `(${log}) | grep -nE 'error|panic'` }])
      return (await poll(model, found, never)).output
    },
    all: async (model) => {
      const [first] = await model.turn(["exec_command", { cmd: log, ...brief }])
      const { session_id = 0 } = first?.rest?.call?.arguments ?? {}
      const [found] = await model.turn(["read_output", { session_id, grep: "error|panic" }])
      return found?.output ?? ""
    },
  },
]

/** @param {Commands} commands @returns {Task[]} */
const running = ({ jobs, hung }) => [
  {
    name: "four commands side by side",
    answer: /job 8 done.*job 14 done.*job 21 done.*job 27 done/s,
    codex: async (model) => {
      let open = await model.turn(...jobs.map((cmd) => /** @type {const} */ (["exec_command", { cmd }])))
      const outputs = open.map(({ output }) => output)
      const places = new Map(open.map((reply, index) => [session(reply), index]))
      while (open.some(({ sessionId }) => sessionId !== undefined)) {
        const running = open.filter(({ sessionId }) => sessionId !== undefined).map(session)
        open = await model.turn(
          ...running.map((session_id) => /** @type {const} */ (["write_stdin", { session_id }])),
        )
        for (const [index, session_id] of running.entries())
          outputs[places.get(session_id) ?? 0] += open[index]?.output ?? ""
      }
      return outputs.join("")
    },
    all: async (model) => {
      const done = await model.turn(
        ...jobs.map((cmd) => /** @type {const} */ (["exec_command", { cmd, ...untilEnd }])),
      )
      return done.map(({ output }) => output).join("")
    },
  },
  {
    name: "a command that hangs",
    answer: /connecting.*ended/s,
    codex: async (model) => {
      const [begun] = await model.turn(["exec_command", { cmd: `echo $$; ${hung}` }])
      for (let patience = 0; patience < 4; patience += 1)
        await model.turn(["write_stdin", { session_id: session(begun) }])
      await model.turn(["write_stdin", { session_id: session(begun), chars: "\u0003" }])
      const group = begun?.output.split("\n")[0]
      await model.turn(["exec_command", { cmd: `ps -o pid,stat,args -g ${group}` }])
      await model.turn(["exec_command", { cmd: `kill -9 -${group}` }])
      const [end] = await model.turn(["write_stdin", { session_id: session(begun) }])
      return end?.exitCode === undefined ? "it runs" : `${begun?.output} ended`
    },
    all: async (model) => {
      const [end] = await model.turn(["exec_command", { cmd: hung, timeout_ms: 30_000 }])
      return end?.endedBy === "timeout" ? `${end.output} ended` : "it runs"
    },
  },
]

/** @param {Commands} commands @returns {Task[]} */
const ending = ({ crash, replies, installer }) => [
  {
    name: "a crash with its exit code",
    answer: /Segmentation fault\s+exit 139/,
    codex: async (model) => {
      const [begun] = await model.turn(["exec_command", { cmd: crash }])
      return told(await poll(model, begun, never))
    },
    all: async (model) => {
      const [end] = await model.turn(["exec_command", { cmd: crash, ...brief }])
      return result(end)
    },
  },
  {
    name: "an interactive installer",
    answer: /installed in \/opt\/app on 8080\s+exit 0/,
    codex: async (model) => {
      let [reply] = await model.turn(["exec_command", { cmd: sh(installer), tty: true }])
      const { sessionId: session_id = 0 } = reply ?? {}
      for (const answer of replies) {
        await poll(model, reply, /\? $/)
        ;[reply] = await model.turn(["write_stdin", { session_id, chars: `${answer}\n` }])
      }
      return told(await poll(model, reply, never))
    },
    all: async (model) => {
      let [reply] = await model.turn(["exec_command", { cmd: sh(installer), tty: true, ...untilEnd }])
      const { sessionId: session_id = 0 } = reply ?? {}
      for (const answer of replies) {
        if (reply?.wait?.asks !== "input") return `not asked: ${reply?.output}`
        ;[reply] = await model.turn(["write_stdin", { session_id, chars: `${answer}\n`, ...untilEnd }])
      }
      return result(reply)
    },
  },
]

/** `sleep` is the command that sleeps so many seconds. @param {(seconds: number) => string} sleep @param {number} port */
export const tasks = (sleep, port) => {
  const commands = commandsOf(sleep, port)
  return [...waiting(commands), ...reading(commands), ...running(commands), ...ending(commands)]
}
