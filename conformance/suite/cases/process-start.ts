/**
 * `process/start`: required, optional and unknown params, and which ids are free.
 */
import { table } from "../Case.ts"
import * as Check from "../Check.ts"
import * as Child from "../Child.ts"

export const start = table("process/start", {
  "missing-field-is-named": {
    spec: [75],
    says:
      "A start without processId, argv, cwd, env or tty is refused with -32602 and a message that names the " +
      "missing one.",
    play: async (wire) => {
      for (const field of ["processId", "argv", "cwd", "env", "tty"]) {
        const { [field]: _, ...rest } = Child.params(wire, {})
        Check.contains(
          await wire.refused("process/start", rest, -32602),
          field,
          `the message without ${field}`,
        )
      }
    },
  },
  "five-fields-are-enough": {
    spec: [76],
    says: 'A start with processId, argv, cwd, env and tty returns the processId and sandboxType "none".',
    play: async (wire) => {
      const result = await wire.ok("process/start", Child.params(wire, { id: "five" }))
      Check.equal(result["processId"], "five", "processId")
      Check.equal(result["sandboxType"], "none", "sandboxType")
    },
  },
  "null-booleans-refused": {
    spec: [87],
    says: "tty, pipeStdin or enforceManagedNetwork with the value null are refused with -32602.",
    play: async (wire) => {
      for (const field of ["tty", "pipeStdin", "enforceManagedNetwork"]) {
        await wire.refused("process/start", Child.params(wire, { params: { [field]: null } }), -32602)
      }
    },
  },
  "null-options-accepted": {
    spec: [88],
    says: "arg0, envPolicy, sandbox, managedNetwork, networkProxy, shellSnapshot and metadata may be null.",
    run: async (t) => {
      const nulls = [
        "arg0",
        "envPolicy",
        "sandbox",
        "managedNetwork",
        "networkProxy",
        "shellSnapshot",
        "metadata",
      ]
      const params = Object.fromEntries(nulls.map((name) => [name, null]))
      await (await Child.start(await t.open(), { params })).ended()
    },
  },
  "unknown-fields-ignored": {
    spec: [89],
    says: "Unknown fields of a start, such as outputBytesCap or size, are ignored.",
    run: async (t) => {
      const params = { outputBytesCap: 1, size: { rows: 1, cols: 1 }, zzz: null }
      await (await Child.start(await t.open(), { params })).ended()
    },
  },
  "wrong-types-refused": {
    says: "A start with a field of the wrong type is refused with -32602.",
    play: async (wire) => {
      const wrong = {
        processId: 1,
        argv: "ls",
        cwd: 5,
        env: [],
        tty: "no",
        pipeStdin: 1,
        arg0: 5,
        envPolicy: 5,
      }
      for (const [field, value] of Object.entries(wrong)) {
        await wire.refused("process/start", Child.params(wire, { params: { [field]: value } }), -32602)
      }
      await wire.refused("process/start", Child.params(wire, { params: { argv: ["ls", 1] } }), -32602)
      await wire.refused("process/start", Child.params(wire, { params: { env: { A: 1 } } }), -32602)
    },
  },
  "running-id-refused": {
    spec: [90],
    says:
      "A start with the id of a running process is refused with -32600 and the text process ID already " +
      "exists; the running process goes on.",
    play: async (wire) => {
      const child = await Child.start(wire, { id: "dup", script: "read x; exit 9", pipeStdin: true })
      await wire.refused(
        "process/start",
        Child.params(wire, { id: "dup" }),
        -32600,
        "process dup already exists",
      )
      await child.write("go\n")
      Check.equal((await child.ended()).exitCode, 9, "the exit code of the first process")
    },
  },
  "retained-id-refused": {
    spec: [91],
    says:
      "A start with the id of a process that has just closed is refused like one with the id of a running " +
      "process.",
    play: async (wire) => {
      await (await Child.start(wire, { id: "dup" })).ended()
      await wire.refused(
        "process/start",
        Child.params(wire, { id: "dup" }),
        -32600,
        "process dup already exists",
      )
    },
  },
  "any-text-is-an-id": {
    spec: [92],
    says:
      "An id may be any string and comes back unchanged: with quotes, newlines or characters outside ASCII, " +
      "empty, or 5000 characters long.",
    play: async (wire) => {
      for (const id of [
        'a"b\\c',
        "line\nbreak\t",
        "zwölf-\u{1F600}",
        "",
        "x".repeat(5000),
        "__proto__",
        "constructor",
      ]) {
        const child = await Child.start(wire, { id })
        Check.equal((await child.ended()).closedSeq, 2, `the last seq of ${JSON.stringify(id.slice(0, 20))}`)
        await wire.refused(
          "process/start",
          Child.params(wire, { id }),
          -32600,
          `process ${id} already exists`,
        )
      }
    },
  },
  "racing-starts-one-wins": {
    spec: [164],
    says:
      "Of two starts with the same id that are sent without waiting, exactly one succeeds and the other is " +
      "refused with -32600.",
    play: async (wire) => {
      for (let round = 0; round < 10; round++) {
        const params = Child.params(wire, { id: `race-${round}` })
        const replies = await Promise.all([
          wire.begin("process/start", params),
          wire.begin("process/start", params),
        ])
        const codes = replies.map(({ error }) => error?.code ?? 0).sort((a, b) => a - b)
        Check.equal(codes, [-32600, 0], `the codes of round ${round + 1}`)
        Check.equal((await Child.attach(wire, `race-${round}`).ended()).closedSeq, 2, "the last seq")
      }
    },
  },
  "pid-is-not-revealed": {
    level: "peer",
    spec: [76],
    says: "The result of a start has the members processId and sandboxType and no others.",
    play: async (wire) => {
      const result = await wire.ok("process/start", Child.params(wire, {}))
      Check.equal(Object.keys(result).sort(), ["processId", "sandboxType"], "the members of the result")
    },
  },
})
