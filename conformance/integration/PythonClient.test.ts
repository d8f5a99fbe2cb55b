/**
 * The client for Python, as the suite judges it, on a real server, and as pip installs it. Without python3 all are
 * skipped, without the package websockets those over WebSocket, without pip that of the installation.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, it } from "vitest"
import * as ClientRunner from "../client/ClientRunner.ts"
import { load } from "../client/Scenario.ts"
import type { TransportKind } from "../suite/wire/TransportKind.ts"
import * as Python from "../testing/Python.ts"

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))
const source = path("../clients/python")
const folder = mkdtempSync(join(tmpdir(), "procwire-python-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const python = Python.runs("-c", "import sys; sys.exit(sys.version_info < (3, 10))")
const env = { ...process.env, PYTHONPATH: source, PYTHONDONTWRITEBYTECODE: "1" }
const words = [
  "env",
  `PYTHONPATH=${source}`,
  "PYTHONDONTWRITEBYTECODE=1",
  Python.program,
  "-m",
  "procwire_client",
]

const play = async (transports: ReadonlyArray<TransportKind>, ids?: ReadonlyArray<string>) => {
  const ofWire = load().filter(({ dialect }) => dialect === "current")
  const outcomes = await ClientRunner.run(
    {
      words: [...words, "{URL}"],
      scenarios: ofWire.filter(({ id }) => ids === undefined || ids.includes(id)),
      transports,
      parallel: 3,
      timeoutMs: 60_000,
      without: new Set(),
    },
    () => undefined,
  )
  return outcomes.filter(({ status }) => status === "fail").map((one) => `${one.case.id}: ${one.reason}`)
}

const some = ["client/gap/read-fills", "client/input/standard-input", "client/resume/twice"]

describe.skipIf(!python)("The client for Python", { tags: ["python3"] }, () => {
  it("passes every case for clients over a unix socket, and some over the streams of a program", async () => {
    expect(await play(["unix"])).toEqual([])
    expect(await play(["stdio"], some)).toEqual([])
  })

  it.skipIf(!Python.runs("-c", "import websockets"))(
    "passes cases over WebSocket",
    { tags: ["python3-websockets"] },
    async () => {
      expect(await play(["ws"], some)).toEqual([])
    },
  )

  it("runs a command on a real server, with its input, its output and its exit code", async () => {
    const command = path("../../dist/procwire.cjs")
    const listen = ["serve", "--listen", `unix:${join(folder, "s")}`]
    const server = spawn(process.execPath, [command, ...listen], { stdio: ["ignore", "pipe", "ignore"] })
    try {
      const [line] = (await once(server.stdout, "data")) as [Buffer]
      const url = line.toString().trim()
      const script = "cat; echo wrong >&2; exit 7"
      const ran = spawnSync(words[0] ?? "", [...words.slice(1), url, "sh", "-c", script], {
        input: "in and out\n",
      })
      expect([ran.stdout.toString(), ran.stderr.toString(), ran.status]).toEqual([
        "in and out\n",
        "wrong\n",
        7,
      ])
    } finally {
      server.kill()
    }
  })

  it.skipIf(!Python.runs("-c", "import pip"))(
    "is installed from its folder, offline",
    { tags: ["python3-pip"] },
    () => {
      cpSync(source, join(folder, "source"), { recursive: true })
      const install = ["-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
      const target = ["--target", join(folder, "site"), join(folder, "source")]
      execFileSync(Python.program, [...install, ...target], { cwd: folder, stdio: "pipe", timeout: 240_000 })
      const said = spawnSync(Python.program, ["-m", "procwire_client"], {
        env: { ...env, PYTHONPATH: join(folder, "site") },
        cwd: folder,
      })
      expect(said.stderr.toString()).toContain("usage: python3 -m procwire_client URL ARGV")
    },
  )

  it("is one file of less than 500 lines beside its generated types", () => {
    const lines = readFileSync(join(source, "procwire_client/client.py"), "utf8").split("\n").length
    expect(lines).toBeLessThan(500)
  })
})
