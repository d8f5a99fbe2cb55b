/**
 * v0: the params and results of `command/exec`. `command/exec/exited`, after which the server has forgotten the
 * process. `command/exec/terminate` kills a process and forgets it; so does the end of the connection.
 * `command/exec/write`, which works only for processes with a terminal.
 */
import * as Check from "../../Check.ts"
import { awaitDeath } from "../../wire/ProcessTree.ts"
import * as Gate from "../gate.ts"
import { type Exec, params, start, table, terminate as end, write as put } from "./process.ts"

const script = "echo pid $$."

const pidIsTheChilds = async (child: Exec): Promise<void> => {
  const { pid } = child.result
  await child.says(".")
  if (pid !== null) Check.contains(child.text(), `pid ${Check.integer(pid, "pid")}.`, "the output")
  await child.exited()
}

export const exec = table("exec", {
  "answer-shape": {
    says: "command/exec is answered at once with processId, pid, running true, and exitCode, stdout and stderr null.",
    run: async (t) => {
      const child = await start(await t.connect(), { id: "any id", script: "sleep 60" })
      const { pid, ...rest } = child.result
      Check.isTrue(pid === null || Check.integer(pid, "pid") > 0, `the pid is ${Check.show(pid)}`)
      Check.equal(
        rest,
        { processId: "any id", running: true, exitCode: null, stdout: null, stderr: null },
        "the result without pid",
      )
      await child.terminate()
    },
  },
  "pid-is-the-childs": {
    says: "The pid is that of the program itself, or null.",
    run: async (t) => pidIsTheChilds(await start(await t.connect(), { script })),
  },
  "pid-is-the-childs-with-tty": {
    requires: ["pty"],
    says: "With tty the pid is that of the program itself, or null.",
    run: async (t) => pidIsTheChilds(await start(await t.connect(), { tty: true, script })),
  },
  "environment-and-folder": {
    says: "env is the whole environment of the process, and cwd, a plain absolute path, its folder.",
    server: "owned",
    run: async (t) => {
      const wire = await t.connect()
      const child = await start(wire, {
        script: 'echo "$ONE|${FROM_SERVER-none}|$(pwd)."',
        params: { cwd: "/usr", env: { ...wire.childEnv, ONE: "1" } },
      })
      await child.says(".")
      Check.equal(child.text(), "1|none|/usr.\n", "the output")
    },
  },
  arg0: {
    requires: ["arg0"],
    says: "The program sees arg0 as its argv[0]; null means that there is none.",
    run: async (t) => {
      const wire = await t.connect()
      const named = await start(wire, { script: "echo $0.", params: { arg0: "other" } })
      await named.says(".")
      Check.equal(named.text(), "other.\n", "the output")
      await (await start(wire, { params: { arg0: null } })).exited()
    },
  },
  "input-is-empty": {
    says: "Without tty, stdin of the process is at EOF.",
    run: async (t) => {
      const child = await start(await t.connect(), { script: "cat; echo end" })
      Check.equal(await child.exited(), 0, "the exit code")
      Check.equal(child.text(), "end\n", "the output")
    },
  },
  "id-in-use-refused": {
    says: "A processId that is in use is refused with -32600 process X already exists, and the process goes on.",
    run: async (t) => {
      const wire = await t.connect()
      const child = await start(wire, { id: "twice", script: "echo ready; sleep 60" })
      await wire.refused(
        "command/exec",
        params(wire, { id: "twice" }),
        -32600,
        "process twice already exists",
      )
      await child.says("ready")
      Check.equal(await child.terminate(), true, "running")
    },
  },
  "ids-are-of-their-connection": {
    transports: "sockets",
    says: "Two connections may use the same processId.",
    run: async (t) => {
      const children = [
        await start(await t.connect(), { id: "same", script: "sleep 60" }),
        await start(await t.connect(), { id: "same", script: "sleep 60" }),
      ]
      for (const child of children) Check.equal(await child.terminate(), true, "running")
    },
  },
  "empty-argv-refused": {
    says: "An empty argv is refused with -32602 argv must not be empty.",
    run: async (t) => {
      const wire = await t.connect()
      const given = params(wire, { params: { argv: [] } })
      await wire.refused("command/exec", given, -32602, "argv must not be empty")
    },
  },
  "missing-program-frees-the-id": {
    says: `A program that does not exist is refused with -32603, there is no notification, and its processId
      is free again.`,
    run: async (t) => {
      const wire = await t.connect()
      const argv = ["/no/such/program"]
      await wire.refused("command/exec", params(wire, { id: "p", params: { argv } }), -32603)
      const child = await start(wire, { id: "p", script: "exit 5" })
      Check.equal(await child.exited(), 5, "the exit code")
    },
  },
  "missing-fields-named": {
    says: `Params without processId, argv, cwd, env or tty are refused with -32602 and a message that names
      the missing one.`,
    run: async (t) => {
      const wire = await t.connect()
      for (const field of ["processId", "argv", "cwd", "env", "tty"]) {
        const given = Object.fromEntries(Object.entries(params(wire)).filter(([name]) => name !== field))
        Check.contains(await wire.refused("command/exec", given, -32602), field, "the message")
      }
      await wire.refused("command/exec", undefined, -32602)
      await wire.refused("command/exec", params(wire, { params: { outputBytesCap: -1 } }), -32602)
      await wire.refused("command/exec", params(wire, { params: { outputBytesCap: null } }), -32602)
    },
  },
  "unknown-fields-ignored": {
    says: "Members that v0 does not know are ignored.",
    run: async (t) => {
      const child = await start(await t.connect(), {
        params: { pipeStdin: true, sandbox: null, size: { rows: 1, cols: 1 }, timeoutMs: 1 },
      })
      Check.equal(await child.exited(), 0, "the exit code")
    },
  },
})

export const exited = table("exited", {
  "frees-the-id": {
    says: "After exited the processId can be used again (20 rounds).",
    run: async (t) => {
      const wire = await t.connect()
      for (let round = 0; round < 20; round++) {
        const child = await start(wire, { id: "again", script: `exit ${round}` })
        Check.equal(await child.exited(), round, "the exit code")
      }
    },
  },
  "not-delayed-by-descendants": {
    says: `exited is sent while a descendant still holds the output, and the late output of the descendant
      still arrives.`,
    run: async (t) => {
      const wire = await t.connect()
      const sh: Gate.Shell = async (script) => {
        Check.equal(await (await start(wire, { script })).exited(), 0, `the exit code of \`${script}\``)
      }
      const gate = await Gate.make(sh)
      const child = await start(wire, { script: `(${gate.wait}; echo late) & exit 7` })
      Check.equal(await child.exited(), 7, "the exit code")
      Check.equal(child.text(), "", "the output at the exit")
      await sh(gate.open)
      await child.says("late")
    },
  },
  "of-a-signal": {
    level: "should",
    says: "A process that dies of a signal has the exit code -1.",
    run: async (t) => {
      const child = await start(await t.connect(), { script: "kill -9 $$" })
      Check.equal(await child.exited(), -1, "the exit code")
    },
  },
})

export const terminate = table("terminate", {
  "second-is-not-running": {
    says: "terminate returns running true; a second one, sent without waiting, returns running false.",
    run: async (t) => {
      const wire = await t.connect()
      const child = await start(wire, { script: "trap '' TERM INT HUP; echo ready; sleep 60; :" })
      await child.says("ready")
      const params = { processId: child.id }
      const first = wire.begin("command/exec/terminate", params)
      const second = wire.begin("command/exec/terminate", params)
      Check.equal((await first).result, { running: true }, "the first result")
      Check.equal((await second).result, { running: false }, "the second result")
      Check.isTrue((await child.exited()) !== 0, "the exit code is 0")
    },
  },
  "unknown-is-not-running": {
    says: "terminate of a process that is unknown or has exited returns running false.",
    run: async (t) => {
      const wire = await t.connect()
      Check.equal(await end(wire, "nope"), false, "running of an unknown process")
      const child = await start(wire)
      await child.exited()
      Check.equal(await child.terminate(), false, "running of an exited process")
    },
  },
  "frees-the-id": {
    says: "The processId of a terminated process is free at once.",
    run: async (t) => {
      const wire = await t.connect()
      const first = await start(wire, { id: "again", script: "sleep 60" })
      await first.terminate()
      await first.exited()
      const second = await start(wire, { id: "again", script: "echo second; exit 4" })
      await second.says("second")
      Check.equal(await second.exited(), 4, "the exit code of the second")
    },
  },
  "kills-the-group": {
    requires: ["process-group"],
    server: "owned",
    says: "terminate also kills the background children in the process group.",
    run: async (t) => {
      const child = await start(await t.connect(), { script: "sleep 60 & echo pid $!.; wait" })
      await child.says(".")
      await child.terminate()
      await awaitDeath([Number(/pid (\d+)\./.exec(child.text())?.[1])], t.timeoutMs)
    },
  },
  "connection-end-kills": {
    server: "owned",
    says: "The end of the connection kills its processes at once: v0 has no sessions to resume.",
    run: async (t) => {
      const wire = await t.connect()
      const child = await start(wire, { script: "echo pid $$.; sleep 60; :" })
      await child.says(".")
      wire.channel.close()
      await awaitDeath([Number(/pid (\d+)\./.exec(child.text())?.[1])], t.timeoutMs)
    },
  },
})

const eA = "eA=="

export const write = table("write", {
  "reaches-the-terminal": {
    requires: ["pty"],
    says: "Writes to a process with tty are answered with accepted true and reach it in order.",
    run: async (t) => {
      const wire = await t.connect()
      const child = await start(wire, {
        tty: true,
        script: 'stty -echo; echo ready; while read -r line; do echo "got:$line"; done',
      })
      await child.says("ready")
      for (const line of ["a", "b", "c"]) await put(wire, child.id, `${line}\n`)
      await child.says("got:c")
      Check.contains(child.text(), "got:a\r\ngot:b\r\ngot:c", "the output")
      await child.terminate()
    },
  },
  "closed-for-pipes": {
    says: "A write to a process without tty is refused with -32600 stdin is closed for process X.",
    run: async (t) => {
      const wire = await t.connect()
      const child = await start(wire, { id: "pipe", script: "sleep 60" })
      await wire.refused(
        "command/exec/write",
        { processId: "pipe", chunk: eA },
        -32600,
        "stdin is closed for process pipe",
      )
      await child.terminate()
    },
  },
  "unknown-process-refused": {
    says: `A write to a process that is unknown, has exited or was terminated is refused with -32600 unknown
      process id X.`,
    run: async (t) => {
      const wire = await t.connect()
      const refused = (processId: string) =>
        wire.refused(
          "command/exec/write",
          { processId, chunk: eA },
          -32600,
          `unknown process id ${processId}`,
        )
      await refused("nope")
      const exited = await start(wire, { id: "exited" })
      await exited.exited()
      await refused("exited")
      await start(wire, { id: "terminated", script: "sleep 60" })
      await end(wire, "terminated")
      await refused("terminated")
    },
  },
  "bad-base64-refused": {
    says: "A chunk that is missing or not base64 is refused with -32602.",
    run: async (t) => {
      const wire = await t.connect()
      await wire.refused("command/exec/write", { processId: "p", chunk: "!!" }, -32602)
      Check.contains(
        await wire.refused("command/exec/write", { processId: "p" }, -32602),
        "chunk",
        "the message",
      )
    },
  },
})
