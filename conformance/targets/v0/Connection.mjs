// @ts-check
/** One connection of the server of v0: its processes, and what comes and goes. */
import { spawn } from "node:child_process"
import { refusal } from "./Parts.mjs"
/**
 * @typedef {import("./Parts.mjs").Child} Child
 * @typedef {import("./Parts.mjs").Entry} Entry
 * @typedef {import("./Parts.mjs").Entries} Entries
 * @typedef {import("./Parts.mjs").Parts} Parts
 * @typedef {import("./Parts.mjs").Wire} Wire
 */

/** How long, in milliseconds, an exit waits for output that is still on its way. */
const exitPatience = 30

/** @type {Record<string, string>} */
const types = { processId: "string", cwd: "string", tty: "boolean" }

/** @param {any} params */
const checkExec = (params) => {
  for (const field of ["processId", "argv", "cwd", "env", "tty"])
    if (params?.[field] === undefined) throw refusal(-32602, `missing field \`${field}\``)
  for (const [field, type] of Object.entries(types))
    if (!Object.is(typeof params[field], type)) throw refusal(-32602, `invalid type: ${field}`)
  const { outputBytesCap: cap = 0 } = params
  if (!Number.isInteger(cap) || cap < 0) throw refusal(-32602, "invalid value: outputBytesCap")
  if (params.argv.length === 0) throw refusal(-32602, "argv must not be empty")
}

/**
 * Sends output and the exit of a child that runs.
 * @param {Parts} parts
 * @param {Entries} processes
 * @param {Entry} entry
 * @param {Wire} wire
 */
const follow = (parts, processes, entry, wire) => {
  const { child } = entry
  for (const stream of /** @type {const} */ (["stdout", "stderr"]))
    child[stream].on("data", (/** @type {Buffer} */ bytes) => {
      const kept = parts.cut(entry, bytes)
      entry.told += bytes.length
      if (kept.length > 0) wire.notify("command/exec/outputDelta", parts.delta(entry, stream, kept))
    })
  // Timers run before the event loop polls. After one more poll, all that was written before the exit is read, even if
  // the timer is late.
  child.on(parts.exitEvent, (code, signal) =>
    setTimeout(setImmediate, exitPatience, () => {
      parts.forgetAtExit(processes, entry)
      parts.exited(entry, parts.exitCode(code, signal), wire)
    }),
  )
}

/**
 * Starts a process; its answer.
 * @param {Parts} parts
 * @param {Entries} processes
 * @param {Wire} wire
 * @param {any} params
 */
const exec = (parts, processes, wire, params) =>
  new Promise((resolve, reject) => {
    checkExec(params)
    const { processId: id, argv, cwd, env, outputBytesCap: cap } = params
    if (parts.taken(processes, id)) throw refusal(-32600, `process ${id} already exists`)
    const [program, ...args] = argv
    /** @type {import("node:child_process").SpawnOptions} */
    const options = { cwd, env: parts.environment(env), stdio: ["ignore", "pipe", "pipe"], detached: true }
    const child = spawn(program, args, { ...options, argv0: params.arg0 ?? undefined })
    const entry = { id, child: /** @type {Child} */ (/** @type {unknown} */ (child)), cap, told: 0 }
    child.on("error", (cause) => reject(refusal(-32603, cause.message)))
    child.on("spawn", () => {
      processes.set(id, entry)
      resolve(parts.answer(entry))
      follow(parts, processes, entry, wire)
    })
  })

/**
 * The handlers by method.
 * @param {Parts} parts
 * @param {Entries} processes
 * @param {Wire} wire
 * @param {(entry: Entry) => void} kill
 * @returns {Record<string, (params: any) => unknown>}
 */
const handlers = (parts, processes, wire, kill) => ({
  initialize: () => {
    wire.greeted = true
    return parts.initialize()
  },
  "command/exec": (params) => exec(parts, processes, wire, params),
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
})

/**
 * A connection that has just been opened: `write` sends a message, `end` ends the connection.
 * @param {Parts} parts
 * @param {(message: unknown) => void} write
 * @param {() => void} end
 */
export const make = (parts, write, end) => {
  /** @type {Entries} */
  const processes = new Map()
  /** @type {Wire} */
  const wire = {
    error: (id, code, message) => write({ error: { code, message }, id }),
    notify: (method, params) => write({ method, params }),
    write,
    end,
    greeted: false,
  }
  const kill = (/** @type {Entry} */ entry) => {
    try {
      parts.kill(entry)
    } catch {
      // It has just ended.
    }
  }
  const methods = handlers(parts, processes, wire, kill)

  const request = async (
    /** @type {{ id: unknown, method: string, params: unknown }} */ { id, method, params },
  ) => {
    try {
      const run = Object.hasOwn(methods, method) ? methods[method] : undefined
      if (run === undefined) {
        const { code, message } = parts.unknownMethod(method)
        throw refusal(code, message)
      }
      if (method !== "initialize" && !parts.admits(wire)) throw refusal(-32600, "call initialize first")
      const result = await run(params)
      parts.answers(() => write({ id, result }))
    } catch (/** @type {any} */ { code = -32603, message }) {
      wire.error(id, code, message)
    }
  }

  return {
    /** @param {string} text */
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
