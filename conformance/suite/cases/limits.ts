/**
 * The size and the depth of messages: what must be accepted, and what must be refused. Limits that flags of
 * procwire set: what exceeds one is refused in a text that names it, and the rest goes on.
 */
import { Check, Child, pause, table, type CaseContext, type CaseSpec, type Wire } from "../Vocabulary.ts"
import type { Reply } from "../wire/Reply.ts"
import { awaitExit } from "../wire/ServerProcess.ts"

const mebibyte = 1024 * 1024

/** A request of exactly this many bytes. */
const padded = (id: number, bytes: number): string => {
  const head = `{"id":${id},"method":"environment/status","pad":"`
  return `${head}${"x".repeat(bytes - head.length - 2)}"}`
}

const nested = (levels: number): string =>
  `{"id":1,"method":"environment/status","pad":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`

const numbers = (count: number): string =>
  `{"id":1,"method":"environment/status","pad":[${"0,".repeat(count - 1)}0]}`

const accepted = async (t: CaseContext, text: string): Promise<void> => {
  const { error } = await (await t.open()).exchange(text)
  Check.isTrue(error === undefined, `the message was refused: ${error?.message}`)
}

const refused = async (t: CaseContext, text: string): Promise<void> => {
  const wire = await t.open()
  const { error } = await wire.exchange(text)
  Check.equal(error?.code, -32600, "the code of the answer")
  await wire.barrier()
}

/** A message of a little more than so many bytes ends the connection without an answer. */
const endsOver = async (wire: Wire, bytes: number): Promise<void> => {
  await wire.barrier()
  const from = wire.inbox.messages.length
  wire.sendText(padded(1, bytes + 1000))
  await wire.endsSilently(from)
}

export const limits = table("limits", {
  "depth-within-limit": {
    spec: [41],
    says: "A message with 120 levels of arrays is answered.",
    run: (t) => accepted(t, nested(120)),
  },
  "depth-at-limit": {
    level: "should",
    spec: [41],
    says: "A message with 127 levels is answered, one with 128 is refused as malformed.",
    run: async (t) => {
      await accepted(t, nested(127))
      await refused(t, nested(128))
    },
  },
  // guards: malformed-messages
  "depth-beyond-limit-refused": {
    level: "should",
    spec: [41],
    says: `Messages with 200 and with 100,000 levels are refused as malformed (id -1, -32600), and the
      connection stays usable.`,
    run: async (t) => {
      await refused(t, nested(200))
      await refused(t, nested(100_000))
    },
  },
  "many-values-accepted": {
    spec: [42],
    says: "A message with 262,000 numbers is answered.",
    run: (t) => accepted(t, numbers(262_000)),
  },
  // guards: malformed-messages
  "too-many-values-refused": {
    level: "should",
    spec: [42],
    says: "A message with 262,144 numbers is refused as malformed (id -1, -32600), and the connection stays usable.",
    run: (t) => refused(t, numbers(262_144)),
  },
  "megabyte-message-accepted": {
    says: "A message of one mebibyte is answered.",
    run: (t) => accepted(t, padded(1, mebibyte)),
  },
  "line-just-under-64-mib": {
    level: "should",
    spec: [43],
    transports: "lines",
    says: "A line of 64 MiB less 100 bytes is answered.",
    run: (t) => accepted(t, padded(1, 64 * mebibyte - 100)),
  },
  // guards: malformed-messages
  "line-over-64-mib-ends-the-connection": {
    level: "should",
    spec: [43],
    transports: "lines",
    says: "A line of a little over 64 MiB ends the connection without an answer.",
    play: (wire) => endsOver(wire, 64 * mebibyte),
  },
  "frame-just-under-16-mib": {
    spec: [44],
    transports: "ws",
    says: "A frame of 16 MiB less 100 bytes is answered.",
    run: (t) => accepted(t, padded(1, 16 * mebibyte - 100)),
  },
  // guards: malformed-messages
  "frame-over-16-mib-ends-the-connection": {
    level: "should",
    spec: [44],
    transports: "ws",
    says: "A frame of a little over 16 MiB ends the connection without an answer.",
    play: (wire) => endsOver(wire, 16 * mebibyte),
  },
  "fragmented-message-accepted": {
    spec: [45],
    transports: "ws",
    says: "A message of 24 MiB in three fragments is answered.",
    play: async (wire, t) => {
      const text = padded(77, 24 * mebibyte)
      const third = 8 * mebibyte
      const from = wire.inbox.messages.length
      wire.channel.sendFragment(text.slice(0, third), false)
      wire.channel.sendFragment(text.slice(third, 2 * third), false)
      wire.channel.sendFragment(text.slice(2 * third), true)
      await wire.inbox.wait("the answer to the fragmented request", t.timeoutMs, ({ messages }) =>
        messages.length > from + 1 || messages.slice(from).some(({ text: got }) => got.includes('"id":77'))
          ? true
          : undefined,
      )
    },
  },
})

/** A case for a server that is started with these limits, in pairs of flag and value. */
const limited = (flags: string, spec: CaseSpec): CaseSpec => ({
  requires: ["limit-flags"],
  args: flags.split(" "),
  ...spec,
})

/** Fails unless the error is about a limit and names the flag and the value. */
const isRefusal = ({ error }: Reply, flag: string, value: number): void => {
  Check.equal(error?.code, -32600, "the code of the answer")
  const named = error?.message.includes(`limit is ${value}`) === true && error.message.includes(`(--${flag})`)
  Check.isTrue(named, `the text has to name --${flag} and ${value}: ${error?.message}`)
}

const begin = (
  wire: Wire,
  processId: string,
  argv: ReadonlyArray<string>,
  more: object = {},
): Promise<Reply> => {
  const params = { processId, argv: [...argv], cwd: "file:///tmp", env: wire.childEnv, tty: false }
  return wire.begin("process/start", { ...params, ...more })
}

const sleep = ["sleep", "300"]

const isAccepted = ({ error }: Reply): boolean => error === undefined

const endsOf = (t: CaseContext, wire: Wire) =>
  wire.inbox.wait("the end of the connection", t.timeoutMs, (box) => box.ended())

export const limitFlags = table("limits/flags", {
  // guards: growth
  "processes-of-a-session": limited("--max-session-processes 2", {
    says: `With --max-session-processes 2 a third process is refused with -32600; once one is closed, it
      starts under the same id.`,
    play: async (wire) => {
      const first = await Child.start(wire, { argv: sleep })
      await Child.start(wire, { argv: sleep })
      isRefusal(await begin(wire, "third", sleep), "max-session-processes", 2)
      await first.terminate()
      await first.ended()
      Check.isTrue(isAccepted(await begin(wire, "third", sleep)), "a place was free again")
    },
  }),
  "processes-of-all-sessions": limited("--max-processes 1", {
    transports: "sockets",
    says: "With --max-processes 1 a process of another session is refused with -32600 until the first one is closed.",
    run: async (t) => {
      const [one, other] = [await t.open(), await t.open()]
      const child = await Child.start(one, { argv: sleep })
      isRefusal(await begin(other, "p", sleep), "max-processes", 1)
      await child.terminate()
      await child.ended()
      Check.isTrue(isAccepted(await begin(other, "p", sleep)), "a place was free again")
    },
  }),
  "start-rate": limited("--max-starts-per-second 1 --max-start-burst 3", {
    says: `With a burst of 3 and 1 start per second at least 3 of 20 starts at once succeed, some are
      refused with -32600, and a later start succeeds.`,
    play: async (wire) => {
      const replies = await Promise.all(
        Array.from({ length: 20 }, (_, index) => begin(wire, `p${index}`, ["true"])),
      )
      const refused = replies.filter((reply) => !isAccepted(reply))
      Check.isTrue(replies.length - refused.length >= 3, "the burst was let through")
      Check.isTrue(refused.length > 0, "what came too fast was refused")
      for (const reply of refused) isRefusal(reply, "max-starts-per-second", 1)
      await pause(1100)
      Check.isTrue(isAccepted(await begin(wire, "late", ["true"])), "a second later one may start")
    },
  }),
  sessions: limited("--max-sessions 1", {
    transports: "sockets",
    says: `With --max-sessions 1 the initialize of a second connection is refused with -32600; that
      connection stays open and may try again.`,
    run: async (t) => {
      await t.open()
      const wire = await t.connect()
      for (let round = 0; round < 2; round++) {
        isRefusal(await wire.begin("initialize", { clientName: "x" }), "max-sessions", 1)
      }
    },
  }),
  connections: limited("--max-connections 1", {
    transports: "sockets",
    says: `With --max-connections 1 a second connection is closed, over lines after an error with id -1; the
      first stays usable.`,
    play: async (wire, t) => {
      const second = await t.connect().catch(() => undefined)
      Check.isTrue(t.transport !== "ws" || second === undefined, "the upgrade was refused")
      if (second !== undefined) {
        await endsOf(t, second)
        const said = second.inbox.messages.map(({ text }) => text)
        Check.equal(said.length, 1, "the messages before the end")
        isRefusal(JSON.parse(said[0] ?? "{}") as Reply, "max-connections", 1)
      }
      await wire.barrier()
    },
  }),
  "message-bytes": limited("--max-message-bytes 4096", {
    says: `With --max-message-bytes 4096 a message of 4,096 bytes is answered, and one of 4,097 bytes ends
      the connection without an answer.`,
    play: async (wire) => {
      const head = `{"id":1,"method":"environment/status","pad":"`
      const padded = (bytes: number) => `${head}${"x".repeat(bytes - head.length - 2)}"}`
      Check.isTrue(isAccepted(await wire.exchange(padded(4096))), "4,096 bytes are answered")
      const from = wire.inbox.messages.length
      wire.sendText(padded(4097))
      await wire.endsSilently(from)
    },
  }),
  "depth-and-values": limited("--max-json-depth 16 --max-json-values 100", {
    says: `With --max-json-depth 16 and --max-json-values 100 a message that is deeper or has that many
      values is refused as malformed, and the connection stays usable.`,
    play: async (wire) => {
      const message = (pad: string) => `{"id":1,"method":"environment/status","pad":${pad}}`
      const nested = (levels: number) => message(`${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}`)
      const numbers = (count: number) => message(`[${Array(count).fill(0).join(",")}]`)
      for (const text of [nested(16), numbers(90)]) {
        Check.isTrue(isAccepted(await wire.exchange(text)), "what is within the limits is answered")
      }
      for (const text of [nested(17), numbers(97)]) {
        Check.equal((await wire.exchange(text)).error?.code, -32600, "the code of the answer")
      }
      await wire.barrier()
    },
  }),
  // guards: growth, busy-child
  "bytes-that-wait-for-stdin": limited("--max-stdin-bytes 100000", {
    says: `With --max-stdin-bytes 100000 writes to a process that does not read are refused with -32600
      before 4 MiB were accepted; writes to another process are accepted.`,
    play: async (wire) => {
      const deaf = await Child.start(wire, { argv: sleep, pipeStdin: true })
      const chunk = Buffer.alloc(60_000).toString("base64")
      const write = (writeId: number) =>
        wire.begin("process/write", { processId: deaf.id, chunk, writeId: `w${writeId}` })
      let reply: Reply = await write(0)
      for (let count = 1; count < 70 && isAccepted(reply); count++) reply = await write(count)
      isRefusal(reply, "max-stdin-bytes", 100_000)
      const cat = await Child.start(wire, { argv: ["cat"], pipeStdin: true })
      await cat.write("hello\n")
      await cat.says("hello\n")
    },
  }),
  // guards: growth
  "output-of-all-processes": limited("--max-retained-bytes 200000", {
    says: `With --max-retained-bytes 200000 and four closed processes of 100,000 bytes each, the first has
      lost its output and kept its exit code, and the last has all of its output.`,
    play: async (wire) => {
      const script = "head -c 100000 /dev/zero; exit 3"
      const children = []
      for (let count = 0; count < 4; count++) {
        const child = await Child.run(wire, { script })
        children.push(child)
      }
      const [first, , , last] = await Promise.all(children.map((child) => child.read()))
      Check.equal(first?.["chunks"], [], "the chunks of the first")
      Check.equal(first?.["exitCode"], 3, "the exit code of the first")
      const chunks = (last?.["chunks"] ?? []) as ReadonlyArray<{ readonly chunk: string }>
      const bytes = chunks.reduce((sum, { chunk }) => sum + Buffer.from(chunk, "base64").length, 0)
      Check.equal(bytes, 100_000, "the bytes of the last")
    },
  }),
  "zero-refused": limited("--max-sessions 1", {
    says: "A limit that is 0 or not an integer is a usage error: the server exits with 2.",
    run: async (t) => {
      for (const value of ["0", "-1", "1.5", "many"]) {
        const server = t.launch(["--max-processes", value])
        Check.equal((await awaitExit(server, t.timeoutMs)).code, 2, `the exit code with ${value}`)
      }
    },
  }),
})
