/**
 * Messages as lines, and lines that are no messages: blank ones, incomplete ones, and bytes that are not UTF-8.
 */
import { Check, idText, pause, table, type CaseContext } from "../Vocabulary.ts"
import { awaitExit } from "../wire/ServerProcess.ts"

/** A server on stdio ends with its only connection. */
const exits = async (t: CaseContext): Promise<void> => {
  if (t.transport !== "stdio") return
  Check.equal((await awaitExit(await t.process(), t.timeoutMs)).code, 0, "the exit code of the server")
}

const status = (id: number): string => `{"id":${id},"method":"environment/status"}`

const lines = { transports: "lines" } as const

export const framing = table("framing", lines, {
  "blank-lines-skipped": {
    spec: [29],
    says: "Empty lines and lines of only spaces or tabs are skipped without an answer.",
    play: async (wire) => {
      await wire.barrier()
      const from = wire.inbox.messages.length
      wire.sendBytes(Buffer.from("\n   \n\t\n\r\n"))
      await wire.barrier()
      Check.equal(wire.inbox.messages.length - from, 1, "messages after blank lines and one request")
    },
  },
  "carriage-return-tolerated": {
    level: "should",
    spec: [38],
    says: "A line that ends with CR LF is a normal request.",
    run: async (t) => {
      const { error } = await (await t.open()).exchange(`${status(5)}\r`)
      Check.isTrue(error === undefined, `the request was refused: ${error?.message}`)
    },
  },
  "split-and-joined-writes": {
    spec: [39],
    says: `A request that arrives in pieces, even split within a character, is answered, and so are two
      requests that arrive in one write.`,
    play: async (wire, t) => {
      const from = wire.inbox.messages.length
      const cut = Buffer.from('{"id":11,"method":"process/read","params":{"processId":"zwölf"}}\n')
      const inside = cut.indexOf(0xc3) + 1
      for (const part of [cut.subarray(0, 7), cut.subarray(7, inside), cut.subarray(inside)]) {
        wire.sendBytes(part)
        await pause(20)
      }
      wire.sendBytes(Buffer.from(`${status(12)}\n${status(13)}\n`))
      const got = await wire.inbox.wait("three answers", t.timeoutMs, ({ messages }) =>
        messages.length >= from + 3
          ? messages.slice(from).map(({ text }) => idText(text) ?? "none")
          : undefined,
      )
      for (const id of ["11", "12", "13"]) Check.isTrue(got.includes(id), `no answer with the id ${id}`)
      const cutAnswer = wire.inbox.messages.find(({ text }) => idText(text) === "11")
      const { message } = Check.object(
        Check.object(cutAnswer?.json, "the answer to the cut request")["error"],
        "its error",
      )
      Check.equal(message, "unknown process id zwölf", "the message of its error")
    },
  },
  "unterminated-last-line-discarded": {
    level: "should",
    spec: [40],
    server: "fresh",
    says: "A last line without a newline is neither executed nor answered; a server on stdio exits with 0.",
    run: async (t) => {
      const rounds = 6
      for (let round = 0; round < rounds; round++) {
        const wire = await t.open()
        await wire.barrier()
        const from = wire.inbox.messages.length
        wire.sendBytes(Buffer.from(status(99)))
        wire.channel.close()
        const end = await wire.inbox.wait("the end of the connection", t.timeoutMs, (inbox) => inbox.ended())
        Check.equal(
          wire.inbox.messages.length - from,
          0,
          `answers in round ${round + 1} of ${rounds} (${end})`,
        )
        await exits(t)
      }
    },
  },
  "invalid-utf8-ends-the-connection": {
    level: "should",
    spec: [9],
    server: "fresh",
    says: `A line that is not UTF-8 ends the connection without an answer; a server on stdio exits with 0
      although its input is still open.`,
    play: async (wire, t) => {
      await wire.barrier()
      const from = wire.inbox.messages.length
      wire.sendBytes(Uint8Array.of(0x7b, 0xff, 0x0a))
      await wire.inbox.wait("the end of the connection", t.timeoutMs, (inbox) => inbox.ended())
      await exits(t)
      Check.equal(wire.inbox.messages.length - from, 0, "answers to the bytes")
    },
  },
})
