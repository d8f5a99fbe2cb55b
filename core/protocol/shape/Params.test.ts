import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { base, decode, start } from "../testing/Decoding.ts"

const policy = { inherit: "core", ignoreDefaultExcludes: true, exclude: [], set: {}, includeOnly: [] }
const without = (object: object, field: string) =>
  Object.fromEntries(Object.entries(object).filter(([name]) => name !== field))

describe("Params", () => {
  it.each(Object.keys(base))("misses %s in process/start", (field) => {
    expect(decode("process/start", JSON.stringify(without(base, field)))).toEqual(
      Result.fail(`missing field \`${field}\``),
    )
  })

  it.each(Object.keys(policy))("misses %s in an environment policy", (field) => {
    expect(decode("process/start", start({ envPolicy: without(policy, field) }))).toEqual(
      Result.fail(`missing field \`${field}\` of \`envPolicy\``),
    )
  })

  it.each([
    ["initialize", "null", "invalid type: null, expected struct InitializeParams"],
    ["initialize", "{}", "missing field `clientName`"],
    ["initialize", '{"clientName":5}', "invalid type: number, expected a string (field `clientName`)"],
    ["process/start", "null", "invalid type: null, expected struct WireExecParams"],
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
      start({ managedNetwork: 5 }),
      "invalid type: number, expected struct ManagedNetworkSandboxContext (field `managedNetwork`)",
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
      "invalid character: expected an optional prefix of `urn:uuid:` followed by [0-9a-fA-F-], found `x` at 1 " +
        "(field `metadata.threadId`)",
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
    ["process/terminate", "[]", "invalid length 0, expected struct TerminateParams with 1 element"],
    [
      "process/read result",
      '{"chunks":[],"nextSeq":1,"exited":true,"exitCode":1.5,"closed":false,"failure":null}',
      "invalid type: number, expected a number (field `exitCode`)",
    ],
  ])("says of %s %s: %s", (name, text, message) => {
    expect(decode(name, text)).toEqual(Result.fail(message))
  })

  const uuid = "67e55044-10b1-426f-9247-bb680e5fe0c8"
  const sandbox = (permissions: unknown, more = {}) =>
    start({ sandbox: { permissions, windowsSandboxLevel: "disabled", ...more } })
  const entries = (...list: ReadonlyArray<unknown>) =>
    sandbox({ type: "managed", network: "enabled", file_system: { type: "restricted", entries: list } })
  const root = { type: "special", value: { kind: "root" } }

  it.each([
    [
      "process/signal",
      '{"processId":"p","signal":{"interrupt":null}}',
      '{"processId":"p","signal":"interrupt"}',
    ],
    ["process/signal", '["p",{"hangup":null}]', '{"processId":"p","signal":"hangup"}'],
    ["initialize", '["x"]', '{"clientName":"x"}'],
    ["process/read", '["p",1,null,2]', '{"processId":"p","afterSeq":1,"maxBytes":null,"waitMs":2}'],
    ["process/start", start({ metadata: [] }), start({ metadata: {} })],
    ["process/start", start({ metadata: [uuid] }), start({ metadata: { threadId: uuid } })],
    [
      "process/start",
      start({ envPolicy: [{ all: null }, true, [], { A: "b" }, ["*"]] }),
      start({ envPolicy: { ...policy, inherit: "all", set: { A: "b" }, includeOnly: ["*"] } }),
    ],
    ["process/start", sandbox(["disabled"]), sandbox({ type: "disabled" })],
    ["process/start", sandbox(["external", "enabled"]), sandbox({ type: "external", network: "enabled" })],
    ["process/start", entries([root, { read: null }]), entries({ path: root, access: "read" })],
    ["process/start", entries([["special", [0]], "read"]), entries({ path: root, access: "read" })],
    ["process/start", entries([root, { read: {} }]), entries({ path: root, access: "read" })],
    ["http/request", '["GET","u",[["n","v",null]],null,null,"stop","r"]', ""],
  ])("takes of %s %s for %s", (name, text, same) => {
    const decoded = decode(name, text)
    expect(decoded).toHaveProperty("_tag", "Success")
    if (same !== "") expect(decoded).toEqual(decode(name, same))
  })

  it.each([
    "env",
    "envPolicy",
    "metadata",
    "managedNetwork",
    "networkProxy",
    "shellSnapshot",
    "sandbox",
    "terminalSize",
  ])("takes no number for the object %s", (field) => {
    for (const number of ["1", "1.5", "1.0", "1e3", "123456789012345678901234567890"]) {
      const text = JSON.stringify({ ...base, [field]: "NUMBER" }).replace('"NUMBER"', number)
      expect(decode("process/start", text)).toMatchObject({
        failure: expect.stringMatching(/^invalid type: number/),
      })
    }
  })

  it.each([
    [
      "process/signal",
      '{"processId":"p","signal":{"kill":null}}',
      "unknown variant `kill`, expected `interrupt` (field `signal`)",
    ],
    [
      "process/signal",
      '{"processId":"p","signal":{"interrupt":5}}',
      "invalid type: number, expected unit (field `signal`)",
    ],
    [
      "process/signal",
      '{"processId":"p","signal":{}}',
      "invalid value: map, expected map with a single key (field `signal`)",
    ],
    ["process/signal", '["p"]', "invalid length 1, expected struct SignalParams with 2 elements"],
    ["process/signal", '["p","interrupt",1]', "invalid length 3, expected fewer elements in array"],
    ["process/write", '{"chunk":"!!"}', "Invalid symbol 33, offset 0. (field `chunk`)"],
    [
      "process/write",
      '{"writeId":5,"chunk":true}',
      "invalid type: number, expected a string (field `writeId`)",
    ],
    [
      "process/start",
      sandbox(null),
      "invalid type: null, expected internally tagged enum ExecPermissionProfile (field `sandbox.permissions`)",
    ],
    [
      "process/start",
      sandbox({ type: 1 }),
      "invalid type: number, expected variant identifier (field `sandbox.permissions.type`)",
    ],
    [
      "process/start",
      sandbox(["external"]),
      "invalid length 0, expected struct variant ExecPermissionProfile::External with 1 element (field `sandbox.permissions`)",
    ],
    [
      "process/start",
      sandbox(["disabled", 4]),
      "invalid length 1, expected 0 elements in sequence (field `sandbox.permissions`)",
    ],
    [
      "process/start",
      sandbox({ type: "external", network: "x" }),
      "unknown variant `x`, expected `restricted` or `enabled` (field `sandbox.permissions.network`)",
    ],
    [
      "process/start",
      entries({ path: { type: 9 }, access: "read" }),
      "invalid value: integer `9`, expected variant index 0 <= i < 3 (field `sandbox.permissions.file_system.entries.0.path.type`)",
    ],
    [
      "process/start",
      entries(5),
      "invalid type: integer `5`, expected struct ExecFileSystemSandboxEntry (field `sandbox.permissions.file_system.entries.0`)",
    ],
    [
      "process/start",
      entries(["x"]),
      'invalid type: string "x", expected internally tagged enum ExecFileSystemPath (field `sandbox.permissions.file_system.entries.0.path`)',
    ],
  ])("says of the forms of %s %s: %s", (name, text, message) => {
    expect(decode(name, text)).toEqual(Result.fail(message))
  })

  it.each([
    [uuid.replaceAll("-", "")],
    [`{${uuid}}`],
    [`urn:uuid:${uuid}`],
    [uuid.toUpperCase()],
    ["", "invalid length: expected length 32 for simple format, found 0"],
    [uuid.slice(1), "invalid group length in group 0: expected 8, found 7"],
    [uuid.slice(0, -1), "invalid group length in group 4: expected 12, found 11"],
    [uuid.replace("-9247-", "-9247"), "invalid group count: expected 5, found 4"],
    [
      `${uuid.slice(0, -1)}g`,
      "invalid character: expected an optional prefix of `urn:uuid:` followed by [0-9a-fA-F-], found `g` at 36",
    ],
  ])("reads the UUID %j: %s", (threadId, fault?: string) => {
    const decoded = decode("process/start", start({ metadata: { threadId } }))
    if (fault === undefined) expect(decoded).toHaveProperty("success.metadata.threadId", threadId)
    else expect(decoded).toEqual(Result.fail(`${fault} (field \`metadata.threadId\`)`))
  })
})
