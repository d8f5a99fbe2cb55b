/**
 * The processes of a session: start, read, write, signal, terminate.
 *
 * Right as far as it goes: no tty, no arg0, no environment policies, and a client that does not read slows nobody down.
 */
import { spawn } from "node:child_process"
import { path } from "./Params.mjs"
import { internalError, invalidParams, invalidRequest, Refused } from "./Refused.mjs"

const retained = 1024 * 1024

/** Texts of the operating system for the errors that a start can have. */
const texts = {
  ENOENT: "No such file or directory (os error 2)",
  EACCES: "Permission denied (os error 13)",
  ENOTDIR: "Not a directory (os error 20)",
}

const refusal = ({ code, message }) => new Refused(internalError, texts[code] ?? message)

/** Numbers an event, keeps output, tells the client if there is one, and wakes the reads that wait. */
const publish = (session, entry, method, params, bytes) => {
  const seq = session.parts.seq(entry, method)
  if (bytes !== undefined) {
    entry.chunks.push({ seq, stream: params.stream, bytes, chunk: params.chunk })
    entry.size += bytes.length
    while (entry.size > retained) entry.size -= entry.chunks.shift().bytes.length
  }
  const message = { method, params: { processId: entry.id, seq, ...params } }
  if (bytes === undefined) entry.ends.push(message)
  session.connection?.send(message)
  return seq
}

/** Sends again what is still there of what came after these seqs. */
export const replay = ({ parts, processes }, after, send) => {
  for (const entry of processes.values()) {
    if (!Object.hasOwn(after, entry.id)) continue
    const output = entry.chunks.map(({ seq, stream, chunk }) => ({
      method: "process/output",
      params: { processId: entry.id, seq, stream, chunk },
    }))
    const events = [...output, ...entry.ends].sort((a, b) => a.params.seq - b.params.seq)
    parts.replayed(events, after[entry.id]).forEach(send)
  }
}

const wake = (entry) => {
  for (const look of entry.waiting) look()
}

/** Sorts exited and closed after the output of a child that has been started. */
const follow = (session, entry) => {
  const { child } = entry
  const { parts } = session
  let open = 2
  let status
  const exited = () => {
    if (entry.exitedSeq > 0) return
    entry.exitCode = parts.exitCode(...status)
    entry.exitedSeq = publish(session, entry, "process/exited", {
      exitCode: entry.exitCode,
      sandboxDenied: false,
    })
    wake(entry)
  }
  const settle = () => {
    if (status === undefined || open > 0) return
    exited()
    entry.closed = true
    publish(session, entry, "process/closed", {})
    wake(entry)
  }
  for (const stream of ["stdout", "stderr"]) {
    child[stream].on("data", (bytes) => {
      publish(session, entry, "process/output", { stream, chunk: parts.encode(bytes, stream) }, bytes)
      wake(entry)
    })
    child[stream].on("close", () => {
      open -= 1
      settle()
    })
  }
  child.on("exit", (code, signal) => {
    status = [code, signal]
    settle()
    setTimeout(exited, parts.exitPatience)
    if (entry.terminated) setTimeout(() => [child.stdout, child.stderr].forEach((one) => one.destroy()), 100)
  })
}

/** Some errors of a start are thrown, others come as an event. */
const launch = ([program, ...args], options) => {
  try {
    return spawn(program, args, options)
  } catch (error) {
    throw refusal(error)
  }
}

export const start = (session, params) => {
  const { parts, processes } = session
  const { argv, env, processId: id, pipeStdin = false } = params
  if (argv.length === 0) throw new Refused(invalidParams, "argv must not be empty")
  const cwd = path(params.cwd)
  if (parts.taken(processes.get(id))) throw new Refused(invalidRequest, `process ${id} already exists`)
  if (argv[0] === "") throw new Refused(internalError, "missing program for pipe spawn")
  if ([...argv, ...Object.entries(env).flat()].some((text) => text.includes("\0")))
    throw new Refused(internalError, "nul byte found in provided data")
  const input = pipeStdin ? "pipe" : parts.noInput
  const options = { cwd, env: parts.environment(env), detached: true, stdio: [input, "pipe", "pipe"] }
  const child = launch(argv, options)
  const entry = { id, child, pipeStdin, chunks: [], ends: [], size: 0, next: 1, exitCode: null, exitedSeq: 0 }
  Object.assign(entry, { closed: false, terminated: false, waiting: new Set(), writeIds: new Set() })
  processes.set(id, entry)
  child.stdin?.on("error", () => undefined)
  if (child.pid !== undefined) {
    follow(session, entry)
    return { processId: id, sandboxType: "none" }
  }
  parts.forget(session, id)
  return new Promise((_, reject) => {
    child.on("error", (error) => reject(refusal(error)))
  })
}

export const read = async (session, { processId, afterSeq, maxBytes, waitMs }) => {
  const { parts, processes } = session
  const entry = processes.get(processId)
  if (entry === undefined) throw new Refused(invalidRequest, `unknown process id ${processId}`)
  const from = afterSeq ?? 0
  if ((waitMs ?? 0) > 0 && !parts.wakes(entry, from)) {
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.min(waitMs, 2 ** 31 - 1))
      const look = () => {
        if (!parts.wakes(entry, from)) return
        clearTimeout(timer)
        entry.waiting.delete(look)
        resolve()
      }
      entry.waiting.add(look)
    })
  }
  const all = parts.after(entry, from)
  const some = maxBytes == null ? all : parts.page(all, maxBytes)
  const nextSeq = maxBytes == null || some.length === 0 ? entry.next : some.at(-1).seq + 1
  const { closed, exitCode } = entry
  return {
    chunks: some.map(({ seq, stream, chunk }) => ({ seq, stream, chunk })),
    nextSeq,
    exited: entry.exitedSeq > 0,
    exitCode,
    closed,
    failure: null,
    sandboxDenied: false,
  }
}

/** A write to a process that has exited by itself is lost without a word. */
export const write = (session, { processId, chunk, writeId }) => {
  const entry = session.processes.get(processId)
  if (entry === undefined) return { status: "unknownProcess" }
  if (!entry.pipeStdin) return { status: "stdinClosed" }
  if (session.parts.repeated(entry, writeId)) return { status: "accepted" }
  if (entry.terminated) throw new Refused(internalError, "failed to write to process stdin")
  return new Promise((resolve) => {
    session.parts.input(entry, Buffer.from(chunk, "base64"), () => resolve({ status: "accepted" }))
  })
}

/** Signals the group of a process; harmless if nobody is left in it. */
const kill = ({ parts }, entry, signal) => {
  try {
    parts.kill(entry, signal)
  } catch (error) {
    if (error.code !== "ESRCH") throw error
  }
}

export const interrupt = (session, { processId }) => {
  const entry = session.processes.get(processId)
  if (entry !== undefined && entry.exitCode === null) kill(session, entry, "SIGINT")
  return {}
}

export const terminate = (session, { processId }) => {
  const entry = session.processes.get(processId)
  const running = entry !== undefined && entry.exitCode === null
  if (running) {
    entry.terminated = true
    kill(session, entry, "SIGKILL")
  }
  return { running }
}

/** Ends every process of a session, also what a process that has exited has left in its group. */
export const end = (session) => {
  const left = [...session.processes.values()].filter(
    ({ child, closed }) => child.pid !== undefined && !closed,
  )
  session.parts.sweep(left, (entry, signal) => kill(session, entry, signal))
}
