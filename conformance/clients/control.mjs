#!/usr/bin/env node
// @ts-check
// A small client of the wire that is right, over unix sockets and TCP: `control.mjs URL ARGV…` runs ARGV on the server,
// prints its output and ends with its exit code. With the variable FAULT it is wrong in one way: see `faults.json`.
import { connect } from "node:net"
import { createInterface } from "node:readline"
import { buffer } from "node:stream/consumers"

const [url = "", ...argv] = process.argv.slice(2)
const fault = process.env["FAULT"]
const processId = "p1"

/** @typedef {{ readonly seq: number, readonly stream?: string, readonly chunk?: string, readonly exitCode?: number, readonly closed?: true }} Event */

const state = {
  /** @type {import("node:net").Socket | undefined} */
  socket: undefined,
  /** @type {string | undefined} */
  sessionId: undefined,
  nextId: 1,
  started: false,
  written: false,
  /** The seq of what was delivered last. */
  delivered: 0,
  exitCode: 1,
  reading: false,
  attempts: 0,
}
/** @type {Map<number, Event>} What came before its turn. */
const ahead = new Map()
/** @typedef {{ readonly method: string, readonly params: any, readonly done: (result: any) => void }} Asked */
/** @type {Map<number, Asked>} */
const asked = new Map()
/** @type {Asked[]} What was asked on lost connections. */
let unanswered = []

/** @param {unknown} message */
const send = (message) => void state.socket?.write(`${JSON.stringify(message)}\n`)

/**
 * The result of a request; never, if the connection is lost before.
 * @param {string} method
 * @param {any} params
 * @returns {Promise<any>}
 */
const ask = (method, params) =>
  new Promise((done) => {
    const id = fault === "same-id" && method !== "initialize" ? 2 : state.nextId++
    asked.set(id, { method, params, done })
    send({ id, method, params })
  })

/** @param {string} message @returns {never} */
const die = (message) => {
  process.stderr.write(`control: ${message}\n`)
  process.exit(1)
}

const end = () => process.stdout.write("", () => process.exit(state.exitCode))

/** @param {Event} event */
const deliver = ({ chunk, closed, exitCode, stream }) => {
  if (chunk !== undefined && fault === "text-output")
    process.stdout.write(Buffer.from(chunk, "base64").toString("utf8"))
  else if (chunk !== undefined)
    (stream === "stderr" ? process.stderr : process.stdout).write(Buffer.from(chunk, "base64"))
  if (exitCode !== undefined) state.exitCode = exitCode
  if (closed || (fault === "ends-at-exited" && exitCode !== undefined)) end()
}

/** Takes an event in its turn. @param {Event} event */
const take = (event) => {
  if (fault === "arrival-order" || fault === "no-dedup") {
    if (fault === "arrival-order" && event.seq <= state.delivered) return
    state.delivered = Math.max(state.delivered, event.seq)
    return deliver(event)
  }
  if (event.seq <= state.delivered) return
  ahead.set(event.seq, event)
  if (fault === "skips-gaps") state.delivered = event.seq - 1
  for (let next = ahead.get(state.delivered + 1); next !== undefined; next = ahead.get(state.delivered + 1)) {
    ahead.delete(next.seq)
    state.delivered = next.seq
    deliver(next)
  }
  if (ahead.size > 0) void readOn()
}

/** Fills what is missing. */
const readOn = async () => {
  if (state.reading || fault === "waits-for-gaps") return
  state.reading = true
  const { chunks, closed, exitCode, exited, nextSeq } = await ask("process/read", {
    processId,
    afterSeq: state.delivered,
  })
  state.reading = false
  const had = new Set([...ahead.keys(), ...chunks.map((/** @type {Event} */ { seq }) => seq)])
  for (const chunk of chunks) if (!ahead.has(chunk.seq)) take(chunk)
  // A seq that a read does not show as a chunk is exited or closed.
  for (let seq = state.delivered + 1; seq < nextSeq; seq += 1) {
    const last = closed && seq === nextSeq - 1
    if (!had.has(seq)) take(last ? { seq, closed: true } : exited ? { seq, exitCode } : { seq })
  }
}

const input = buffer(process.stdin)

const write = async () => {
  const bytes = await input
  if (bytes.length === 0 || state.written) return
  const writeId = fault === "new-write-ids" ? `w${Math.random()}` : "w1"
  await ask("process/write", { processId, chunk: bytes.toString("base64"), writeId })
  state.written = true
}

/** @param {any} message */
const hear = ({ error, id, method, params, result, ...rest }) => {
  if (fault === "strict-members" && Object.keys(rest).length > 0) die("a member that I do not know")
  if (fault === "strict-methods" && method !== undefined && !/^process\/(output|exited|closed)$/.test(method))
    die(`no such notification: ${method}`)
  if (method !== undefined) {
    if (params?.processId !== processId && fault !== "any-process") return
    if (method === "process/output") take(params)
    if (method === "process/exited") take({ seq: params.seq, exitCode: params.exitCode })
    if (method === "process/closed") take({ seq: params.seq, closed: true })
    return
  }
  const request = asked.get(id)
  asked.delete(id)
  if (error !== undefined) die(`${request?.method}: ${error.message}`)
  request?.done(result)
}

const session = async () => {
  const resumed = state.sessionId !== undefined && fault !== "no-resume"
  // Both in one write, so that the system cannot let another program run between them.
  if (fault === "initialized-at-once") state.socket?.cork()
  const asking = ask("initialize", {
    clientName: "control",
    ...(resumed ? { resumeSessionId: state.sessionId } : {}),
  })
  if (fault === "initialized-at-once") {
    send({ method: "initialized" })
    state.socket?.uncork()
  }
  const { sessionId } = await asking
  state.sessionId = sessionId
  state.attempts = 0
  if (fault !== "initialized-at-once" && fault !== "no-initialized") send({ method: "initialized" })
  if (!state.started || fault === "starts-again") {
    const start = { processId, argv, cwd: "file:///", env: {}, tty: false, pipeStdin: true }
    const started = ask("process/start", fault === "undeclared" ? { ...start, receipt: true } : start)
    await started
    state.started = true
  } else if (fault !== "no-read-after-resume") void readOn()
  for (const { done, method, params } of unanswered)
    if (method === "process/read") void ask(method, params).then(done)
  await write()
}

const open = () => {
  const [, kind, place = ""] = /^(unix|tcp):(.*)$/.exec(url) ?? die(`not an address: ${url}`)
  const tcp = /^\/\/(.*):(\d+)$/.exec(place)
  const socket = kind === "unix" ? connect(place) : connect({ host: tcp?.[1] ?? "", port: Number(tcp?.[2]) })
  state.socket = socket
  state.reading = false
  unanswered = fault === "repeats-reads" ? [...asked.values()] : []
  asked.clear()
  socket.on("error", () => undefined)
  socket.on("connect", () => void session())
  const reader = createInterface({ input: socket })
  reader.on("error", () => undefined)
  reader.on("line", (line) => hear(JSON.parse(line)))
  socket.on("close", () => {
    if (fault === "no-reconnect" || state.attempts++ > 50) die("the connection is lost")
    setTimeout(open, 20)
  })
}
open()
