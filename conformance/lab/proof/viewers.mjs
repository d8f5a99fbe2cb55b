// @ts-check
// `npm run proof:viewers`: a flood with one owner, and two hundred who look on and may miss something.
//
// Rounds without and with viewers alternate, each with a server of its own. What counts is the processor time that the
// server takes for a mebibyte of the owner, which a busy machine does not change, besides the owner's throughput.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import * as Net from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { finish, flags, mebibytes, progress, stackOf, within } from "./lib/command.mjs"
import * as Proc from "./lib/proc.mjs"
import { ready, runtimeNames, serve } from "./lib/servers.mjs"

const options = flags("proof:viewers", "Many viewers of one flood, and what they cost its owner.", {
  viewers: { says: "clients that look on", standard: 200 },
  seconds: { says: "how long each round is measured", standard: 5 },
  rounds: { says: "rounds without and with viewers", standard: 3 },
  runtime: { says: runtimeNames.join(", "), standard: "node", choices: runtimeNames },
})

ready()

/** The least share of the owner's throughput that may be left. */
const keptShare = 0.85
/** The most memory of the server for each viewer: what its connection may hold, and as much again. */
const mostPerViewer = 3 * 2 ** 20

const program = fileURLToPath(new URL("lib/viewers.mjs", import.meta.url))

/** @type {string[]} */
const failures = []

/** @param {number} bytes */
const kibibytes = (bytes) => `${(bytes / 1024).toFixed(0)} KiB`

/** User and system time of a process, in seconds. @param {number} pid */
const cpuOf = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1")
    .replace(/^.*\) /s, "")
    .split(" ")
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** The owner of a flood, which counts what it gets. @param {string} path */
const own = async (path) => {
  const socket = Net.connect(path)
  let bytes = 0
  let head = ""
  /** @type {(text: string) => void} */
  let came = () => {}
  socket.on("data", (chunk) => {
    bytes += chunk.length
    if (head.length < 100_000) came((head += chunk.toString("latin1")))
  })
  /** @param {object} message */
  const send = (message) => socket.write(`${JSON.stringify(message)}\n`)
  /** @param {string} text */
  const until = (text) =>
    within(
      new Promise((resolve) => {
        came = (all) => all.includes(text) && resolve(undefined)
        came(head)
      }),
      30_000,
      text,
    )
  send({ id: 1, method: "initialize", params: { clientName: "owner" } })
  send({ method: "initialized" })
  const env = { PATH: process.env["PATH"] }
  const params = { processId: "flood", argv: ["cat", "/dev/zero"], cwd: "file:///tmp", env, tty: false }
  send({ id: 2, method: "process/start", params })
  await until('"id":2')
  return { bytes: () => bytes, close: () => socket.destroy() }
}

/** @param {number} count */
const round = async (count) => {
  const server = await serve({ runtime: options.runtime, transport: "unix" })
  const path = server.url.replace(/^unix:/, "")
  const pid = server.pid ?? 0
  const owner = await own(path)
  const others = spawn(process.execPath, [program, path, "1", String(count)], {
    stdio: ["pipe", "pipe", "inherit"],
  })
  await within(once(others.stdout, "data"), 60_000, "the viewers")
  await sleep(500)
  const [bytes, cpu] = [owner.bytes(), cpuOf(pid)]
  await sleep(options.seconds * 1000)
  const got = owner.bytes() - bytes
  const spent = cpuOf(pid) - cpu
  const memory = Proc.rss(pid)
  others.stdin.end()
  const [line] = await within(once(others.stdout, "data"), 30_000, "what the viewers have got")
  /** @type {Array<{ bytes: number, gaps: number }>} */
  const seen = JSON.parse(String(line))
  owner.close()
  await server.stop()
  const rate = got / options.seconds / 2 ** 20
  const cost = (spent / (got / 2 ** 20)) * 1000
  progress(
    `${count} viewers: the owner gets ${rate.toFixed(0)} MiB/s, at ${cost.toFixed(2)} ms of the server for a MiB; ` +
      `the server has ${mebibytes(memory)}`,
  )
  return { rate, cost, memory, seen }
}

/** @type {import("./lib/command.mjs").Row[]} */
const rows = []
try {
  /** @type {Array<Awaited<ReturnType<typeof round>>>} */
  const alone = []
  /** @type {Array<Awaited<ReturnType<typeof round>>>} */
  const beside = []
  for (let at = 0; at < options.rounds; at++) {
    alone.push(await round(0))
    beside.push(await round(options.viewers))
  }
  // Of each kind the round that was disturbed least.
  const cost = Math.min(...alone.map(({ cost }) => cost)) / Math.min(...beside.map(({ cost }) => cost))
  const rate = Math.max(...beside.map(({ rate }) => rate)) / Math.max(...alone.map(({ rate }) => rate))
  const memory =
    Math.max(...beside.map(({ memory }) => memory)) - Math.min(...alone.map(({ memory }) => memory))
  rows.push(["owner's throughput by the server's processor time", `${(cost * 100).toFixed(0)} %`])
  rows.push(["owner's throughput by the clock", `${(rate * 100).toFixed(0)} %`])
  rows.push(["memory of the server for each viewer", mebibytes(memory / Math.max(1, options.viewers))])
  const seen = beside.flatMap((one) => one.seen)
  const got = seen.map(({ bytes }) => bytes).sort((one, other) => one - other)
  const [least = 0, median = 0] = [got[0], got[Math.floor(got.length / 2)]]
  rows.push(["a viewer got (least, median)", `${kibibytes(least)}, ${kibibytes(median)}`])
  if (cost < keptShare)
    failures.push(`viewers leave the owner ${(cost * 100).toFixed(0)} % of its throughput`)
  if (memory > options.viewers * mostPerViewer) failures.push(`memory grew by ${mebibytes(memory)}`)
  if (least < 1000) failures.push("a viewer got nothing")
} catch (error) {
  failures.push(stackOf(error))
}
finish(`viewers on ${options.runtime}`, rows, failures)
