/**
 * The exit code of a process, also of one that died of a signal.
 */
import { table, type CaseSpec } from "../Case.ts"
import * as Check from "../Check.ts"
import * as Child from "../Child.ts"

const dies = (name: string, number: number): CaseSpec => ({
  spec: [133],
  says: `A process that dies of SIG${name} has the exit code ${128 + number}.`,
  run: async (t) => {
    const child = await Child.start(await t.open(), { script: `kill -${name} $$; sleep 60` })
    Check.equal((await child.ended()).exitCode, 128 + number, "the exit code")
  },
})

export const exitCode = table("process/exit-code", {
  "the-largest": {
    spec: [133],
    says: "The exit code 255 is reported as 255.",
    run: async (t) => {
      Check.equal(
        (await (await Child.start(await t.open(), { script: "exit 255" })).ended()).exitCode,
        255,
        "the exit code",
      )
    },
  },
  "of-a-tty": {
    spec: [133],
    requires: ["pty"],
    says: "A process with tty that exits is reported with its exit code.",
    run: async (t) => {
      const child = await Child.start(await t.open(), { tty: true, script: "exit 42" })
      Check.equal((await child.ended()).exitCode, 42, "the exit code")
    },
  },
  "of-sigsegv": dies("SEGV", 11),
  "of-sigterm": dies("TERM", 15),
  "of-sigkill": dies("KILL", 9),
  "of-a-signal-with-tty": {
    spec: [133],
    requires: ["pty"],
    says: "A process with tty that dies of a signal has an exit code other than 0.",
    run: async (t) => {
      const child = await Child.start(await t.open(), { tty: true, script: "kill -TERM $$; sleep 60" })
      Check.isTrue((await child.ended()).exitCode !== 0, "the exit code is 0")
    },
  },
  "of-a-signal-with-tty-is-one": {
    level: "peer",
    spec: [133],
    requires: ["pty"],
    says: "A process with tty that dies of a signal has the exit code 1.",
    run: async (t) => {
      const child = await Child.start(await t.open(), { tty: true, script: "kill -TERM $$; sleep 60" })
      Check.equal((await child.ended()).exitCode, 1, "the exit code")
    },
  },
})
