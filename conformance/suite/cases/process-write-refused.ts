/**
 * `process/write` that does not reach a process: statuses and errors.
 */
import { table } from "../Case.ts"
import * as Check from "../Check.ts"
import * as Child from "../Child.ts"
import type { Wire } from "../wire/Wire.ts"

const cat = (wire: Wire): Promise<Child.Child> => Child.start(wire, { argv: ["cat"], pipeStdin: true })

export const writeRefused = table("process/write", {
  "missing-field-is-named": {
    spec: [116],
    says:
      "A write without processId, chunk or writeId is refused with -32602 and a message that names the " +
      "missing one.",
    play: async (wire) => {
      const child = await cat(wire)
      for (const field of ["processId", "chunk"]) {
        const { [field]: _, ...rest }: { [name: string]: string } = {
          processId: child.id,
          chunk: "",
          writeId: "w",
        }
        Check.contains(
          await wire.refused("process/write", rest, -32602),
          field,
          `the message without ${field}`,
        )
      }
    },
  },
  "missing-write-id-refused": {
    level: "peer",
    spec: [116],
    says: "A write without writeId is refused with -32602 and a message that names it.",
    play: async (wire) => {
      const { id } = await cat(wire)
      const message = await wire.refused("process/write", { processId: id, chunk: "" }, -32602)
      Check.contains(message, "writeId", "the message")
    },
  },
  "empty-write-id-refused": {
    spec: [116],
    says: "A write with an empty writeId is refused with -32602, also for an unknown process.",
    play: async (wire) => {
      const { id } = await cat(wire)
      for (const processId of [id, "nope"]) {
        await wire.refused("process/write", { processId, chunk: "", writeId: "" }, -32602)
      }
    },
  },
  "unknown-process": {
    spec: [117],
    says: "A write to an unknown process is answered with status unknownProcess.",
    run: async (t) => {
      const child = Child.attach(await t.open(), "nope")
      Check.equal(await child.write("x"), "unknownProcess", "the status")
    },
  },
  "stdin-closed": {
    spec: [118],
    says:
      "A write to a process without tty and pipeStdin is answered with status stdinClosed, also after it " +
      "has closed.",
    run: async (t) => {
      const child = await Child.start(await t.open(), { script: "sleep 0.3" })
      Check.equal(await child.write("x"), "stdinClosed", "the status while it runs")
      await child.ended()
      Check.equal(await child.write("x"), "stdinClosed", "the status after closed")
    },
  },
  "after-natural-exit-accepted": {
    spec: [119],
    says: "A write to a process with pipeStdin that has exited is still accepted.",
    run: async (t) => {
      const child = await Child.run(await t.open(), { script: ":", pipeStdin: true })
      Check.equal(await child.write("x"), "accepted", "the status")
    },
  },
  "after-terminate": {
    spec: [120],
    says:
      "After a terminate a write is refused with -32603; one with a writeId that was accepted before is " +
      "accepted.",
    run: async (t) => {
      const child = await cat(await t.open())
      await child.write("x", "known")
      await child.terminate()
      await child.ended()
      const params = { processId: child.id, chunk: "", writeId: "new" }
      await child.wire.refused("process/write", params, -32603, "failed to write to process stdin")
      Check.equal(await child.write("x", "known"), "accepted", "the status for a known writeId")
    },
  },
  "base64-is-strict": {
    spec: [121],
    says:
      "A chunk that is not padded standard base64 is refused with -32602: characters outside the alphabet, " +
      "no padding, the URL alphabet, a newline.",
    run: async (t) => {
      const child = await cat(await t.open())
      for (const chunk of ["!!", "YQ", "Y", "_-==", "YQ==\n", "Y Q=", "====", "YQ=A"]) {
        await child.wire.refused(
          "process/write",
          { processId: child.id, chunk, writeId: `w${chunk}` },
          -32602,
        )
      }
    },
  },
  "base64-spare-bits-refused": {
    level: "should",
    spec: [121],
    says: "The chunk YR==, whose unused bits are not zero, is refused with -32602.",
    run: async (t) => {
      const child = await cat(await t.open())
      await child.wire.refused("process/write", { processId: child.id, chunk: "YR==", writeId: "w" }, -32602)
    },
  },
})
