/**
 * `process/terminate`: SIGKILL to the whole group, at once.
 */
import { table } from "../Case.ts"
import * as Check from "../Check.ts"
import * as Child from "../Child.ts"
import { awaitDeath } from "../wire/ProcessTree.ts"

export const terminate = table("process/terminate", {
  "kills-at-once": {
    spec: [128],
    says:
      "terminate of a running process returns running true and kills it with SIGKILL: exit code 137, no " +
      "trap runs.",
    run: async (t) => {
      const script = "trap 'echo TRAP' TERM HUP INT; echo ready; while :; do sleep 0.05; done"
      const child = await Child.start(await t.open(), { script })
      await child.says("ready")
      Check.equal(await child.terminate(), true, "running")
      Check.equal((await child.ended()).exitCode, 137, "the exit code")
      Check.lacks(child.text(), "TRAP", "the output")
    },
  },
  // guards: scopes, left-behind
  "kills-the-group": {
    spec: [129],
    requires: ["process-group"],
    server: "owned",
    says: "terminate also kills the background children in the process group.",
    run: async (t) => {
      const child = await Child.start(await t.open(), { script: "sleep 60 & echo pid $!.; wait" })
      await child.says(".")
      const pid = Number(/pid (\d+)\./.exec(child.text())?.[1])
      await child.terminate()
      await child.ended()
      await awaitDeath([pid], t.timeoutMs)
    },
  },
  "closes-at-once": {
    spec: [130],
    requires: ["procfs"],
    says: "After a terminate, closed is sent although a descendant in another session still holds the output.",
    run: async (t) => {
      const script = "setsid sh -c 'echo ready; sleep 300' & wait"
      const child = await Child.start(await t.open(), { script })
      await child.says("ready")
      await child.terminate()
      Check.equal((await child.ended()).exitCode, 137, "the exit code")
    },
  },
  "not-running": {
    spec: [131],
    says: "terminate of an unknown, exited or closed process returns running false.",
    play: async (wire) => {
      Check.equal(await Child.attach(wire, "nope").terminate(), false, "running of an unknown process")
      const exited = await Child.start(wire, { script: "sleep 1 & exit 0" })
      await exited.exited()
      Check.equal(await exited.terminate(), false, "running of an exited process")
      await exited.ended()
      Check.equal(await exited.terminate(), false, "running of a closed process")
    },
  },
  "unknown-signal-ignored": {
    level: "should",
    spec: [128],
    says: "A signal that is none, whatever its type, is ignored in terminate: the process is killed as without it.",
    play: async (wire) => {
      for (const signal of ["no-such-signal", "kill", "", 0, 4711, 1.5, true, [], ["interrupt"], {}]) {
        const { id, exited } = await Child.start(wire, { script: "trap '' INT TERM HUP; sleep 60" })
        const { running } = await wire.ok("process/terminate", { processId: id, signal })
        Check.equal(running, true, `running after the signal ${Check.show(signal)}`)
        Check.equal(await exited(), 137, "the exit code")
      }
    },
  },
  "ends-a-tty": {
    spec: [132],
    requires: ["pty"],
    says: "terminate ends a process with tty: an exit code other than 0, then closed.",
    run: async (t) => {
      const child = await Child.start(await t.open(), { tty: true, script: "echo ready; sleep 60; :" })
      await child.says("ready")
      Check.equal(await child.terminate(), true, "running")
      Check.isTrue((await child.ended()).exitCode !== 0, "the exit code is 0")
    },
  },
  "id-stays-taken": {
    spec: [91, 131],
    says: "The id of a terminated process stays taken while it is retained, and its state can be read.",
    play: async (wire) => {
      const child = await Child.start(wire, { id: "kill-me", script: "echo out; sleep 60" })
      await child.says("out")
      await child.terminate()
      await child.ended()
      Check.equal((await child.read())["exitCode"], 137, "exitCode in the result of a read")
      await wire.refused(
        "process/start",
        Child.params(wire, { id: "kill-me" }),
        -32600,
        "process kill-me already exists",
      )
    },
  },
})
