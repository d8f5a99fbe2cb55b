/**
 * `--client` on clients that are right, and on clients that are wrong in one way each: the suite has to see it. Needs
 * the bundle in `dist/`.
 */
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import * as ClientRunner from "../client/ClientRunner.ts"
import { load } from "../client/Scenario.ts"
import type { TransportKind } from "../suite/wire/TransportKind.ts"

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))
const control = [process.execPath, path("../clients/control.mjs"), "{URL}"]
const own = [process.execPath, path("../../dist/procwire.cjs"), "run"]

/** Faults of the small client, and the cases that it fails with each. */
const faults = JSON.parse(readFileSync(path("../clients/faults.json"), "utf8")) as Readonly<
  Record<string, { readonly says: string; readonly fails: ReadonlyArray<string> }>
>

/** Only a hang reaches it, on whatever machine. */
const patient = 60_000

const play = async (
  words: ReadonlyArray<string>,
  transports: ReadonlyArray<TransportKind>,
  {
    ids,
    dialect = "current",
    timeoutMs = patient,
  }: {
    readonly ids?: ReadonlyArray<string>
    readonly dialect?: "current" | "v0"
    readonly timeoutMs?: number
  } = {},
) => {
  const scenarios = load().filter(
    (scenario) => scenario.dialect === dialect && (ids === undefined || ids.includes(scenario.id)),
  )
  const outcomes = await ClientRunner.run(
    { words, scenarios, transports, parallel: 3, timeoutMs, without: new Set() },
    () => undefined,
  )
  const of = (status: string) =>
    outcomes.filter((one) => one.status === status).map((one) => `${one.case.id}: ${one.reason}`)
  return { passed: of("pass"), failed: of("fail"), skipped: of("skip") }
}

describe("The cases for clients", () => {
  it("pass with the small client that is right", async () => {
    const { failed, passed, skipped } = await play(control, ["unix"])
    expect({ failed, skipped }).toEqual({ failed: [], skipped: [] })
    expect(passed.length).toBeGreaterThan(15)
  })

  it("pass with procwire run over WebSocket and over the streams of a program", async () => {
    expect((await play([...own, "--server", "{URL}", "--"], ["ws"])).failed).toEqual([])
    const ids = ["client/gap/read-fills", "client/input/standard-input", "client/resume/twice"]
    const piped = await play([...own, "--server-cmd", "{COMMAND}", "--"], ["stdio"], { ids })
    expect(piped.failed).toEqual([])
    expect(piped.skipped.every((text) => text.endsWith("only over sockets"))).toBe(true)
  })

  it("pass with our client of the first wire", async () => {
    const client = [process.execPath, path("../clients/v0.mjs"), "{URL}"]
    const { failed, passed } = await play(client, ["ws"], { dialect: "v0" })
    expect(failed).toEqual([])
    expect(passed.length).toBe(3)
  })

  it("see what is wrong with each wrong client", async () => {
    const seen = await Promise.all(
      Object.entries(faults).map(async ([fault, { fails: ids }]) => {
        // One that waits for ever is one that fails: no right client is judged here.
        const words = ["env", `FAULT=${fault}`, ...control]
        const { passed } = await play(words, ["unix"], { ids, timeoutMs: 5000 })
        return passed.map((id) => `${fault} passes ${id}`)
      }),
    )
    expect(seen.length).toBeGreaterThan(6)
    expect(seen.flat()).toEqual([])
  })
})

const bundle = path("../../dist/procwire-conformance.mjs")

const run = (...args: ReadonlyArray<string>) =>
  new Promise<{ readonly code: number; readonly out: string; readonly err: string }>((resolve) => {
    const child = execFile(process.execPath, [bundle, ...args], { timeout: 250_000 }, (_, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    )
  })

describe("procwire-conformance --client", () => {
  const client = `'${process.execPath}' '${path("../clients/control.mjs")}' {URL}`

  it("reports as it does for servers", async () => {
    const good = await run("--client", client, "--transports", "tcp", "client/gap", "--timeout-ms", "60000")
    expect(good.out).toMatch(/conformant: 2 cases over tcp/)
    expect(good.code).toBe(0)
    const wrong = `env FAULT=no-initialized ${client}`
    const bad = await run("--client", wrong, "--transports", "tcp", "client/handshake/initialize*")
    expect(bad.code).toBe(1)
    expect(bad.out).toContain("FAIL client/handshake/initialize-then-initialized")
    expect(bad.out).toContain("but: process/start was sent before initialized")
    expect(bad.out).toMatch(/→ \{"id":1,"method":"initialize"/)
  })

  it("lists its cases, skips what a client lacks, and refuses a command without the place of the address", async () => {
    expect((await run("--client", client, "--list")).out).toContain(
      "client/resume/after-a-cut (must, sockets)",
    )
    const without = ["--without", "reconnect,input", "client/resume/twice", "client/unknown/members"]
    const skipped = await run(
      "--client",
      client,
      "--transports",
      "unix",
      "--timeout-ms",
      "60000",
      ...without,
      "-v",
    )
    expect(skipped.out).toMatch(/skip .*client\/resume\/twice .*the client is without reconnect/)
    expect(skipped.code).toBe(0)
    const wrong = await run("--client", "my-client")
    expect(wrong).toMatchObject({ code: 2, out: "" })
    expect(wrong.err).toContain("--client needs {URL}")
  })
})
