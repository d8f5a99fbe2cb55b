/** v0: `command/exec/write`, which works only for processes with a terminal. */
import * as Check from "../../Check.ts"
import { start, table, terminate, write as put } from "./process.ts"

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
    says:
      "A write to a process that is unknown, has exited or was terminated is refused with -32600 unknown " +
      "process id X.",
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
      await terminate(wire, "terminated")
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
