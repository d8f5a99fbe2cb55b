/**
 * `process/write`: how bytes reach the input of a process, each once and in order. `process/write` that does not
 * reach a process: statuses and errors.
 */
import { Check, Child, pause, table, type Wire } from "../Vocabulary.ts"
import * as Gate from "./gate.ts"

const cat = (wire: Wire): Promise<Child.Child> => Child.start(wire, { argv: ["cat"], pipeStdin: true })

const base64 = (text: string): string => Buffer.from(text).toString("base64")

/** The CRC of POSIX, of the bytes and their number. */
const cksum = (bytes: Uint8Array): number => {
  let crc = 0
  const add = (byte: number) => {
    crc ^= byte << 24
    for (let bit = 0; bit < 8; bit += 1) crc = crc < 0 ? (crc << 1) ^ 0x04c11db7 : crc << 1
  }
  for (const byte of bytes) add(byte)
  for (let size = bytes.length; size > 0; size = Math.floor(size / 256)) add(size & 255)
  return ~crc >>> 0
}

/** Writes a line and waits for its echo: everything that was written before has arrived, too. */
const settle = async (child: Child.Child): Promise<void> => {
  await child.write("<settled>")
  await child.says("<settled>")
}

export const write = table("process/write", {
  "reaches-the-input": {
    spec: [113],
    says: "A write to a process with pipeStdin is answered with status accepted, and cat sends the bytes back.",
    run: async (t) => {
      const child = await cat(await t.open())
      Check.equal(await child.write("hello\n"), "accepted", "the status")
      await child.says("hello\n")
    },
  },
  "bytes-are-exact": {
    spec: [113],
    says: "Every byte from 0 to 255 reaches the process unchanged.",
    run: async (t) => {
      const child = await cat(await t.open())
      const all = Buffer.from(Array.from({ length: 256 }, (_, index) => index))
      await child.write(all)
      await settle(child)
      Check.equal(child.bytes().subarray(0, 256).toString("hex"), all.toString("hex"), "the bytes")
    },
  },
  "order-is-kept": {
    spec: [113],
    says: "200 writes sent without waiting reach the process in the order in which they were sent.",
    play: async (wire) => {
      const child = await cat(wire)
      const replies = Array.from({ length: 200 }, (_, index) =>
        wire.begin("process/write", {
          processId: child.id,
          chunk: base64(`${index},`),
          writeId: `w${index}`,
        }),
      )
      for (const { result } of await Promise.all(replies)) {
        Check.equal(Check.object(result, "the result")["status"], "accepted", "the status")
      }
      await settle(child)
      const wanted = Array.from({ length: 200 }, (_, index) => `${index},`).join("")
      Check.equal(child.text(), `${wanted}<settled>`, "the output of cat")
    },
  },
  "long-writes-are-exact": {
    spec: [113],
    says: "64 writes of 64 KiB sent without waiting, each with other bytes, reach the process unchanged and in order.",
    play: async (wire) => {
      const pieces = Array.from({ length: 64 }, (_, index) =>
        Buffer.alloc(64 * 1024 - index, Buffer.from(`${index} of 64 \u0000\u00ff;`, "latin1")),
      )
      const size = pieces.reduce((sum, piece) => sum + piece.length, 0)
      const argv = ["sh", "-c", `head -c ${size} | cksum`]
      const child = await Child.start(wire, { argv, pipeStdin: true })
      const replies = pieces.map((piece, index) =>
        wire.begin("process/write", {
          processId: child.id,
          chunk: piece.toString("base64"),
          writeId: `w${index}`,
        }),
      )
      await child.says("\n")
      await Promise.all(replies)
      Check.equal(
        child.text(),
        `${cksum(Buffer.concat(pieces))} ${size}\n`,
        "the checksum of cksum, and the size",
      )
    },
  },
  "same-write-id-written-once": {
    spec: [114],
    says: `A second write with the same writeId is accepted and writes nothing; the same writeId on another
      process writes.`,
    play: async (wire) => {
      const child = await cat(wire)
      Check.equal(await child.write("one;", "same"), "accepted", "the first status")
      Check.equal(await child.write("two;", "same"), "accepted", "the second status")
      await settle(child)
      Check.equal(child.text(), "one;<settled>", "the output of cat")
      const other = await cat(wire)
      await other.write("three;", "same")
      await other.says("three;")
    },
  },
  "4096-write-ids-remembered": {
    level: "should",
    spec: [115],
    says: "After 4200 writes the newest 4096 ids are remembered: w104 is not written again, w103 is.",
    play: async (wire) => {
      const child = await cat(wire)
      for (let from = 0; from < 4200; from += 100) {
        const batch = Array.from({ length: 100 }, (_, index) =>
          wire.begin("process/write", { processId: child.id, chunk: "", writeId: `w${from + index}` }),
        )
        await Promise.all(batch)
      }
      await child.write("known;", "w104")
      await child.write("forgotten;", "w103")
      await settle(child)
      Check.equal(child.text(), "forgotten;<settled>", "the output of cat")
    },
  },
  "process-that-does-not-read": {
    spec: [119],
    says: "A write to a process that has closed its stdin is accepted, and the server goes on.",
    run: async (t) => {
      const child = await Child.start(await t.open(), {
        script: "exec <&-; echo ready; sleep 0.3; exit 7",
        pipeStdin: true,
      })
      await child.says("ready")
      Check.equal(await child.write("x"), "accepted", "the status")
      Check.equal((await child.ended()).exitCode, 7, "the exit code")
    },
  },
  // guards: busy-child
  "blocks-when-nobody-reads": {
    spec: [122],
    says: `Fewer than 300 writes of 64 KiB to a process that does not read are accepted; the next one waits
      and is answered when the process ends.`,
    run: async (t) => {
      const [wire, other] = [await t.open(), await t.open()]
      const gate = await Gate.make(Gate.shell(other))
      const child = await Child.start(wire, { script: gate.wait, pipeStdin: true })
      const chunk = Buffer.alloc(65_536).toString("base64")
      const write = (index: number) =>
        wire.begin("process/write", { processId: child.id, chunk, writeId: `w${index}` })
      await write(0)
      let accepted = 1
      let last = write(1)
      // A server that is slow for a second seems to wait: that can hide a fault, and fails no server that is right.
      while (accepted < 300 && (await Promise.race([last, pause(1_000)])) !== undefined) {
        last = write(++accepted)
      }
      t.note(`accepted while nobody read: ${accepted} of 300`)
      Check.isTrue(accepted < 300, "300 writes were accepted while nobody read")
      await Gate.shell(other)(gate.open)
      await last
      await child.ended()
    },
  },
  "big-input-arrives": {
    spec: [113],
    says: "8 MiB in writes of 64 KiB reach a process that reads slowly, all and in order.",
    play: async (wire) => {
      const child = await Child.start(wire, { script: "sleep 0.3; head -c 8388608 | cksum", pipeStdin: true })
      const other = await Child.start(wire, { script: "cksum", pipeStdin: true })
      await other.terminate()
      const chunk = Buffer.alloc(65_536, "procwire").toString("base64")
      for (let index = 0; index < 128; index++) {
        const { result } = await wire.begin("process/write", {
          processId: child.id,
          chunk,
          writeId: `w${index}`,
        })
        Check.equal(Check.object(result, "the result")["status"], "accepted", `the status of write ${index}`)
      }
      await child.ended()
      Check.equal(child.text().trim().split(/\s+/)[1], "8388608", "bytes counted by the process")
    },
  },
  "tty-input": {
    spec: [135],
    requires: ["pty"],
    says: "A write to a tty is echoed and read; 0x04 is EOF.",
    run: async (t) => {
      const child = await Child.start(await t.open(), {
        tty: true,
        script: "read x; echo got $x; cat; exit 5",
      })
      Check.equal(await child.write("word\n"), "accepted", "the status")
      await child.says("word\r\ngot word\r\n")
      await child.write("\u0004")
      Check.equal((await child.ended()).exitCode, 5, "the exit code")
    },
  },
})

export const writeRefused = table("process/write", {
  "missing-field-is-named": {
    spec: [116],
    says: `A write without processId, chunk or writeId is refused with -32602 and a message that names the
      missing one.`,
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
    says: `A write to a process without tty and pipeStdin is answered with status stdinClosed, also after it
      has closed.`,
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
    says: `After a terminate a write is refused with -32603; one with a writeId that was accepted before is
      accepted.`,
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
    says: `A chunk that is not padded standard base64 is refused with -32602: characters outside the
      alphabet, no padding, the URL alphabet, a newline.`,
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
