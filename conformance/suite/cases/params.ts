/**
 * The forms of params: what passes for an object, a word or a list of fields, the same in every method.
 */
import { Check, Child, isObject, table, type Json, type JsonObject, type Wire } from "../Vocabulary.ts"

/** Numbers that some parser makes an object of, as JSON. */
const numbers = ["1.5", "1.0", "1e3", "-0.5", "123456789012345678901234567890", "1"]

/** The params of a start as JSON, one of them as it is given. */
const startText = (wire: Wire, id: string, field: string, json: string): string => {
  const params = JSON.stringify({ ...Child.params(wire, { id, script: ":" }), [field]: null })
  return params.replace(`"${field}":null`, `"${field}":${json}`)
}

const policy = ["all", true, [], { ADDED: "by-policy" }, []]

/** Starts a process with other params, and expects it to run. */
const runs = async (wire: Wire, params: JsonObject, script = ":"): Promise<string> => {
  const child = await Child.start(wire, { script, params })
  Check.equal((await child.ended()).exitCode, 0, `the exit code with ${Check.show(params)}`)
  return child.text()
}

export const params = table("params", {
  "number-is-no-object": {
    says: `A number, also one with a fraction or an exponent, is refused with -32602 where process/start has
      an object: env, envPolicy, metadata, managedNetwork, networkProxy, shellSnapshot, sandbox. Nothing is
      started.`,
    play: async (wire) => {
      let id = 0
      for (const field of ["env", "envPolicy", "metadata", "managedNetwork", "networkProxy", "sandbox"]) {
        for (const number of numbers) {
          id += 1
          const text = startText(wire, `p${id}`, field, number)
          const { error } = await wire.exchange(`{"id":${id},"method":"process/start","params":${text}}`)
          Check.equal(error?.code, -32602, `the code for "${field}":${number}`)
        }
      }
    },
  },
  "number-is-no-params": {
    says: "Params that are a number, also one with a fraction or an exponent, are refused with -32602.",
    play: async (wire) => {
      for (const method of ["process/start", "process/read", "process/write", "process/terminate"]) {
        for (const number of numbers) {
          const { error } = await wire.exchange(`{"id":1,"method":"${method}","params":${number}}`)
          Check.equal(error?.code, -32602, `the code of ${method} for ${number}`)
        }
      }
    },
  },
  "word-as-an-object": {
    level: "should",
    says: `A word of a choice may be an object with that member alone, which is null: signal {"interrupt":
      null}, inherit {"all": null}. With another value, another word or a second member it is refused with
      -32602.`,
    play: async (wire) => {
      await wire.ok("process/signal", { processId: "none", signal: { interrupt: null } }, {})
      const words: ReadonlyArray<Json> = [{ interrupt: 5 }, { zzz: null }, { interrupt: null, zzz: null }, {}]
      for (const signal of words) await wire.refused("process/signal", { processId: "none", signal }, -32602)
      await runs(wire, {
        envPolicy: {
          inherit: { all: null },
          ignoreDefaultExcludes: true,
          exclude: [],
          set: {},
          includeOnly: [],
        },
      })
    },
  },
  "fields-in-an-array": {
    level: "should",
    says: `An object of params may be an array of its fields in their order: metadata [], envPolicy
      [inherit, …, includeOnly]. One that is too short or too long is refused with -32602.`,
    play: async (wire) => {
      await runs(wire, { metadata: [] })
      await runs(wire, { metadata: [null, "call"] })
      await runs(wire, { managedNetwork: [] })
      Check.equal(await runs(wire, { envPolicy: policy }, "echo $ADDED"), "by-policy\n", "the output")
      const wrong: ReadonlyArray<JsonObject> = [
        { metadata: [null, null, null] },
        { envPolicy: policy.slice(1) },
        { envPolicy: [...policy, null] },
      ]
      for (const params of wrong) await wire.refused("process/start", Child.params(wire, { params }), -32602)
    },
  },
  "start-in-an-array": {
    level: "should",
    spec: [37],
    says: "process/start takes its 14 fields as an array; the second is metadata, the sixth shellSnapshot.",
    play: async (wire) => {
      const { processId, argv, cwd, env } = Child.params(wire, { id: "p", script: "echo ran" })
      const fields = [
        processId,
        null,
        argv,
        cwd,
        null,
        null,
        env,
        false,
        false,
        null,
        null,
        false,
        null,
        null,
      ]
      await wire.ok("process/start", fields as ReadonlyArray<Json>)
      const child = Child.attach(wire, "p")
      await child.ended()
      Check.equal(child.text(), "ran\n", "the output")
    },
  },
  "initialize-in-an-array": {
    level: "should",
    spec: [37],
    says: 'initialize takes its fields as an array, which may end after the first: ["x"].',
    run: async (t) => {
      const wire = await t.connect()
      await wire.refused("initialize", ["x", null, null], -32602)
      Check.text((await wire.ok("initialize", ["x"]))["sessionId"], "sessionId")
    },
  },
  "profile-in-an-array": {
    level: "should",
    spec: [179],
    says: `A tagged object may be an array of its tag and its fields: permissions ["disabled"] and
      ["external", "enabled"]. One element too many is refused with -32602.`,
    play: async (wire) => {
      const sandbox = (permissions: Json): JsonObject => ({
        sandbox: { permissions, windowsSandboxLevel: "disabled" },
      })
      for (const permissions of [
        ["disabled"],
        ["external", "enabled"],
        ["managed", ["unrestricted"], "enabled"],
      ])
        await runs(wire, sandbox(permissions))
      for (const permissions of [["disabled", 1], ["external"], [], ["zzz"], 1]) {
        const params = Child.params(wire, { params: sandbox(permissions) })
        await wire.refused("process/start", params, -32602)
      }
    },
  },
  "forms-of-a-uuid": {
    level: "should",
    says: "A UUID may be without hyphens, in braces, or have the prefix urn:uuid:; another text is refused with -32602.",
    play: async (wire) => {
      const uuid = "67e55044-10b1-426f-9247-bb680e5fe0c8"
      for (const threadId of [uuid, uuid.replaceAll("-", ""), `{${uuid}}`, `urn:uuid:${uuid}`])
        await runs(wire, { metadata: { threadId } })
      for (const threadId of ["", uuid.slice(1), `${uuid}0`, uuid.replace("6", "g")]) {
        const params = Child.params(wire, { params: { metadata: { threadId } } })
        await wire.refused("process/start", params, -32602)
      }
    },
  },
  "trace-is-decoded": {
    level: "should",
    spec: [36],
    says: `A trace may be an object or an array of traceparent and tracestate, each a text or null; another
      one is answered with -32600 and id -1.`,
    play: async (wire) => {
      const text = (trace: Json) => `{"id":1,"method":"environment/status","trace":${JSON.stringify(trace)}}`
      for (const trace of [{}, [], [null], ["x", null], { traceparent: null }, { zzz: 5 }]) {
        const { result } = await wire.exchange(text(trace))
        Check.equal(result, { status: "ready" }, `the result with the trace ${Check.show(trace)}`)
      }
      for (const trace of [{ traceparent: 5 }, { tracestate: [] }, [5], [null, null, null], "x", 5]) {
        const { error, message } = await wire.exchange(text(trace))
        Check.equal(
          isObject(message.json) ? message.json["id"] : null,
          -1,
          `the id of the answer to the trace ${Check.show(trace)}`,
        )
        Check.equal(error?.code, -32600, "the code")
      }
    },
  },
  "first-fault-is-told": {
    level: "should",
    says: "Of several faults the text names the first in the order of the members, before a member that is missing.",
    play: async (wire) => {
      const faults: ReadonlyArray<readonly [Json, string]> = [
        [{ writeId: 5, chunk: true }, "invalid type: number, expected a string"],
        [{ chunk: true, writeId: 5 }, "invalid type: boolean `true`, expected a string"],
        [{ chunk: "!!" }, "Invalid symbol 33, offset 0."],
        [["p", "!!", 5], "Invalid symbol 33, offset 0."],
      ]
      for (const [params, text] of faults)
        Check.contains(await wire.refused("process/write", params, -32602), text, "the text")
    },
  },
  "texts-of-the-peer": {
    level: "peer",
    says: "What is wrong with the form of params is told in the words of Codex.",
    play: async (wire) => {
      const signals: ReadonlyArray<readonly [Json, string]> = [
        [{ kill: null }, "unknown variant `kill`, expected `interrupt`"],
        [{ interrupt: 5 }, "invalid type: number, expected unit"],
        [{}, "invalid value: map, expected map with a single key"],
        [null, "invalid type: null, expected string or map"],
      ]
      for (const [signal, text] of signals) {
        const refusal = await wire.refused("process/signal", { processId: "p", signal }, -32602)
        Check.contains(refusal, text, "the text")
      }
      const starts: ReadonlyArray<readonly [JsonObject, string]> = [
        [{ metadata: 5 }, "invalid type: number, expected struct ExecMetadata"],
        [{ envPolicy: [] }, "invalid length 0, expected struct ExecEnvPolicy with 5 elements"],
        [{ metadata: [null, null, 1] }, "invalid length 3, expected fewer elements in array"],
        [{ metadata: { threadId: "" } }, "invalid length: expected length 32 for simple format, found 0"],
      ]
      for (const [params, text] of starts) {
        const refusal = await wire.refused("process/start", Child.params(wire, { params }), -32602)
        Check.contains(refusal, text, "the text")
      }
    },
  },
})
