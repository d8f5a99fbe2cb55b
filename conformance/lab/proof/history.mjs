// @ts-check
// `npm run proof:history`: a child prints many times what its history may keep, while nobody is attached. The memory of
// the server must stay flat, the files within their bound, and what is left must be the end of the output.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { median } from "../bench/lib/figures.mjs"
import { finish, flags, mebibytes, progress, within } from "./lib/command.mjs"
import * as Peers from "./lib/peers.mjs"
import * as Proc from "./lib/proc.mjs"
import { ready, runtimeNames, serve } from "./lib/servers.mjs"

const options = flags("proof:history", "Keeps the end of an endless output in files, at flat memory.", {
  gigabytes: { says: "what the child prints", standard: 20 },
  "bound-mebibytes": { says: "what the history may keep", standard: 2048 },
  "growth-mebibytes": { says: "how much the resident memory may grow behind the first tenth", standard: 32 },
  dir: { says: "the folder in which the history is kept", standard: "/var/tmp" },
  runtime: { says: runtimeNames.join(", "), standard: "node", choices: runtimeNames },
})

ready()
const size = Math.round(options.gigabytes * 1e9)
const bound = Math.round(options["bound-mebibytes"] * 2 ** 20)
mkdirSync(options.dir, { recursive: true })
const folder = mkdtempSync(join(options.dir, "procwire-history-proof-"))
/** @type {[name: string, value: string][]} */
const rows = []
/** @type {string[]} */
const failures = []

/** Bytes of all files; one may go away meanwhile. */
const kept = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).reduce((sum, entry) => {
    const path = join(entry.parentPath ?? entry.path, entry.name)
    return sum + (entry.isFile() ? (statSync(path, { throwIfNoEntry: false })?.size ?? 0) : 0)
  }, 0)

const [most, day] = [String(bound), String(24 * 3600 * 1000)]
const limits = ["--history-bytes", most, "--max-history-bytes", most]
const server = await serve({
  runtime: options.runtime,
  transport: "ws",
  args: ["--history-dir", folder, ...limits, "--retention-ms", day, "--detached-ttl-ms", day],
})
try {
  const first = await Peers.connect(server)
  const session = await first.handshake()
  await first.call("process/start", Peers.start("p", ["sh", "-c", `yes | head -c ${size}; echo end`]))
  first.wire.destroy()

  const began = performance.now()
  /** @type {{ rss: number, kept: number }[]} */
  const samples = []
  const prints = () => Proc.descendants(server.pid).some((one) => !Proc.isReaper(one))
  while (prints()) {
    samples.push({ rss: Proc.rss(server.pid), kept: kept() })
    await sleep(200)
  }
  const seconds = (performance.now() - began) / 1000

  const second = await Peers.connect(server)
  await second.handshake({ resumeSessionId: session })
  const ask = async (/** @type {Record<string, unknown>} */ what) => {
    const from = performance.now()
    const answer = await second.call("process/history", { processId: "p", maxBytes: 1000, ...what })
    const chunks = /** @type {{ chunk: string }[]} */ (answer["chunks"])
    const text = chunks.map(({ chunk }) => Buffer.from(chunk, "base64").toString()).join("")
    return { answer, text, millis: performance.now() - from }
  }
  /** The usual time of some answers. @param {Record<string, unknown>} what */
  const usual = async (what) => {
    const times = []
    for (let turn = 0; turn < 9; turn++) times.push((await ask(what)).millis)
    return median(times).toFixed(1)
  }
  const end = await within(ask({ tail: 2 }), 60_000, "the end")
  const middle = await ask({ from: { byte: size - bound / 2 } })
  const gone = await ask({ from: { byte: 0 } })
  const oldest = Number(gone.answer["byte"])
  const left = size + 4 - oldest
  // A kilobyte by each way to name a place, where the history begins, in its middle and at its end.
  const ways = /** @type {const} */ (["seq", "byte", "line", "time"])
  /** @type {Record<string, string[]>} */
  const reads = { seq: [], byte: [], line: [], time: [], tail: [] }
  for (const part of [0, 0.5, 0.999_99]) {
    const place = await ask({ from: { byte: oldest + Math.floor(left * part) }, times: true })
    const [chunk] = /** @type {{ seq: number }[]} */ (place.answer["chunks"])
    const { byte, line, times } = place.answer
    const at = { seq: chunk?.seq, byte, line, time: /** @type {number[]} */ (times)[0] }
    for (const way of ways) reads[way]?.push(await usual({ from: { [way]: at[way] } }))
    reads["tail"]?.push(await usual({ tail: Math.max(1, Math.ceil((left * (1 - part)) / 2)) }))
  }
  /** Nanoseconds for which the server has computed. */
  const computed = () =>
    readdirSync(`/proc/${server.pid}/task`).reduce(
      (sum, thread) =>
        sum + Number(readFileSync(`/proc/${server.pid}/task/${thread}/schedstat`, "latin1").split(" ")[0]),
      0,
    )
  /** Looks for a pattern in all that is kept; how fast that is. @param {string} pattern @param {string} flags */
  const look = async (pattern, flags) => {
    const [from, before] = [performance.now(), computed()]
    const answer = await second.call("process/grep", { processId: "p", pattern, flags })
    const matches = /** @type {{ text: string }[]} */ (answer["matches"])
    const found = matches.map(({ text }) => text).join(" ")
    if (found !== "end" || answer["complete"] !== true) failures.push(`${pattern} has found ${found}`)
    const [wall, cpu] = [left / 1e3 / (performance.now() - from), (computed() - before) / left]
    return `${wall.toFixed(0)} MB/s, ${cpu.toFixed(2)} s of CPU for a GB`
  }
  const speeds = { text: await look("end", "l"), pattern: await look("^e[a-z]+$", "") }

  const tenth = Math.ceil(samples.length / 10)
  const peakOf = (/** @type {number} */ part) =>
    Math.max(...samples.slice(part * tenth, (part + 1) * tenth).map(({ rss }) => rss))
  const peaks = Array.from({ length: Math.ceil(samples.length / tenth) }, (_, part) => peakOf(part))
  const largest = Math.max(...samples.map((sample) => sample.kept))
  rows.push(
    [
      "printed",
      `${options.gigabytes} GB in ${seconds.toFixed(0)} s, ${(size / 1e6 / seconds).toFixed(0)} MB/s`,
    ],
    ["resident memory, peaks of each tenth", peaks.map(mebibytes).join(", ")],
    ["files, at most", mebibytes(largest)],
    ["the last lines, and some in the middle", `${end.millis.toFixed(1)} ms, ${middle.millis.toFixed(1)} ms`],
    ...Object.entries(reads).map(
      ([way, millis]) =>
        /** @type {[string, string]} */ ([
          `1,000 bytes by ${way}: oldest, middle, newest`,
          `${millis.join(", ")} ms`,
        ]),
    ),
    ["process/grep over all that is left", `a text: ${speeds.text}; a pattern: ${speeds.pattern}`],
    ["the oldest byte that is left", String(oldest)],
  )
  const grown = Math.max(...peaks.slice(1)) - (peaks[0] ?? 0)
  if (grown > options["growth-mebibytes"] * 2 ** 20)
    failures.push(`the memory has grown by ${mebibytes(grown)}`)
  if (largest > bound) failures.push(`the files had ${mebibytes(largest)}`)
  if (end.text !== "y\nend\n") failures.push(`the end is ${JSON.stringify(end.text)}`)
  if (end.answer["nextByte"] !== size + 4) failures.push(`the output ends at ${end.answer["nextByte"]}`)
  if (!/^(\n?)(y\n)+y?$/.test(middle.text)) failures.push(`the middle is ${JSON.stringify(middle.text)}`)
  if (size > bound && oldest < size - bound) failures.push("more is left than may be")
  second.wire.destroy()
} finally {
  progress(`the server ended with ${await server.stop()}`)
}
if (readdirSync(folder).length > 0) failures.push("the server has left files")
rmSync(folder, { recursive: true })
finish(`a history of ${options.gigabytes} GB`, rows, failures)
