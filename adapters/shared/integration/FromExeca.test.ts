/** The table for who comes from execa and zx, in the README of the client: each line of ours, and what it gives. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import type { Client } from "../../../core/client/Client.ts"
import { connect } from "../../testing/Client.ts"

let client: Client
const folder = mkdtempSync(join(tmpdir(), "procwire-execa-"))
const file = join(folder, "out")
beforeAll(async () => {
  client = await connect({ inProcess: true })
})
afterAll(async () => {
  await client.close()
  rmSync(folder, { recursive: true })
})

const readme = readFileSync(new URL("../../../core/client/README.md", import.meta.url), "utf8")
const [, table = ""] = /^## From execa and zx\n([\s\S]*?)^## /m.exec(readme) ?? []
const rows = [...table.matchAll(/^\| ([^`|]+) \|.* \| (`+) ?(.*?) ?\2 \|$/gm)].map(
  ([, name = "", , code = ""]) => [name, code] as const,
)

/** The value of each line; of a loop, its output. */
const given: Readonly<Record<string, unknown>> = {
  "arguments as they are": expect.objectContaining({ stdout: "a b" }),
  "an array of them": expect.objectContaining({ stdout: "a b" }),
  "its output": "a\n",
  JSON: [1],
  "both streams in order": "a\n",
  bytes: Uint8Array.of(97, 10),
  "lines as they come": ["1", "2"],
  "no rejection": 1,
  "directory, environment": "1\n",
  input: "a\nb\n",
  "input of a file": 0,
  "output to a file": 0,
  "at the end of one": 0,
  "the streams of this program": 0,
  "a pipe": "b\n",
  "a shell": "a\nb\n",
  "a deadline": true,
  "an AbortSignal": expect.stringContaining("TimeoutError"),
  "a bound on output": true,
  "again when it fails": 1,
  "what is run": 0,
  "the pid": expect.any(Number),
  "to end it": true,
}

/** Runs a line as the README says that it stands. */
const play = async (code: string): Promise<unknown> => {
  const isLoop = code.startsWith("for ")
  const printed: Array<unknown> = []
  const body = isLoop ? code : `return ${code}`
  // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- the lines are those of the README
  const run = new Function("client", "file", "console", `${setup}return (async () => { ${body} })()`) as (
    ...all: ReadonlyArray<unknown>
  ) => Promise<unknown>
  const value = await run(client, file, { log: (line: unknown) => void printed.push(line) })
  return isLoop ? printed : value
}

const setup = "const $ = client.$; const { run, start } = client; "

describe("who comes from execa and zx", () => {
  it("finds each line with a result here", () => {
    expect(rows.map(([name]) => name)).toEqual(Object.keys(given))
  })

  it.each(rows)("%s: %s", async (name, code) => {
    const told: Array<string> = []
    const write = vi.spyOn(process.stderr, "write").mockImplementation(((
      bytes: Uint8Array,
      done: () => void,
    ) => {
      told.push(new TextDecoder().decode(bytes))
      done()
      return true
    }) as typeof process.stderr.write)
    try {
      expect(await play(code)).toEqual(given[name])
    } finally {
      write.mockRestore()
    }
    const verbose = ["$ true\n", expect.stringMatching(/^# true exited with 0 after \d+ ms\n$/)]
    expect(told).toEqual(name === "what is run" ? verbose : [])
    if (name === "output to a file") expect(readFileSync(file, "utf8")).toBe("a\n")
    if (name === "at the end of one") expect(readFileSync(file, "utf8")).toBe("a\nb\n")
  })
})
