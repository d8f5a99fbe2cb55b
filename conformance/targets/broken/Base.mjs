/**
 * A small server on stdio, right as far as it goes: the handshake, start, read, terminate and the notifications.
 *
 * Each broken server is this one with one fault: a function that sees every outgoing message and returns what is really sent.
 */
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { fileURLToPath } from "node:url"
import { createInterface } from "node:readline"

const signals = { SIGKILL: 9, SIGTERM: 15, SIGINT: 2, SIGSEGV: 11 }

class Refused extends Error {
  constructor(code, message) {
    super(message)
    this.code = code
  }
}

export const serve = (fault = (message) => [message]) => {
  const processes = new Map()
  let step = "new"
  const send = (message) => {
    for (const one of fault(message)) process.stdout.write(`${JSON.stringify(one)}\n`)
  }
  const notify = (entry, method, params) => {
    const seq = entry.next++
    if (method === "process/output") entry.chunks.push({ seq, ...params })
    send({ method, params: { processId: entry.id, seq, ...params } })
  }

  const start = ({ processId, argv, cwd, env }) => {
    if (processes.has(processId)) throw new Refused(-32600, `process ${processId} already exists`)
    const entry = {
      id: processId,
      next: 1,
      chunks: [],
      exitCode: null,
      closed: false,
      ready: false,
      waiting: [],
    }
    const child = spawn(argv[0], argv.slice(1), {
      cwd: fileURLToPath(cwd),
      env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    })
    entry.child = child
    processes.set(processId, entry)
    for (const stream of ["stdout", "stderr"]) {
      child[stream].on("data", (bytes) => {
        notify(entry, "process/output", { stream, chunk: bytes.toString("base64") })
      })
    }
    child.on("close", (code, signal) => {
      entry.exitCode = code ?? 128 + signals[signal]
      notify(entry, "process/exited", { exitCode: entry.exitCode, sandboxDenied: false })
      entry.closed = true
      notify(entry, "process/closed", {})
    })
    return { processId, sandboxType: "none" }
  }

  const read = ({ processId, afterSeq = 0 }) => {
    const entry = processes.get(processId)
    if (entry === undefined) throw new Refused(-32600, `unknown process id ${processId}`)
    const { closed, exitCode } = entry
    const chunks = entry.chunks.filter(({ seq }) => seq > afterSeq)
    const exited = exitCode !== null
    return { chunks, nextSeq: entry.next, exited, exitCode, closed, failure: null, sandboxDenied: false }
  }

  const terminate = ({ processId }) => {
    const entry = processes.get(processId)
    const running = entry !== undefined && entry.exitCode === null
    if (running) process.kill(-entry.child.pid, "SIGKILL")
    return { running }
  }

  const methods = {
    "process/start": start,
    "process/read": read,
    "process/terminate": terminate,
    "environment/status": () => ({ status: "ready" }),
  }

  const answer = ({ method, params }) => {
    if (method === "initialize") {
      if (step !== "new") throw new Refused(-32600, "initialize may only be sent once per connection")
      step = "named"
      return { sessionId: randomUUID(), environmentInfo: { shell: { name: "sh", path: "/bin/sh" } } }
    }
    const found = methods[method]
    if (found === undefined)
      throw new Refused(-32601, `exec-server stub does not implement \`${method}\` yet`)
    return found(params ?? {})
  }

  createInterface({ input: process.stdin }).on("line", (line) => {
    const message = JSON.parse(line)
    if (message.id === undefined) return
    try {
      send({ id: message.id, result: answer(message) })
    } catch (error) {
      send({ id: message.id, error: { code: error.code ?? -32603, message: error.message } })
    }
  })
  process.stdin.on("end", () => {
    for (const { child, exitCode } of processes.values())
      if (exitCode === null) process.kill(-child.pid, "SIGKILL")
    process.exit(0)
  })
}
