// @ts-check
// Ends servers with `--keep` again and again under processes of all kinds, by SIGKILL, by SIGTERM and by an upgrade
// (SIGUSR2), also amid writes and starts. A client resumes its session at each next one, reads what it has missed, and
// judges every seq, line, exit code and keystroke. At the end no process, holder or socket may be left.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { progress, randomOf, stress, within } from "./lib/command.mjs"
import * as Peers from "./lib/wires.mjs"
import * as Proc from "./lib/proc.mjs"
import { onRuntime, serve } from "./lib/servers.mjs"

/** Prints numbers, so many in a row, then sleeps. */
const numbers = (/** @type {number} */ many, /** @type {number} */ seconds) =>
  `i=0; while :; do seq $i $((i + ${many - 1})); i=$((i + ${many})); sleep ${seconds}; done`

/**
 * Output below what a holder retains must come whole. More than that may have gaps: missing seqs, never missing bytes
 * between two that follow each other.
 * @typedef {{ script: string, count: number, tty?: boolean, gaps?: boolean, lines?: boolean }} Kind
 * @type {Readonly<Record<string, Kind>>}
 */
const kinds = {
  flood: { script: numbers(50_000, 0.2), count: 2, gaps: true },
  steady: { script: numbers(200, 0.1), count: 5 },
  terminal: { script: numbers(100, 0.1), count: 4, tty: true },
  quiet: { script: numbers(1, 0.5), count: 4 },
}
/** Lines that are under way to `cat` when a server ends. */
const burst = 20
/** Processes that exit meanwhile, in each round. */
const leavers = 3

/** A process as its client has it. */
class Followed {
  /** Of events that came before one that is missing. @type {Map<number, string>} */
  waiting = new Map()
  /** The seq of the next event. */
  next = 1
  gaps = 0
  /** The number in the next line; undefined behind a gap. @type {number | undefined} */
  line = 0
  /** True while the next line may lack its begin. */
  torn = false
  rest = ""
  closed = false
  /** @type {number | undefined} */
  exitCode
  /** @param {string} id @param {Kind} kind @param {(text: string) => void} fail */
  constructor(id, kind, fail) {
    this.id = id
    this.kind = kind
    this.fail = fail
  }
  /** @param {number} seq @param {string} [text] */
  take(seq, text = "") {
    if (seq < this.next) return
    const before = this.waiting.get(seq)
    if (before !== undefined && before !== text) this.fail(`${this.id}: two events have the seq ${seq}`)
    this.waiting.set(seq, text)
    for (; ; this.next += 1) {
      const now = this.waiting.get(this.next)
      if (now === undefined) return
      this.waiting.delete(this.next)
      this.print(now)
    }
  }
  /** All that is retained has been read: a seq that is still missing is lost. */
  settle() {
    while (this.waiting.size > 0 && !this.waiting.has(this.next)) {
      const first = Math.min(...this.waiting.keys())
      // The exit has a seq and is not among the chunks of a read.
      const isExit = this.exitCode !== undefined && first === this.next + 1
      if (!isExit) {
        this.gaps += 1
        if (this.kind.gaps !== true) this.fail(`${this.id}: the seqs ${this.next} to ${first - 1} are lost`)
        this.rest = ""
        this.line = undefined
        this.torn = true
      }
      this.next = first
      this.take(first, this.waiting.get(first))
    }
  }
  /** @param {string} text */
  print(text) {
    if (this.kind.lines === false) return
    this.rest += text
    const lines = this.rest.split("\n")
    this.rest = lines.pop() ?? ""
    for (const line of lines) {
      const number = Number(line)
      if (this.line !== undefined && number !== this.line)
        this.fail(`${this.id}: the line ${JSON.stringify(line)} in place of ${this.line}`)
      this.line = this.torn ? undefined : number + 1
      this.torn = false
    }
  }
}

export const keep = stress({
  says: "ends servers with --keep under processes: no line, keystroke or exit code may be lost, and nothing left",
  options: {
    rounds: { says: "how many servers", usual: 20 },
    runtime: onRuntime,
    seed: { says: "where the random numbers begin", usual: 1 },
  },
  play: async ({ rounds, runtime, seed }, { row, fail, failed }) => {
    const random = randomOf(seed)
    const mark = randomUUID()
    const folder = mkdtempSync(join(tmpdir(), "procwire-keep-"))
    const state = join(folder, "state")
    const written = join(folder, "written")
    const env = { PATH: process.env["PATH"], TERM: "xterm", [Proc.markName]: mark }
    const args = ["--keep", `--keep-dir=${state}`, "--detached-ttl-ms=600000", "--retention-ms=600000"]
    /** @returns {Promise<Ending>} */
    const begin = async () => {
      const { child, gone, stop, transport, url } = await serve({ runtime, transport: "ws", args, mark })
      return { transport, url, gone, stop, kill: (signal) => void child.kill(signal) }
    }
    /** The one that has taken the place of a server. @param {Ending} server @returns {Ending} */
    const successorOf = ({ transport, url }) => {
      const [one] = Proc.marked(mark).filter(isSuccessor)
      if (one === undefined) throw new Error("a server is gone after SIGUSR2, and has no successor")
      const gone = Proc.eventually(() => !Proc.alive(one), Number.POSITIVE_INFINITY)
      const kill = (/** @type {NodeJS.Signals} */ signal) => void process.kill(one.pid, signal)
      return { transport, url, gone, kill, stop: async () => (kill("SIGTERM"), gone) }
    }
    // The holder and successors end with this program, also where that ends early.
    process.once("exit", () =>
      Proc.marked(mark)
        .filter((one) => isHolder(one) || isSuccessor(one))
        .forEach(({ pid }) => process.kill(pid)),
    )
    /** The numbers of what was done. @type {Record<string, number>} */
    const tally = {}
    const count = (/** @type {string} */ name, by = 1) => (tally[name] = (tally[name] ?? 0) + by)

    /** @type {Map<string, Followed>} */
    const all = new Map()
    /** @param {string} id @param {Kind} kind */
    const follow = (id, kind) => {
      const one = new Followed(id, kind, fail)
      all.set(id, one)
      return one
    }
    const connect = async (/** @type {Peers.Address} */ server, sessionId = "") => {
      const client = await Peers.connect(server, (method, params) => {
        const { processId, seq, chunk = "" } = params
        const one = all.get(processId)
        if (one === undefined) return
        if (method === "process/exited") one.exitCode = /** @type {any} */ (params).exitCode
        if (method === "process/closed") one.closed = true
        one.take(seq, Buffer.from(chunk, "base64").toString("latin1"))
      })
      const session = await client.handshake(sessionId === "" ? {} : { resumeSessionId: sessionId })
      return { ...client, session }
    }
    /** Reads what a process has printed while its client was away. @param {Peers.Params} client @param {Followed} one */
    const catchUp = async ({ call }, one) => {
      for (let afterSeq = one.next - 1; ;) {
        const read = await call("process/read", { processId: one.id, afterSeq, maxBytes: 1_000_000 })
        for (const { seq, chunk } of read.chunks)
          one.take(seq, Buffer.from(chunk, "base64").toString("latin1"))
        if (read.chunks.length === 0) {
          if (read.exited) one.exitCode = read.exitCode
          one.closed ||= read.closed
          return one.settle()
        }
        afterSeq = read.chunks.at(-1).seq
      }
    }

    let server = await begin()
    let client = await connect(server)
    const { session } = client
    /** @param {Followed} one @param {readonly string[]} argv @param {object} [how] */
    const start = (one, argv, how = {}) =>
      client.call("process/start", Peers.start(one.id, argv, { env, tty: one.kind.tty ?? false, ...how }))

    for (const [name, kind] of Object.entries(kinds)) {
      for (let at = 0; at < kind.count; at += 1)
        await start(follow(`${name}${at}`, kind), ["sh", "-c", kind.script])
    }
    const echo = follow("echo", { script: "", count: 1 })
    await start(echo, ["cat"], { pipeStdin: true })
    const vim = follow("vim", { script: "", count: 1, tty: true, lines: false })
    await start(vim, ["vim", "-u", "NONE", "-i", "NONE", "-n", written])
    let writes = 0
    /** A write that is sent again with its id if its answer is lost. @param {Followed} one @param {string} text */
    const write = (one, text) => {
      const params = {
        processId: one.id,
        chunk: Buffer.from(text).toString("base64"),
        writeId: `w${(writes += 1)}`,
      }
      const send = async () => {
        const { status } = await client.call("process/write", params)
        if (status !== "accepted") fail(`a write to ${one.id} is ${status}`)
      }
      return {
        send,
        sent: send().then(
          () => true,
          () => false,
        ),
      }
    }
    await write(vim, "i").sent

    for (let round = 0; round < rounds && !failed(); round += 1) {
      /** @type {Map<Followed, number>} */
      const codes = new Map()
      for (let at = 0; at < leavers; at += 1) {
        const one = follow(`leaver${round}.${at}`, { script: "", count: 1 })
        codes.set(one, random.below(200))
        const millis = random.below(1500) / 1000
        await start(one, ["sh", "-c", `echo 0; sleep ${millis}; echo 1; exit ${codes.get(one)}`])
      }
      await sleep(random.below(400))
      // A start and writes are under way when the server ends.
      const lost = follow(`lost${round}`, { script: "", count: 1 })
      const started = start(lost, ["sh", "-c", "echo 0; exec sleep 600"]).then(
        () => true,
        () => false,
      )
      const under = [write(vim, `line ${round}\r`)]
      for (let at = 0; at < burst; at += 1) {
        under.push(write(echo, `${round * burst + at}\n`))
        if (random.chance(0.3)) await sleep(1)
      }
      const signal = /** @type {const} */ (["SIGKILL", "SIGUSR2", "SIGTERM"])[round % 3] ?? "SIGKILL"
      server.kill(signal)
      await within(server.gone, 300_000, `the end of a server after ${signal}`)
      count(signal)
      client.wire.destroy()
      if (random.chance(0.5)) await sleep(random.below(1000))

      server = signal === "SIGUSR2" ? successorOf(server) : await begin()
      client = await connect(server, session)
      if (client.session !== session) return fail(`the session ${session} is lost in round ${round}`)
      const wasStarted = await started
      for (const { sent, send } of under) {
        if (await sent) continue
        count("writes sent again")
        await send()
      }
      const [found] = await Promise.allSettled([catchUp(client, lost)])
      if (found?.status === "fulfilled") await client.call("process/terminate", { processId: lost.id })
      else if (wasStarted) fail(`${lost.id} was started, and is lost: ${found?.reason}`)
      else all.delete(lost.id)
      const before = new Map([...all.values()].map((one) => [one, one.next]))
      for (const one of all.values()) if (!one.closed) await catchUp(client, one)
      const lively = [...all.values()].filter(({ id }) => /^(flood|steady|terminal|quiet)/.test(id))
      const isLively = () => lively.every((one) => one.next > (before.get(one) ?? 0) || one.closed)
      if (!(await Proc.eventually(isLively, 30_000))) fail("a process prints nothing more")
      for (const one of lively)
        if (one.exitCode !== undefined) fail(`${one.id} has exited with ${one.exitCode}`)
      for (const [one, code] of codes) {
        if (!(await Proc.eventually(() => one.closed, 60_000))) fail(`${one.id} does not close`)
        if (one.exitCode !== code) fail(`${one.id} has exited with ${one.exitCode} in place of ${code}`)
        if (one.line !== 2) fail(`${one.id} has printed ${one.line} of 2 lines`)
        all.delete(one.id)
        count("exit codes")
      }
      if (!(await Proc.eventually(() => echo.line === (round + 1) * burst, 30_000)))
        fail(`of ${(round + 1) * burst} lines ${echo.line} came back`)
      progress(`${round + 1} of ${rounds}: ${JSON.stringify(tally)}`)
    }

    await write(vim, "\u001b:wq\r").sent
    if (!(await Proc.eventually(() => vim.closed, 30_000))) fail("vim does not end")
    if (vim.exitCode !== 0) fail(`vim has exited with ${vim.exitCode}`)
    const wanted = Array.from({ length: rounds }, (_, round) => `line ${round}\n`).join("")
    if (!failed() && readFileSync(written, "utf8") !== `${wanted}\n`)
      fail(`vim has written ${readFileSync(written, "utf8").slice(0, 500)}`)
    for (const [name, number] of Object.entries(tally)) row(name, String(number))
    const of = (/** @type {string} */ name) => [...all.values()].filter(({ id }) => id.startsWith(name))
    row(
      "lines of steady processes",
      String(["steady", "terminal", "quiet"].flatMap(of).reduce((sum, { line = 0 }) => sum + line, 0)),
    )
    row("gaps of floods", String(of("flood").reduce((sum, { gaps }) => sum + gaps, 0)))
    for (const one of all.values())
      if (!one.closed) await client.call("process/terminate", { processId: one.id })
    if (!(await Proc.eventually(() => [...all.values()].every(({ closed }) => closed), 60_000)))
      fail(`not closed: ${[...all.values()].filter(({ closed }) => !closed).map(({ id }) => id)}`)
    client.wire.destroy()
    await server.stop()
    // The session is not over, and its client may come back: the holder stays with the codes.
    await Proc.vanish(() => Proc.marked(mark).filter((one) => !isHolder(one)), fail, "left at the end")
    for (const { pid } of Proc.marked(mark)) process.kill(pid, "SIGTERM")
    await Proc.vanish(() => Proc.marked(mark), fail, "left behind the holder")
    const files = readdirSync(state)
    if (files.some((name) => /\.(sock|pid)$/.test(name)))
      fail(`left in the state folder: ${files.join(", ")}`)
    rmSync(folder, { recursive: true, force: true })
  },
})

/**
 * A server, and its end.
 * @typedef {Peers.Address & {
 *   gone: Promise<unknown>, stop: () => Promise<unknown>, kill: (signal: NodeJS.Signals) => void
 * }} Ending
 */

const isSuccessor = (/** @type {Proc.Process} */ { pid }) => / --take-over( |$)/.test(Proc.commandLine(pid))
const isHolder = (/** @type {Proc.Process} */ { pid }) => / hold( |$)/.test(Proc.commandLine(pid))
