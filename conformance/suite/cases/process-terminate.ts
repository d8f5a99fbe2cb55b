/**
 * `process/terminate`: SIGKILL to the whole group, at once. `process/signal`: SIGINT to the whole group of a
 * process. The exit code of a process, also of one that died of a signal.
 */
import { Check, Child, isObject, table, type CaseContext, type CaseSpec } from "../Vocabulary.ts"
import { awaitDeath } from "../wire/ProcessTree.ts"

export const terminate = table("process/terminate", {
  "kills-at-once": {
    spec: [128],
    says: `terminate of a running process returns running true and kills it with SIGKILL: exit code 137, no
      trap runs.`,
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

const interrupt = async (child: Child.Child): Promise<void> => {
  await child.wire.ok("process/signal", { processId: child.id, signal: "interrupt" }, {})
}

/** The sleep is in the background: while a foreground child runs, a shell would not run its trap. */
const trap = "trap 'echo trapped; exit 33' INT; echo ready; sleep 60 & wait"

const trapped = (tty: boolean, spec: number): CaseSpec => ({
  spec: [spec],
  requires: tty ? ["pty"] : [],
  says:
    `interrupt sends SIGINT${tty ? " to a process with tty" : ""}: ` +
    "the trap of a shell runs, and its exit code is reported.",
  run: async (t) => {
    const child = await Child.start(await t.open(), { tty, script: trap })
    await child.says("ready")
    await interrupt(child)
    await child.says("trapped")
    Check.equal(await child.exited(), 33, "the exit code")
  },
})

export const signal = table("process/signal", {
  "interrupt-runs-the-trap": trapped(false, 123),
  "interrupt-runs-the-trap-with-tty": trapped(true, 123),
  "interrupt-reaches-the-group": {
    spec: [124],
    requires: ["process-group"],
    says: "interrupt signals the whole process group: a forked child gets it, too.",
    run: async (t) => {
      const perl = [
        "perl",
        "-e",
        '$SIG{INT}=sub{syswrite(STDOUT,"inner\\n");exit 0}; syswrite(STDOUT,"r2\\n"); sleep 60',
      ]
      const argv = ["/bin/sh", "-c", `"$@" & trap 'echo outer' INT; echo r1; wait; wait`, "sh", ...perl]
      const child = await Child.start(await t.open(), { argv })
      await child.says("r1")
      await child.says("r2")
      await interrupt(child)
      await child.says("outer")
      await child.says("inner")
    },
  },
  "interrupt-by-default-is-130": {
    spec: [125],
    says: "interrupt ends a process that does not handle it, with exit code 130.",
    run: async (t) => {
      const child = await Child.start(await t.open(), { argv: ["sleep", "60"] })
      await interrupt(child)
      Check.equal((await child.ended()).exitCode, 130, "the exit code")
    },
  },
  "interrupt-ends-a-tty": {
    spec: [125],
    requires: ["pty"],
    says: "interrupt ends a process with tty that does not handle it, with an exit code other than 0.",
    run: async (t) => {
      const child = await Child.start(await t.open(), { tty: true, argv: ["sleep", "60"] })
      await interrupt(child)
      Check.isTrue((await child.ended()).exitCode !== 0, "the exit code is 0")
    },
  },
  "unknown-or-closed-is-harmless": {
    spec: [126],
    says: "interrupt of an unknown or closed process has the result {} and no effect.",
    play: async (wire) => {
      await interrupt(Child.attach(wire, "nope"))
      const child = await Child.run(wire)
      await interrupt(child)
    },
  },
  "other-names-refused": {
    spec: [127],
    says: `A signal that is kill, Interrupt or missing is refused with -32602, and so is a number by a
      server that does not announce processDeadlines.`,
    run: async (t) => {
      const wire = await t.connect()
      const { environmentInfo } = await wire.handshake()
      const { capabilities } = Check.object(environmentInfo, "environmentInfo")
      const takesNumbers = isObject(capabilities) && capabilities["processDeadlines"] === true
      for (const name of ["kill", "Interrupt", "", ...(takesNumbers ? [] : [2]), null]) {
        await wire.refused("process/signal", { processId: "p", signal: name }, -32602)
      }
      Check.contains(
        await wire.refused("process/signal", { processId: "p" }, -32602),
        "signal",
        "the message",
      )
    },
  },
  "control-c-on-a-tty": {
    spec: [135],
    requires: ["pty"],
    says: "0x03 written to a tty interrupts the process.",
    run: async (t) => {
      const child = await Child.start(await t.open(), { tty: true, script: trap })
      await child.says("ready")
      await child.write("\u0003")
      Check.equal(await child.exited(), 33, "the exit code")
    },
  },
})

const exitCodeOf = async (t: CaseContext, options: Child.StartOptions): Promise<number> =>
  (await (await Child.start(await t.open(), options)).ended()).exitCode

const dies = (name: string, number: number): CaseSpec => ({
  spec: [133],
  says: `A process that dies of SIG${name} has the exit code ${128 + number}.`,
  run: async (t) =>
    Check.equal(await exitCodeOf(t, { script: `kill -${name} $$; sleep 60` }), 128 + number, "the exit code"),
})

const killedOnTty = { tty: true, script: "kill -TERM $$; sleep 60" }

export const exitCode = table("process/exit-code", {
  "the-largest": {
    spec: [133],
    says: "The exit code 255 is reported as 255.",
    run: async (t) => Check.equal(await exitCodeOf(t, { script: "exit 255" }), 255, "the exit code"),
  },
  "of-a-tty": {
    spec: [133],
    requires: ["pty"],
    says: "A process with tty that exits is reported with its exit code.",
    run: async (t) => Check.equal(await exitCodeOf(t, { tty: true, script: "exit 42" }), 42, "the exit code"),
  },
  "of-sigsegv": dies("SEGV", 11),
  "of-sigterm": dies("TERM", 15),
  "of-sigkill": dies("KILL", 9),
  "of-a-signal-with-tty": {
    spec: [133],
    requires: ["pty"],
    says: "A process with tty that dies of a signal has an exit code other than 0.",
    run: async (t) => Check.isTrue((await exitCodeOf(t, killedOnTty)) !== 0, "the exit code is 0"),
  },
  "of-a-signal-with-tty-is-one": {
    level: "peer",
    spec: [133],
    requires: ["pty"],
    says: "A process with tty that dies of a signal has the exit code 1.",
    run: async (t) => Check.equal(await exitCodeOf(t, killedOnTty), 1, "the exit code"),
  },
})
