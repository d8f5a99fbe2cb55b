import { describe, expect, it } from "vitest"
import * as Abouts from "../../features/Abouts.ts"
import * as V0 from "../dialect/v0.ts"
import * as ErrorText from "../ErrorText.ts"
import * as Methods from "../Methods.ts"
import { type Any, decode } from "../shape/index.ts"
import * as Lock from "./Lock.ts"
import * as MetaDocument from "./MetaDocument.ts"
import * as SchemaDocument from "./SchemaDocument.ts"
import * as Versions from "./Versions.ts"
import { current, v0, wires } from "./Wire.ts"

type Rows = { readonly [method: string]: { readonly params?: unknown; readonly result?: unknown } }

const rows: { readonly [wire: string]: Rows } = {
  procwire: {
    ...Methods.requests,
    ...Methods.serverNotifications,
    ...Abouts.serverNotifications,
    ...Abouts.serverRequests,
    "request/cancel": Methods.clientNotifications["request/cancel"],
  },
  "procwire.v0": { ...V0.requests, ...V0.serverNotifications },
}

describe("The examples of the wire", () => {
  it.each(wires)("decode as a peer decodes them: $name", ({ methods, name }) => {
    const values = methods.flatMap(({ example, name: method }) => [
      ...(example.params ?? []).map((value) => [method, rows[name]?.[method]?.params, value] as const),
      ...(example.result ?? []).map((value) => [method, rows[name]?.[method]?.result, value] as const),
    ])
    for (const [method, schema, value] of values) {
      const decoded = decode(schema as Any, value, { platform: "linux" })
      expect(decoded, method).toMatchObject({ _tag: "Success" })
    }
    expect(values.length).toBeGreaterThan(methods.length)
  })
})

describe("The versions of the wire", () => {
  const lock = Lock.make(wires)

  it("name nothing that is not on the wire", () => {
    expect([...Versions.named.keys()].filter((name) => !lock.has(name))).toEqual([])
  })

  it("have every capability of a server beyond those of the peer", () => {
    const { capabilities } = MetaDocument.make(current, {})
    const since = Object.entries(capabilities ?? {}).filter(([, { since }]) => since !== Versions.first)
    expect(since.map(([name]) => name)).toContain("processWait")
    expect(since.map(([name]) => name)).not.toContain("fsWatchMissing")
  })
})

describe("The lock of the wire", () => {
  const lock = Lock.make(wires)

  it("reads back what it writes", () => {
    expect([...Lock.fromText(Lock.toText(lock))]).toEqual([...lock])
  })

  it("takes what the versions name for declared, and nothing else", () => {
    const without = new Map(lock)
    for (const name of ["process/wait", "WaitParams", "WaitParams.until", "ReadParams.waitMs"])
      without.delete(name)
    without.set("ReadParams.maxBytes", "optional string")
    without.set("ReadParams.gone", "string")
    const undeclared = Lock.compare(without, lock, current).filter(({ declared }) => !declared)
    expect(undeclared.map(({ kind, name }) => [kind, name])).toEqual([
      ["added", "ReadParams.waitMs"],
      ["changed", "ReadParams.maxBytes"],
      ["removed", "ReadParams.gone"],
    ])
  })
})

describe("The documents", () => {
  it("tell the capability, the idempotence and the errors of a method", () => {
    const { methods } = MetaDocument.make(current, {})
    expect(methods["process/wait"]).toMatchObject({
      since: "1.1",
      capability: "processWait",
      idempotent: "always",
      cancellable: true,
      errors: ["invalidRequest", "invalidParams", "internalError", "sessionTaken", "requestCancelled"],
    })
    expect(methods["process/write"]).toMatchObject({
      idempotent: "conditional",
      idempotentIf: "with a writeId",
    })
    const { methods: all } = MetaDocument.make(current, {})
    const vague = Object.entries(all).filter(
      ([, row]) => "idempotent" in row && row.idempotent === "conditional" && row.idempotentIf === undefined,
    )
    expect(vague).toEqual([])
    expect(MetaDocument.make(v0, {}).methods["command/exec"]).toMatchObject({
      since: "0",
      idempotent: "never",
    })
  })

  it("let a choice between words be null where a client may leave it out so", () => {
    const { $defs } = SchemaDocument.make(current, {}) as { $defs: Record<string, { properties: object }> }
    expect($defs["ProcessListParams"]?.properties).toMatchObject({
      sessions: { anyOf: [{ enum: ["own", "all"] }, { type: "null" }] },
    })
  })

  it("tell the version and the capability of a field", () => {
    const { $defs } = SchemaDocument.make(current, {}) as { $defs: Record<string, { properties: object }> }
    expect($defs["WireExecParams"]?.properties).toMatchObject({
      credit: { "x-since": "1.1", "x-capability": "processCredit" },
      timeoutMs: { "x-unit": "ms" },
    })
    expect($defs).toMatchObject({ TerminalSize: { "x-since": "1.1" }, ReadParams: { "x-since": "1.0" } })
  })

  it("tell the texts that the server answers with, what depends on them, and what an environment policy is", () => {
    const { environment, limits, methods, texts } = MetaDocument.make(current, {})
    expect(texts).toMatchObject({
      unknownProcess: { code: -32600, message: "unknown process id {processId}", level: "must" },
      noMxc: { code: -32602, level: "should", data: { kind: "sandboxUnavailable" } },
      sessionProcesses: { contains: "limit is {value} (--max-session-processes)", level: "must" },
    })
    expect(Object.keys(texts ?? {})).toEqual(expect.arrayContaining(Object.keys(ErrorText.table)))
    expect(methods["environment/info"]).toMatchObject({ family: "environment info" })
    expect(environment?.core.unix).toContain("LC_CTYPE")
    expect(limits).toMatchObject({ retainedBytes: { default: 1_048_576, unit: "bytes" } })
    expect(MetaDocument.make(v0, {})).not.toHaveProperty("texts")
  })

  it("refer to types of the schema file alone", () => {
    for (const wire of wires) {
      const { $defs } = SchemaDocument.make(wire, {}) as { $defs: object }
      const texts = [MetaDocument.make(wire, {}), MetaDocument.makeOpenRpc(wire, {})].map((one) =>
        JSON.stringify(one),
      )
      const referred = texts.flatMap((text) =>
        [...text.matchAll(/#\/\$defs\/(\w+)/g)].map(([, name]) => name),
      )
      expect(referred.filter((name) => !Object.hasOwn($defs, name ?? ""))).toEqual([])
      expect(referred.length).toBeGreaterThan(wire.methods.length)
    }
  })
})
