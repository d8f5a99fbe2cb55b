import * as Either from "effect/Either"
import { describe, expect, it } from "vitest"
import { base, decode, start } from "./testing/Decoding.ts"

const policy = { inherit: "core", ignoreDefaultExcludes: true, exclude: [], set: {}, includeOnly: [] }
const without = (object: object, field: string) =>
  Object.fromEntries(Object.entries(object).filter(([name]) => name !== field))

describe("DecodeError", () => {
  it.each(Object.keys(base))("misses %s in process/start", (field) => {
    expect(decode("process/start", JSON.stringify(without(base, field)))).toEqual(
      Either.left(`missing field \`${field}\``),
    )
  })

  it.each(Object.keys(policy))("misses %s in an environment policy", (field) => {
    expect(decode("process/start", start({ envPolicy: without(policy, field) }))).toEqual(
      Either.left(`missing field \`${field}\` of \`envPolicy\``),
    )
  })

  it.each([
    ["initialize", "null", "invalid type: null, expected struct InitializeParams"],
    ["initialize", "{}", "missing field `clientName`"],
    ["initialize", '{"clientName":5}', "invalid type: number, expected a string (field `clientName`)"],
    ["process/start", "null", "invalid type: null, expected struct ExecParams"],
    ["process/start", start({ tty: null }), "invalid type: null, expected a boolean (field `tty`)"],
    [
      "process/start",
      start({ pipeStdin: null }),
      "invalid type: null, expected a boolean (field `pipeStdin`)",
    ],
    [
      "process/start",
      start({ enforceManagedNetwork: null }),
      "invalid type: null, expected a boolean (field `enforceManagedNetwork`)",
    ],
    ["process/start", start({ tty: "x" }), 'invalid type: string "x", expected a boolean (field `tty`)'],
    ["process/start", start({ argv: "x" }), 'invalid type: string "x", expected a sequence (field `argv`)'],
    ["process/start", start({ argv: ["a", 1] }), "invalid type: number, expected a string (field `argv.1`)"],
    ["process/start", start({ env: { A: 1 } }), "invalid type: number, expected a string (field `env.A`)"],
    ["process/start", start({ env: [] }), "invalid type: sequence, expected a map (field `env`)"],
    [
      "process/start",
      start({ managedNetwork: [] }),
      "invalid type: sequence, expected a map (field `managedNetwork`)",
    ],
    [
      "process/start",
      start({ envPolicy: { ...policy, inherit: "some" } }),
      "unknown variant `some`, expected one of `core`, `all`, `none` (field `envPolicy.inherit`)",
    ],
    ["process/start", start({ sandbox: {} }), "missing field `permissions` of `sandbox`"],
    [
      "process/start",
      start({ sandbox: { permissions: { type: "disabled" } } }),
      "missing field `windowsSandboxLevel` of `sandbox`",
    ],
    [
      "process/start",
      start({
        sandbox: { permissions: { type: "managed", network: "enabled" }, windowsSandboxLevel: "disabled" },
      }),
      "missing field `file_system` of `sandbox.permissions`",
    ],
    [
      "process/start",
      start({ sandbox: { permissions: { type: "no" }, windowsSandboxLevel: "disabled" } }),
      "unknown variant `no`, expected one of `managed`, `disabled`, `external` (field `sandbox.permissions.type`)",
    ],
    [
      "process/start",
      start({ metadata: { threadId: "x" } }),
      'invalid type: string "x", expected UUID (field `metadata.threadId`)',
    ],
    ["process/read", "null", "invalid type: null, expected struct ReadParams"],
    ["process/read", "{}", "missing field `processId`"],
    ["process/read", '{"processId":"x","afterSeq":-1}', "invalid number (field `afterSeq`)"],
    ["process/read", '{"processId":"x","afterSeq":1.5}', "invalid number (field `afterSeq`)"],
    ["process/read", '{"processId":"x","maxBytes":1.0}', "invalid number (field `maxBytes`)"],
    ["process/read", '{"processId":"x","waitMs":1e2}', "invalid number (field `waitMs`)"],
    [
      "process/read",
      '{"processId":"x","afterSeq":18446744073709551616}',
      "invalid number (field `afterSeq`)",
    ],
    [
      "process/read",
      '{"processId":"x","afterSeq":"1"}',
      'invalid type: string "1", expected u64 (field `afterSeq`)',
    ],
    [
      "process/write",
      '{"processId":"x","chunk":"!!","writeId":"w"}',
      "Invalid symbol 33, offset 0. (field `chunk`)",
    ],
    ["process/write", '{"processId":"x","writeId":"w"}', "missing field `chunk`"],
    [
      "process/write",
      '{"processId":"x","chunk":"","writeId":null}',
      "invalid type: null, expected a string (field `writeId`)",
    ],
    [
      "process/signal",
      '{"processId":"x","signal":"kill"}',
      "unknown variant `kill`, expected `interrupt` (field `signal`)",
    ],
    [
      "process/signal",
      '{"processId":"x","signal":"Interrupt"}',
      "unknown variant `Interrupt`, expected `interrupt` (field `signal`)",
    ],
    ["process/terminate", "[]", "invalid type: sequence, expected struct TerminateParams"],
    [
      "process/read result",
      '{"chunks":[],"nextSeq":1,"exited":true,"exitCode":1.5,"closed":false,"failure":null}',
      "invalid type: number, expected a number (field `exitCode`)",
    ],
  ])("says of %s %s: %s", (name, text, message) => {
    expect(decode(name, text)).toEqual(Either.left(message))
  })
})
