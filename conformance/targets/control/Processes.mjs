// @ts-check
/**
 * The processes of a session: start, read, write, signal, terminate.
 *
 * Right as far as it goes: no tty, no arg0, no environment policies, and no back-pressure.
 */
import { spawn } from "node:child_process"
import * as Attach from "./Attach.mjs"
import * as Attached from "./Attached.mjs"
import { scope } from "./Scopes.mjs"
import * as Deadlines from "./Deadlines.mjs"
import { account, flush, follow } from "./Events.mjs"
import { path, toSignal } from "./Params.mjs"
import * as History from "./History.mjs"
import { internalError, invalidParams, invalidRequest, Refused } from "./Refused.mjs"

/**
 * @typedef {import("./Parts.mjs").Child} Child
 * @typedef {import("./Parts.mjs").Entry} Entry
 * @typedef {import("./Parts.mjs").Session} Session
 */

/**
 * Texts of the operating system for the errors that a start can have.
 * @type {Record<string, string>}
 */
const texts = {
  ENOENT: "No such file or directory (os error 2)",
  EACCES: "Permission denied (os error 13)",
  ENOTDIR: "Not a directory (os error 20)",
}

/** @param {any} error */
const refusal = ({ code, message }) => new Refused(internalError, texts[code] ?? message)

/**
 * Some errors of a start are thrown, others come as an event.
 * @param {[program: string, ...args: Array<string>]} argv
 * @param {import("node:child_process").SpawnOptions} options
 */
const launch = ([program, ...args], options) => {
  try {
    return /** @type {Child} */ (spawn(program, args, options))
  } catch (error) {
    throw refusal(error)
  }
}

/**
 * @param {Session} session
 * @param {{
 *   processId: string, argv: [string, ...Array<string>], cwd: string, env: Record<string, string>, pipeStdin?: boolean,
 *   credit?: number | null, receipt?: boolean | null, timeoutMs?: number | null, idleTimeoutMs?: number | null,
 *   history?: { maxBytes: number } | null, killGraceMs?: number | null, ending?: boolean | null,
 *   signalOnTimeout?: string | number | null, name?: string | null, labels?: Record<string, string> | null,
 *   marks?: boolean | null, keep?: boolean | null
 * }} params
 */
export const start = (session, params) => {
  const { parts, processes } = session
  const { argv, env, processId: id, pipeStdin = false } = params
  if (argv.length === 0) throw new Refused(invalidParams, "argv must not be empty")
  const cwd = path(params.cwd)
  History.check(params.history)
  if (params.keep === true && !parts.mayControl(scope))
    throw new Refused(invalidRequest, "keep needs the scope control")
  if (parts.taken(processes.get(id))) throw new Refused(invalidRequest, `process ${id} already exists`)
  if (argv[0] === "") throw new Refused(internalError, "missing program for pipe spawn")
  if ([...argv, ...Object.entries(env).flat()].some((text) => text.includes("\0")))
    throw new Refused(internalError, "nul byte found in provided data")
  const input = pipeStdin ? "pipe" : parts.noInput
  /** @type {import("node:child_process").SpawnOptions} */
  const options = { cwd, env: parts.environment(env), detached: true, stdio: [input, "pipe", "pipe"] }
  const startedAtMs = Date.now()
  const child = launch(argv, options)
  /** @type {Entry} */
  const entry = {
    id,
    child,
    pipeStdin,
    chunks: [],
    ends: [],
    size: 0,
    next: 1,
    exitCode: null,
    exitedSeq: 0,
    closed: false,
    terminated: false,
    waiting: new Set(),
    writeIds: new Set(),
    credit: params.credit ?? Infinity,
    held: [],
    account: session.parts.accounts(params.receipt === true) ? account(startedAtMs) : undefined,
    receipt: undefined,
    grace: { signal: toSignal(params.signalOnTimeout ?? "SIGTERM"), millis: params.killGraceMs ?? 5000 },
    asked: undefined,
    history: session.parts.remembered(params.history ?? undefined),
    told: parts.tellsEnding(params.ending ?? (params.timeoutMs != null || params.idleTimeoutMs != null)),
    names: { ...(params.name == null ? {} : { name: params.name }), labels: params.labels ?? {} },
    argv,
    cwd: params.cwd,
    startedAtMs,
    written: 0,
    scan: parts.marked(params.marks === true) ? { held: Buffer.alloc(0), cwd: null } : undefined,
    marks: [],
    attachments: new Set(),
    writers: [],
    moved: false,
    removing: false,
  }
  processes.set(id, entry)
  child.stdin?.on("error", () => undefined)
  if (child.pid !== undefined) {
    follow(session, entry)
    Deadlines.begin(session, entry, params, kill)
    return { processId: id, sandboxType: "none" }
  }
  parts.forget(session, id)
  return new Promise((_, reject) => {
    child.on("error", (error) => reject(refusal(error)))
  })
}

/**
 * @param {Session} session
 * @param {{ processId: string, afterSeq?: number | null, maxBytes?: number | null, waitMs?: number | null }} params
 */
export const read = async (session, { processId, afterSeq, maxBytes, waitMs }) => {
  const { parts, processes } = session
  const entry = processes.get(processId)
  if (entry === undefined) throw new Refused(invalidRequest, `unknown process id ${processId}`)
  const from = afterSeq ?? 0
  const patience = Math.min(waitMs ?? 0, 2 ** 31 - 1)
  if (patience > 0 && !parts.wakes(entry, from)) {
    await new Promise((/** @type {(value?: unknown) => void} */ resolve) => {
      const timer = setTimeout(resolve, patience)
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
  const some = maxBytes === undefined || maxBytes === null ? all : parts.page(all, maxBytes)
  const last = some.at(-1)
  if (entry.account !== undefined) entry.account.told = Math.max(entry.account.told, last?.seq ?? 0)
  const nextSeq = some === all || last === undefined ? entry.next : last.seq + 1
  const { closed, exitCode } = entry
  return {
    chunks: some.map(({ seq, stream, chunk }) => ({ seq, stream, chunk })),
    nextSeq,
    exited: entry.exitedSeq > 0,
    exitCode,
    closed,
    failure: null,
    sandboxDenied: false,
    ...entry.ending,
    ...(entry.scan === undefined
      ? {}
      : { marks: parts.marksRead(entry.marks.filter(({ seq }) => seq > from && seq < nextSeq)) }),
    ...(entry.receipt === undefined ? {} : { receipt: entry.receipt }),
  }
}

/**
 * A write to a process that has exited is accepted and lost.
 * @param {Session} session
 * @param {{ processId: string, chunk: string, writeId: string }} params
 */
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

/**
 * Signals the group of a process; harmless if the group is empty.
 * @param {Session} session
 * @param {Entry} entry
 * @param {NodeJS.Signals} signal
 */
const kill = ({ parts }, entry, signal) => {
  try {
    parts.kill(entry, signal)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error
  }
}

/**
 * @param {Session} session
 * @param {{ processId: string, signal: string | number }} params
 */
export const signal = (session, { processId, signal: name }) => {
  const entry = session.processes.get(processId)
  if (entry !== undefined && entry.exitCode === null) kill(session, entry, toSignal(name))
  return {}
}

/**
 * @param {Session} session
 * @param {{
 *   processId: string, signal?: string | number | null, graceMs?: number | null, remove?: boolean | null
 * }} params
 */
export const terminate = (session, { processId, signal: name, graceMs, remove }) => {
  const entry = session.processes.get(processId)
  const running = entry !== undefined && entry.exitCode === null
  if (running && session.parts.asksFirst(name != null || graceMs != null)) {
    const grace = { signal: toSignal(name ?? "SIGTERM"), millis: graceMs ?? entry.grace.millis }
    Deadlines.end(session, entry, "terminate", grace, kill)
  } else if (running) {
    entry.terminated = true
    kill(session, entry, "SIGKILL")
  }
  if (entry !== undefined && session.parts.removes(remove === true)) {
    entry.removing = true
    if (entry.closed) Attached.remove(session, entry)
  }
  return { running }
}

/**
 * @param {Session} session
 * @param {{ processId: string, bytes: number }} params
 */
export const credit = (session, { processId, bytes }) => {
  if (Attach.credit(session, { processId, bytes })) return {}
  const entry = session.processes.get(processId)
  if (entry === undefined) throw new Refused(invalidRequest, `unknown process id ${processId}`)
  const left = session.parts.granted(entry.credit, bytes)
  if (!Number.isSafeInteger(left)) throw new Refused(invalidParams, "too much credit")
  entry.credit = left
  flush(session, entry)
  return {}
}

/**
 * Kills the group of every process that is not closed, also of one that has exited and left descendants.
 * @param {Session} session
 */
export const end = (session) => {
  const left = [...session.processes.values()].filter(
    ({ child, closed }) => child.pid !== undefined && !closed,
  )
  session.parts.sweep(left, (entry, signal) => kill(session, entry, signal))
}
