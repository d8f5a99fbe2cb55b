// @ts-check
// FROZEN. The control server of `npm run bench -- --guard`: a plain Node program that answers the methods which the
// guard measures, in as few steps as Node allows without native calls.
//
// The guard compares procwire's cost with this one's in the same run, so that the machine, its load and its Node drop
// out.
// Whoever changes a line of this folder changes what every committed figure means, and has to record all of them anew.
//
// It leaves out what makes a server: checks, sessions, terminals, limits, order under load. Never serve anybody by it.
import { spawn } from "node:child_process"
import { createServer } from "node:net"
import { lines, webSocket } from "./wire.mjs"

/**
 * @import { ChildProcess } from "node:child_process"
 * @import { Wire } from "./wire.mjs"
 *
 * @typedef {{ seq: number, stream: string, chunk: string }} Chunk
 *
 * @typedef {object} Held a process
 * @property {ChildProcess} child
 * @property {number} seq the last one that was given
 * @property {Chunk[]} chunks the last output
 * @property {number} kept bytes of it
 * @property {Set<() => void>} readers that wait for more
 *
 * @typedef {Record<string, any>} Params
 */

const ring = 2 ** 20

/** @param {Held} held @param {Chunk} chunk */
const keep = (held, chunk) => {
  held.chunks.push(chunk)
  held.kept += chunk.chunk.length
  while (held.kept > ring * 1.34) held.kept -= held.chunks.shift()?.chunk.length ?? 0
  for (const wake of held.readers) wake()
}

/** What a read finds now. @param {Held} held @param {Params} params */
const found = (held, { afterSeq = 0, maxBytes = ring }) => {
  /** @type {Chunk[]} */
  const chunks = []
  let size = 0
  for (const chunk of held.chunks) {
    if (chunk.seq <= afterSeq) continue
    size += chunk.chunk.length * 0.75
    if (chunks.length > 0 && size > maxBytes) break
    chunks.push(chunk)
  }
  const nextSeq = (chunks.at(-1)?.seq ?? afterSeq) + 1
  return { chunks, nextSeq, exited: false, exitCode: null, closed: false, failure: null }
}

/** @typedef {{ wire: Wire, notify: (method: string, params: Params) => boolean, processes: Map<string, Held> }} Client */

/** Tells a client what a process does. @param {Client} client @param {string} processId @param {Held} held */
const watch = ({ wire, notify }, processId, held) => {
  const { child } = held
  for (const stream of /** @type {const} */ (["stdout", "stderr"])) {
    const source = child[stream]
    source?.on("data", (/** @type {Buffer} */ bytes) => {
      const chunk = { seq: (held.seq += 1), stream, chunk: bytes.toString("base64") }
      keep(held, chunk)
      if (notify("process/output", { processId, ...chunk })) return
      source.pause()
      wire.onceDrained(() => source.resume())
    })
  }
  child.on("exit", (exitCode) =>
    notify("process/exited", { processId, seq: (held.seq += 1), exitCode: exitCode ?? 1 }),
  )
  child.on("close", () => notify("process/closed", { processId, seq: (held.seq += 1) }))
}

/** @param {Client} client @param {Params} params @param {(result: Params) => void} answer */
const start = (client, { processId, argv, env, pipeStdin }, answer) => {
  const [program, ...args] = argv
  const stdin = pipeStdin === true ? "pipe" : "ignore"
  const child = spawn(program, args, { cwd: "/tmp", env, detached: true, stdio: [stdin, "pipe", "pipe"] })
  child.stdin?.setMaxListeners(0).on("error", () => {})
  /** @type {Held} */
  const held = { child, seq: 0, chunks: [], kept: 0, readers: new Set() }
  client.processes.set(processId, held)
  child.once("spawn", () => {
    answer({ processId })
    watch(client, processId, held)
  })
}

/** @param {Client} client @param {Params} params @param {(result: Params) => void} answer */
const write = ({ processes }, { processId, chunk }, answer) => {
  const stdin = processes.get(processId)?.child.stdin
  if (stdin?.write(Buffer.from(chunk, "base64")) === false)
    stdin.once("drain", () => answer({ status: "accepted" }))
  else answer({ status: "accepted" })
}

/** @param {Client} client @param {Params} params @param {(result: Params) => void} answer */
const read = ({ processes }, params, answer) => {
  const held = processes.get(params["processId"])
  if (held === undefined) return answer({})
  const now = found(held, params)
  if (now.chunks.length > 0 || !params["waitMs"]) return answer(now)
  const wake = () => {
    clearTimeout(timer)
    held.readers.delete(wake)
    answer(found(held, params))
  }
  const timer = setTimeout(wake, params["waitMs"])
  held.readers.add(wake)
}

/** @param {Held} held */
const kill = ({ child }) => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(-child.pid, "SIGKILL")
  } catch {
    // It has ended since.
  }
}

/** @param {Wire} wire */
const serve = (wire) => {
  /** @type {Client} */
  const client = {
    wire,
    notify: (method, params) => wire.send(JSON.stringify({ method, params })),
    processes: new Map(),
  }
  wire.onText((text) => {
    const { id, method, params } = JSON.parse(text)
    if (id === undefined) return
    /** @param {Params} result */
    const answer = (result) => void wire.send(JSON.stringify({ id, result }))
    if (method === "initialize") answer({ sessionId: "control" })
    if (method === "process/start") start(client, params, answer)
    if (method === "process/write") write(client, params, answer)
    if (method === "process/read") read(client, params, answer)
  })
  wire.onEnd(() => {
    for (const held of client.processes.values()) kill(held)
  })
}

const [flag, listen = "stdio"] = process.argv.slice(2)
if (flag !== "--listen") {
  process.stderr.write("usage: node server.mjs --listen stdio|ws://127.0.0.1:PORT\n")
  process.exit(2)
}
process.on("SIGTERM", () => process.exit(0))
if (listen === "stdio") serve(lines(process.stdin, process.stdout))
else {
  const server = createServer((socket) => webSocket(socket, serve))
  server.listen(Number(new URL(listen).port), "127.0.0.1", () => {
    const address = server.address()
    const port = typeof address === "object" ? address?.port : address
    process.stdout.write(`ws://127.0.0.1:${port}\n`)
  })
}
