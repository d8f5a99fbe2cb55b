/** The files that describe the wire for machines, as they are published. Needs `dist/`. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { all as cases } from "../suite/cases/all.ts"
import type { Dialect } from "../suite/Dialect.ts"
import * as Runner from "../suite/Runner.ts"
import { select } from "../suite/Select.ts"
import * as Target from "../suite/Target.ts"
import * as Own from "../testing/Own.ts"
import * as WireSchema from "../testing/WireSchema.ts"

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))
const command = path("../../dist/procwire.cjs")

interface Type {
  readonly description?: string
  readonly examples?: ReadonlyArray<unknown>
  readonly properties?: { readonly [field: string]: { readonly [keyword: string]: unknown } }
  readonly "x-since"?: string
}

const envelope = ["RequestId", "Response", "ErrorResponse", "ClientMessage", "ServerMessage"]

const wires = ["procwire", "procwire.v0"] as const

describe.each(wires)("%s.schema.json", (wire) => {
  const { fault, schema } = WireSchema.load(wire)
  const types = Object.entries(schema["$defs"] as unknown as { readonly [name: string]: Type }).filter(
    ([name]) => !envelope.includes(name),
  )

  it("says what every type and every field is, and since which version", () => {
    const silent = types.flatMap(([name, { description, properties = {}, "x-since": since }]) => [
      ...(description === undefined || since === undefined ? [name] : []),
      ...Object.entries(properties).flatMap(([field, { description }]) =>
        description === undefined ? [`${name}.${field}`] : [],
      ),
    ])
    expect(silent).toEqual([])
  })

  it("tells the unit of every time and every number of bytes", () => {
    const numbers = types.flatMap(([name, { properties = {} }]) =>
      Object.entries(properties)
        .filter(
          ([field, { type }]) => /Ms$|Micros$|Bytes$/.test(field) && /integer|number/.test(String(type)),
        )
        .map(([field, { "x-unit": unit }]) => [`${name}.${field}`, unit]),
    )
    expect(numbers.filter(([, unit]) => unit === undefined)).toEqual([])
  })

  it("has examples of every type that are as it says", () => {
    expect(types.filter(([, { examples = [] }]) => examples.length === 0).map(([name]) => name)).toEqual([])
    const wrong = types.flatMap(([name, { examples = [] }]) => examples.map((value) => fault(name, value)))
    expect(wrong.filter((why) => why !== undefined)).toEqual([])
  })
})

describe.each(wires)("%s.openrpc.json", (wire) => {
  it("is a document of OpenRPC with every method", () => {
    const document = WireSchema.document(`${wire}.openrpc.json`)
    const { meta } = WireSchema.load(wire)
    expect(WireSchema.openRpcFault(document)).toBeUndefined()
    expect(WireSchema.openRpcFault({ ...document, methods: [{ name: 1 }] })).toContain("/methods/0")
    const methods = document["methods"] as unknown as ReadonlyArray<{ readonly name: string }>
    expect(methods.map(({ name }) => name)).toEqual(Object.keys(meta["methods"] ?? {}))
  })
})

const play = async (target: Target.Target, dialect: Dialect, globs: ReadonlyArray<string>) => {
  const ofDialect = cases.filter((item) => item.dialect === dialect)
  const chosen = select(ofDialect, globs, "all")
  const seen = WireSchema.make(dialect === "v0" ? "procwire.v0" : "procwire")
  await Runner.run({
    cases: chosen.cases,
    targets: [target],
    parallel: 4,
    timeoutMs: 60_000,
    without: new Set(),
    slow: false,
    onEntry: (item, entry) => seen.onEntry(item, 0, entry),
  })
  return seen
}

const own = (dialect: Dialect) =>
  Target.command("tcp", [
    process.execPath,
    command,
    "serve",
    "--dialect",
    dialect,
    "--listen",
    "tcp://127.0.0.1:0",
  ])

/** All of them: `npm run lab -- schema`. */
const some = ["handshake/s*", "process/output/s*", "process/read/n*", "fs/walk/l*"]

describe("The schema", () => {
  it("has every message of our server, and every request that it answers", async () => {
    const { counts, faults } = await play(own("current"), "current", some)
    expect(faults).toEqual([])
    expect(Math.min(counts.results, counts.notifications, counts.requests)).toBeGreaterThan(20)
  })

  it("has every message of the first wire, too", async () => {
    const { counts, faults } = await play(own("v0"), "v0", ["v0/output", "v0/exited", "v0/initialize"])
    expect(faults).toEqual([])
    expect(counts.notifications).toBeGreaterThan(5)
  })

  it("has not what a wrong server says", async () => {
    const wrong = Target.command("stdio", Own.broken("seq-as-string"))
    const { faults } = await play(wrong, "current", ["process/output/seq-contiguous"])
    expect(faults.length).toBeGreaterThan(0)
  })
})

describe("procwire schema", () => {
  it("writes the files into a folder that it makes, and names them", () => {
    const folder = mkdtempSync(join(tmpdir(), "procwire-schema-"))
    const out = join(folder, "new/wire")
    try {
      const said = execFileSync(process.execPath, [command, "schema", "--out", out], { encoding: "utf8" })
      const names = readdirSync(out).sort()
      expect(names).toEqual(
        wires.flatMap((wire) => ["meta", "openrpc", "schema"].map((kind) => `${wire}.${kind}.json`)),
      )
      expect(said.trim().split("\n").sort()).toEqual(names.map((name) => join(out, name)))
      for (const name of names)
        expect(JSON.parse(readFileSync(join(out, name), "utf8"))).toEqual(WireSchema.document(name))
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
