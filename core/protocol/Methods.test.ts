import * as Either from "effect/Either"
import * as JSONSchema from "effect/JSONSchema"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import * as DecodeError from "./DecodeError.ts"
import * as Json from "./Json.ts"
import * as Methods from "./Methods.ts"

const requests = Object.entries(Methods.requests)
const notifications = Object.entries(Methods.serverNotifications)
const schemas = new Map<string, Schema.Schema<unknown>>(
  [
    ...requests.flatMap(
      ([name, row]) =>
        [
          [name, row.params],
          [`${name} result`, row.result],
        ] as const,
    ),
    ...notifications.map(([name, row]) => [name, row.params] as const),
  ].map(([name, schema]) => [name, schema as unknown as Schema.Schema<unknown>]),
)

const schemaOf = (name: string): Schema.Schema<unknown> => {
  const schema = schemas.get(name)
  if (schema === undefined) throw new Error(`no row ${name}`)
  return schema
}

const decode = (name: string, text: string): Either.Either<unknown, string> =>
  Either.mapLeft(ParseResult.decodeUnknownEither(schemaOf(name))(Json.parse(text)), (issue) =>
    DecodeError.toText(ParseResult.parseError(issue)),
  )

const base = { processId: "p", argv: ["a"], cwd: "file:///", env: {}, tty: false }
const policy = { inherit: "core", ignoreDefaultExcludes: true, exclude: [], set: {}, includeOnly: [] }
const start = (change: object) => JSON.stringify({ ...base, ...change })
const without = (object: object, field: string) =>
  Object.fromEntries(Object.entries(object).filter(([name]) => name !== field))

describe("Methods", () => {
  it("has the methods of the wire and no other", () => {
    expect(Object.keys(Methods.requests)).toEqual([
      "initialize",
      "environment/info",
      "environment/status",
      "process/start",
      "process/read",
      "process/write",
      "process/signal",
      "process/terminate",
      "process/resize",
      "process/closeStdin",
      "fs/readFile",
      "fs/writeFile",
      "fs/createDirectory",
      "fs/getMetadata",
      "fs/canonicalize",
      "fs/readDirectory",
      "fs/walk",
      "fs/remove",
      "fs/copy",
      "fs/open",
      "fs/readBlock",
      "fs/writeBlock",
      "fs/close",
      "fs/watchMissing",
      "http/request",
    ])
    expect(Object.keys(Methods.clientNotifications)).toEqual(["initialized"])
    expect(Object.keys(Methods.serverNotifications)).toEqual([
      "process/output",
      "process/exited",
      "process/closed",
      "fs/missingChanged",
      "http/request/bodyDelta",
    ])
    for (const name of ["process/list", "command/exec", "initialized", "toString", "__proto__", ""]) {
      expect(Methods.isServerNotification(name)).toBe(false)
    }
  })

  it("lets every request wait for a slot but those that are quick or must get through", () => {
    expect(requests.filter(([, row]) => !row.slotted).map(([name]) => name)).toEqual([
      "initialize",
      "environment/info",
      "environment/status",
      "process/signal",
      "process/terminate",
      "process/resize",
    ])
  })

  it.each([...schemas.keys()])("has a JSON Schema of an object for %s", (name) => {
    const schema = JSON.stringify(JSONSchema.make(schemaOf(name)))
    expect(schema).toContain('"type":"object"')
    expect(schema).not.toContain('{"type":"array"}')
  })

  it.each([
    ["initialize", '{"clientName":"x"}'],
    ["initialize", '{"clientName":"","resumeSessionId":null}'],
    [
      "initialize result",
      '{"sessionId":"3f6cf1ea-415e-4498-b06d-a139299c22ab","environmentInfo":{"shell":{"name":"bash","path":"/bin/bash"},"executorVersion":"0.169.0","providerId":"sha256:2101b2","cwd":"file:///work","userHomeDir":"file:///root","platformOs":"linux","prependPathDirs":["file:///codex-path"],"temporaryDirectories":[],"tempDir":"file:///tmp","capabilities":{"networkProxyLaunch":true,"networkProxyReviewDomains":true,"credentialMasking":true,"credentialMaskingCustomProviders":true,"capabilityDiscoverySandbox":true,"fsWatchMissing":true,"capabilityDiscoveryV2":true,"environmentConfigRead":true,"httpHeaderEnvVars":true,"sandboxedFileStreaming":true,"fileWriteStreaming":true,"shellSnapshotV2":true,"windowsMxc":false,"linuxRootWritePreservesDevices":true,"linuxApprovedRootWritePreservesRestrictions":true}}}',
    ],
    ["environment/info", "null"],
    ["environment/info", "{}"],
    ["environment/info result", '{"shell":{"name":"sh","path":"/bin/sh"}}'],
    ["environment/status result", '{"status":"ready"}'],
    ["process/start result", '{"processId":"p1","sandboxType":"none"}'],
    ["process/read", '{"processId":"p1"}'],
    ["process/read", '{"processId":"p1","afterSeq":null,"maxBytes":0,"waitMs":5000}'],
    [
      "process/read result",
      '{"chunks":[{"seq":1,"stream":"stdout","chunk":"aGkK"},{"seq":2,"stream":"stderr","chunk":"ZXJyCg=="}],"nextSeq":5,"exited":true,"exitCode":3,"closed":true,"failure":null,"sandboxDenied":false}',
    ],
    ["process/write", '{"processId":"p","chunk":"","writeId":"w"}'],
    ["process/write", '{"processId":"p","chunk":"aGkK"}'],
    ["process/write result", '{"status":"accepted"}'],
    ["process/signal", '{"processId":"p","signal":"interrupt"}'],
    ["process/signal result", "{}"],
    ["process/terminate", '{"processId":""}'],
    ["process/terminate result", '{"running":true}'],
    ["process/output", '{"processId":"p1","seq":1,"stream":"stdout","chunk":"aGkK"}'],
    ["process/exited", '{"processId":"p1","seq":3,"exitCode":3,"sandboxDenied":false}'],
    ["process/closed", '{"processId":"p1","seq":4}'],
  ])("decodes and encodes a recorded %s %s", (name, text) => {
    const decoded = Either.getOrThrowWith(decode(name, text), (message) => new Error(message))
    expect(JSON.parse(JSON.stringify(Schema.encodeSync(schemaOf(name))(decoded)))).toEqual(JSON.parse(text))
  })

  it("fills in what an earlier peer leaves out", () => {
    expect(decode("process/exited", '{"processId":"p","seq":1,"exitCode":0}')).toEqual(
      Either.right({ processId: "p", seq: 1, exitCode: 0, sandboxDenied: false }),
    )
    expect(decode("process/start", start({}))).toEqual(
      Either.right({ ...base, pipeStdin: false, enforceManagedNetwork: false }),
    )
  })

  it("ignores unknown members", () => {
    expect(decode("process/start", start({ outputBytesCap: 5, size: {}, zzz: null }))).toEqual(
      decode("process/start", start({})),
    )
  })

  it("takes no members where there are none, as the peer does", () => {
    for (const params of ["null", "{}"])
      expect(Either.isRight(decode("environment/status", params))).toBe(true)
    expect(decode("environment/status", '{"a":1}')).toEqual(Either.left("invalid type: map, expected unit"))
    expect(decode("environment/info", "[]")).toEqual(Either.left("invalid type: sequence, expected unit"))
  })

  it("accepts null for what is an option", () => {
    const options = [
      "envPolicy",
      "arg0",
      "sandbox",
      "managedNetwork",
      "networkProxy",
      "shellSnapshot",
      "metadata",
    ]
    for (const option of options)
      expect(Either.isRight(decode("process/start", start({ [option]: null })))).toBe(true)
    expect(Either.isRight(decode("process/start", start({ managedNetwork: {} })))).toBe(true)
  })

  it("takes unsigned integers up to 2^64-1 for a lot", () => {
    const most = "18446744073709551615"
    expect(
      decode("process/read", `{"processId":"p","afterSeq":${most},"maxBytes":${most},"waitMs":${most}}`),
    ).toEqual(Either.right({ processId: "p", afterSeq: 2 ** 64, maxBytes: 2 ** 64, waitMs: 2 ** 64 }))
  })

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
