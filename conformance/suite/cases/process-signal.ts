/**
 * `process/signal`: SIGINT to the whole group of a process.
 */
import { table, type CaseSpec } from "../Case.ts"
import * as Check from "../Check.ts"
import * as Child from "../Child.ts"
import { isObject } from "../Json.ts"

const interrupt = async (child: Child.Child): Promise<void> => {
  Check.equal(
    await child.wire.ok("process/signal", { processId: child.id, signal: "interrupt" }),
    {},
    "the result of process/signal",
  )
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
    says:
      "A signal that is kill, Interrupt or missing is refused with -32602, and so is a number by a server that does " +
      "not announce processDeadlines.",
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
