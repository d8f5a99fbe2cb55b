/**
 * The output of a process with a tty: one stream, through a line discipline.
 */
import { table } from "../Case.ts"
import * as Check from "../Check.ts"
import * as Child from "../Child.ts"

export const outputTty = table("process/output", {
  "tty-has-one-stream": {
    spec: [134],
    requires: ["pty"],
    says: "With tty, stdout and stderr arrive on the stream pty, with carriage returns.",
    run: async (t) => {
      const child = await Child.run(await t.open(), { tty: true, script: "echo out; echo err >&2" })
      Check.equal(child.text("pty"), "out\r\nerr\r\n", "the stream pty")
      Check.equal(child.bytes().length, child.bytes("pty").length, "bytes on all streams")
    },
  },
  "tty-size": {
    level: "should",
    spec: [134],
    requires: ["pty"],
    says: "A tty has 24 rows and 80 columns.",
    run: async (t) => {
      const child = await Child.run(await t.open(), { tty: true, script: "stty size" })
      Check.equal(child.text(), "24 80\r\n", "the output of stty size")
    },
  },
  "tty-nothing-lost-at-exit": {
    spec: [134],
    requires: ["pty"],
    says: "A process on a tty that writes 64 KiB and exits at once loses nothing.",
    play: async (wire) => {
      for (let round = 0; round < 10; round++) {
        const child = await Child.run(wire, { tty: true, script: "head -c 65536 /dev/zero | tr '\\0' x" })
        Check.equal(child.bytes().length, 65_536, `bytes in round ${round + 1}`)
      }
    },
  },
})
