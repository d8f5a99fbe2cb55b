/**
 * How large and how deep a message may be: what must be accepted, and what must be refused.
 */
import { table } from "../Case.ts"
import * as Check from "../Check.ts"
import type { CaseContext } from "../CaseContext.ts"

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
    says:
      "Messages with 200 and with 100,000 levels are refused as malformed (id -1, -32600), and the " +
      "connection stays usable.",
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
    play: async (wire) => {
      await wire.barrier()
      const from = wire.inbox.messages.length
      wire.sendText(padded(1, 64 * mebibyte + 1000))
      await wire.endsSilently(from)
    },
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
    play: async (wire) => {
      await wire.barrier()
      const from = wire.inbox.messages.length
      wire.sendText(padded(1, 16 * mebibyte + 1000))
      await wire.endsSilently(from)
    },
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
