/** v0: the params and results of `command/exec`. */
import * as Check from "../../Check.ts"
import { type Exec, params, start, table } from "./process.ts"

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
    says:
      "A program that does not exist is refused with -32603, there is no notification, and its processId is " +
      "free again.",
    run: async (t) => {
      const wire = await t.connect()
      const argv = ["/no/such/program"]
      await wire.refused("command/exec", params(wire, { id: "p", params: { argv } }), -32603)
      const child = await start(wire, { id: "p", script: "exit 5" })
      Check.equal(await child.exited(), 5, "the exit code")
    },
  },
  "missing-fields-named": {
    says:
      "Params without processId, argv, cwd, env or tty are refused with -32602 and a message that names the " +
      "missing one.",
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
