/**
 * A small server of the first wire, v0, on stdio or with `--listen ws://HOST:PORT`: right as far as it goes, which is
 * pipes. `--fault NAME` replaces the part of that name in faults.mjs.
 */
import { spawn } from "node:child_process"
import { WebSocketServer } from "real-ws"
import { faults } from "./faults.mjs"

/** Its decisions, each a small function by itself, so that a fault replaces exactly one. */
const right = {
  initialize: () => ({ protocolVersion: "exec-server.v0" }),
  admits: () => true,
  unknownMethod: (method) => ({ code: -32600, message: `unknown method: ${method}` }),
  unknownNotification: (method, { error }) => error(-1, -32600, `unexpected notification method: ${method}`),
  stray: () => {},
  malformed: ({ end }) => end(),
  answer: ({ id, child }) => ({
    processId: id,
    pid: child.pid,
    running: true,
    exitCode: null,
    stdout: null,
    stderr: null,
  }),
  answers: (answer) => answer(),
  environment: (env) => env,
  taken: (processes, id) => processes.has(id),
  delta: (entry, stream, bytes) => ({ processId: entry.id, stream, chunk: bytes.toString("base64") }),
  cut: (_entry, bytes) => bytes,
  exitCode: (code) => code ?? -1,
  exited: (entry, exitCode, { notify }) => notify("command/exec/exited", { processId: entry.id, exitCode }),
  /** Which event of a child is its exit; output that is on its way comes first. */
  exitEvent: "exit",
  forgetAtExit: (processes, entry) => processes.get(entry.id) === entry && processes.delete(entry.id),
  forgetAtTerminate: (processes, entry) => processes.delete(entry.id),
  kill: ({ child }) => process.kill(-child.pid, "SIGKILL"),
  write: (entry, id) => {
    throw refusal(-32600, entry === undefined ? `unknown process id ${id}` : `stdin is closed for process ${id}`)
  },
  connectionEnds: (processes, kill) => {
    for (const entry of processes.values()) kill(entry)
  },
}

const refusal = (code, message) => Object.assign(new Error(message), { code })

const textFields = { processId: "string", cwd: "string", tty: "boolean" }

const checkExec = (params) => {
  for (const field of ["processId", "argv", "cwd", "env", "tty"])
    if (params?.[field] === undefined) throw refusal(-32602, `missing field \`${field}\``)
  for (const [field, type] of Object.entries(textFields))
    if (!Object.is(typeof params[field], type)) throw refusal(-32602, `invalid type: ${field}`)
  const { outputBytesCap: cap = 0 } = params
  if (!Number.isInteger(cap) || cap < 0) throw refusal(-32602, "invalid value: outputBytesCap")
  if (params.argv.length === 0) throw refusal(-32602, "argv must not be empty")
}

const connect = (parts, write, end) => {
  const processes = new Map()
  const error = (id, code, message) => write({ error: { code, message }, id })
  const notify = (method, params) => write({ method, params })
  const wire = { error, notify, write, end, greeted: false }
  const kill = (entry) => {
    try {
      parts.kill(entry)
    } catch {
      // it has just ended
    }
  }

  const exec = (params) =>
    new Promise((resolve, reject) => {
      checkExec(params)
      const { processId: id, argv, cwd, env, outputBytesCap: cap } = params
      if (parts.taken(processes, id)) throw refusal(-32600, `process ${id} already exists`)
      const [program, ...args] = argv
      const stdio = ["ignore", "pipe", "pipe"]
      const argv0 = params.arg0 ?? undefined
      const child = spawn(program, args, { cwd, env: parts.environment(env), stdio, argv0, detached: true })
      const entry = { id, child, cap, told: 0 }
      child.on("error", (cause) => reject(refusal(-32603, cause.message)))
      child.on("spawn", () => {
        processes.set(id, entry)
        resolve(parts.answer(entry))
        for (const stream of ["stdout", "stderr"])
          child[stream].on("data", (bytes) => {
            const kept = parts.cut(entry, bytes)
            entry.told += bytes.length
            if (kept.length > 0) notify("command/exec/outputDelta", parts.delta(entry, stream, kept))
          })
      })
      child.on(parts.exitEvent, (code, signal) =>
        setTimeout(() => {
          parts.forgetAtExit(processes, entry)
          parts.exited(entry, parts.exitCode(code, signal), wire)
        }, 30),
      )
    })

  const methods = {
    initialize: () => {
      wire.greeted = true
      return parts.initialize()
    },
    "command/exec": exec,
    "command/exec/write": ({ processId, chunk }) => {
      if (typeof chunk !== "string" || Buffer.from(chunk, "base64").toString("base64") !== chunk)
        throw refusal(-32602, "chunk must be base64")
      return parts.write(processes.get(processId), processId)
    },
    "command/exec/terminate": ({ processId }) => {
      const entry = processes.get(processId)
      if (entry === undefined) return { running: false }
      parts.forgetAtTerminate(processes, entry)
      kill(entry)
      return { running: true }
    },
  }

  const request = async ({ id, method, params }) => {
    try {
      if (!Object.hasOwn(methods, method)) {
        const { code, message } = parts.unknownMethod(method)
        throw refusal(code, message)
      }
      if (method !== "initialize" && !parts.admits(wire)) throw refusal(-32600, "call initialize first")
      const result = await methods[method](params)
      parts.answers(() => write({ id, result }))
    } catch ({ code = -32603, message }) {
      error(id, code, message)
    }
  }

  return {
    receive: (text) => {
      let message
      try {
        message = JSON.parse(text)
      } catch {
        return parts.malformed(wire)
      }
      if (message.method === undefined) return parts.stray(message, wire)
      if (message.id !== undefined) return void request(message)
      if (message.method !== "initialized") parts.unknownNotification(message.method, wire)
      return undefined
    },
    lost: () => parts.connectionEnds(processes, kill),
  }
}

const valueOf = (flag) => {
  const at = process.argv.indexOf(flag)
  return at < 0 ? undefined : process.argv[at + 1]
}

const parts = { ...right, ...faults[valueOf("--fault")] }
const address = valueOf("--listen") ?? "stdio"
if (address === "stdio") {
  const leave = () => {
    connection.lost()
    process.exit(0)
  }
  const connection = connect(parts, (message) => process.stdout.write(`${JSON.stringify(message)}\n`), leave)
  let rest = ""
  process.stdin.setEncoding("utf8").on("data", (text) => {
    const lines = (rest + text).split("\n")
    rest = lines.pop()
    for (const line of lines) connection.receive(line)
  })
  process.stdin.on("end", leave)
} else {
  const { hostname, port } = new URL(address)
  const server = new WebSocketServer({ host: hostname, port: Number(port), perMessageDeflate: false })
  server.on("listening", () => process.stdout.write(`ws://${hostname}:${server.address().port}\n`))
  server.on("connection", (socket) => {
    const write = (message) => socket.send(JSON.stringify(message))
    const connection = connect(parts, write, () => socket.terminate())
    socket.on("message", (bytes) => connection.receive(bytes.toString()))
    socket.on("error", () => socket.terminate())
    socket.on("close", connection.lost)
  })
  process.on("SIGTERM", () => process.exit(0))
}
