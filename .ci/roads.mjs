// @ts-check
// `node .ci/roads.mjs`: the roads of a server, by the files that they pass, on Node over a unix socket: a chunk of
// output from the pipe of its child to the socket, and a request with its answer. A server in this process is watched
// with the coverage of V8: a file is on a road if one of its functions runs between the moment before it and the
// moment after it. `--write` writes the table of core/README.md.
import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { open } from "node:fs/promises"
import { Session } from "node:inspector/promises"
import { createConnection } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { command } from "./command.mjs"
import * as Generated from "./generated.mjs"
import { build, install, root } from "./setup.mjs"

const { values } = command(import.meta.url, { options: { write: false } })
install()
build()

/** Rounds on a road before it is watched, so that nothing is done on it for the first time. */
const rounds = 20

const folder = mkdtempSync(join(tmpdir(), "procwire-roads-"))
const { serve } = await import("../dist/adapters/node/index.js")
const server = await serve({ listen: `unix:${folder}/server.sock` })
const socket = createConnection(`${folder}/server.sock`)
let text = ""
socket.on("data", (bytes) => (text += bytes))
await once(socket, "connect")

/** The next message that has this text. @param {string} part @returns {Promise<string>} */
const message = async (part) => {
  for (;;) {
    const lines = text.split("\n")
    const found = lines.slice(0, -1).findIndex((line) => line.includes(part))
    if (found >= 0) {
      text = lines.slice(found + 1).join("\n")
      return lines[found] ?? ""
    }
    await once(socket, "data")
  }
}

let id = 0
/** @param {string} method @param {object} params */
const request = (method, params) => {
  socket.write(`${JSON.stringify({ id: ++id, method, params })}\n`)
  return message(`"id":${id},`)
}
await request("initialize", { clientName: "roads" })
socket.write(`${JSON.stringify({ method: "initialized" })}\n`)
const fifo = join(folder, "fifo")
execFileSync("mkfifo", [fifo])
await request("process/start", {
  processId: "cat",
  argv: ["cat", fifo],
  cwd: folder,
  env: {},
  tty: false,
  pipeStdin: false,
  arg0: null,
})
const writer = await open(fifo, "w")

/** A chunk from the pipe of its child to the socket, and a read that does not wait with its answer. */
const roads = {
  "a chunk": async () => {
    await writer.write("chunk\n")
    await message('"process/output"')
  },
  "a request and its answer": () =>
    request("process/read", { processId: "cat", afterSeq: 0, maxBytes: 1, waitMs: 0 }),
}

const inspector = new Session()
inspector.connect()
await inspector.post("Profiler.enable")
await inspector.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })

/** Milliseconds after which nothing is left to do of an answer, and what timers do has begun again. */
const idleMs = 50

const rows = []
for (const [name, go] of Object.entries(roads)) {
  for (let round = 0; round < rounds; round += 1) await go()
  await new Promise((resolve) => setTimeout(resolve, idleMs))
  await inspector.post("Profiler.takePreciseCoverage")
  await go()
  const { result } = await inspector.post("Profiler.takePreciseCoverage")
  const files = result
    .filter(({ url }) => url.startsWith(`file://${root}dist/`))
    .filter(({ functions }) =>
      functions.some(({ ranges: [all] }) => all && all.startOffset > 0 && all.count > 0),
    )
    .map(({ url }) => url.slice(`file://${root}dist/`.length).replace(/\.js$/, ""))
    .toSorted()
  /** @type {Map<string, string[]>} */
  const byFolder = new Map()
  for (const file of files) {
    const [, folder = "", name = ""] = /^(.*)\/([^/]*)$/.exec(file) ?? []
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), name])
  }
  const listed = [...byFolder].map(([folder, names]) => `\`${folder}\`: ${names.join(", ")}`)
  rows.push(`| ${name} | ${files.length} | ${listed.join("; ")} |`)
}
await writer.close()
socket.destroy()
await server.close()
rmSync(folder, { recursive: true, force: true })

const table = ["| road | files | |", "|---|---:|---|", ...rows, ""].join("\n")
process.stdout.write(table)
if (values.write) {
  const path = `${root}core/README.md`
  writeFileSync(path, Generated.replaced(readFileSync(path, "utf8"), "roads", table))
}
