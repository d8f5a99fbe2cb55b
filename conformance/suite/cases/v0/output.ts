/** v0: `command/exec/outputDelta`. */
import { Check, isObject } from "../../Vocabulary.ts"
import { start, table } from "./process.ts"

export const output = table("output", {
  "streams-and-exit-code": {
    says: "Output arrives on stdout and stderr, then exited with processId and exitCode and no other member.",
    run: async (t) => {
      const child = await start(await t.connect(), { script: "echo out; echo err >&2; exit 3" })
      Check.equal(await child.exited(), 3, "the exit code")
      Check.equal(child.text("stdout"), "out\n", "stdout")
      Check.equal(child.text("stderr"), "err\n", "stderr")
      // Other notifications of it would arrive before those of another process that runs to its end.
      await (await start(child.wire, { script: "echo; exit 3" })).exited()
      await (await start(child.wire, { script: "echo; exit 3" })).exited()
      const methods = child.wire.inbox.messages.map(({ json }) =>
        isObject(json) ? json["method"] : undefined,
      )
      const known = ["command/exec/outputDelta", "command/exec/exited", undefined]
      Check.isTrue(
        methods.every((method) => known.includes(method as string | undefined)),
        `other notifications arrived: ${Check.show(methods.filter((method) => method !== undefined))}`,
      )
      const exited = child.wire.inbox.messages.find(
        ({ json }) => isObject(json) && json["method"] === "command/exec/exited",
      )?.json
      Check.equal(
        isObject(exited) ? exited["params"] : undefined,
        { processId: child.id, exitCode: 3 },
        "the params of command/exec/exited",
      )
    },
  },
  "bytes-are-exact": {
    says: "Every byte of the output arrives as it was written, even if it is not UTF-8.",
    run: async (t) => {
      const child = await start(await t.connect(), { script: "printf '\\000\\377\\303\\n\\r\\033x'" })
      await child.exited()
      Check.equal(child.bytes().toString("hex"), "00ffc30a0d1b78", "the output")
    },
  },
  "terminal-is-stdout": {
    requires: ["pty"],
    says: "With tty the program has a terminal, and its output arrives on stdout.",
    run: async (t) => {
      const child = await start(await t.connect(), {
        tty: true,
        script: "test -t 1 && echo yes; echo err >&2",
      })
      await child.exited()
      Check.equal(child.text(), "yes\r\nerr\r\n", "the output")
      Check.isTrue(
        child.streams().every((stream) => stream === "stdout"),
        "another stream than stdout was named",
      )
    },
  },
  "cap-cuts-nothing": {
    says: `outputBytesCap limits what the server keeps, not what it sends: with 0, 10 and none, all of
      300,000 bytes arrive.`,
    run: async (t) => {
      const wire = await t.connect()
      for (const cap of [0, 10, undefined]) {
        const child = await start(wire, {
          script: "head -c 300000 /dev/zero",
          params: cap === undefined ? {} : { outputBytesCap: cap },
        })
        await child.exited()
        await child.has(300_000)
        Check.equal(child.bytes().length, 300_000, "the bytes that came")
      }
    },
  },
  "answer-comes-first": {
    level: "should",
    says: "The answer to command/exec precedes every notification of its process (20 rounds).",
    run: async (t) => {
      const wire = await t.connect()
      for (let round = 0; round < 20; round++) {
        const from = wire.inbox.messages.length
        const child = await start(wire, { script: "echo x" })
        await child.exited()
        const first = wire.inbox.messages[from]?.json
        Check.isTrue(
          isObject(first) && first["method"] === undefined,
          `this came first: ${Check.show(first)}`,
        )
      }
    },
  },
  "exit-comes-last": {
    level: "should",
    says: "The output of the program itself arrives before its exited (20 rounds).",
    run: async (t) => {
      const wire = await t.connect()
      for (let round = 0; round < 20; round++) {
        const child = await start(wire, { script: "echo out; echo err >&2" })
        await child.exited()
        Check.equal(
          [child.text("stdout"), child.text("stderr")],
          ["out\n", "err\n"],
          "the output at the exit",
        )
      }
    },
  },
})
