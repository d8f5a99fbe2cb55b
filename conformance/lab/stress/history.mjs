// @ts-check
// A child prints many times what its history may keep, without a client. The memory of the server must stay
// flat, the files within their bound, and what is left must be the end of the output.
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { mebibytes, stress } from "./lib/command.mjs"
import * as Peers from "./lib/wires.mjs"
import * as Proc from "./lib/proc.mjs"
import { onRuntime, serve } from "./lib/servers.mjs"

export const history = stress({
  says: "prints many times what a history may keep, and looks at the server's memory",
  options: {
    gigabytes: { says: "what the child prints", usual: 10, parts: true },
    bound: { says: "what the history may keep, in MiB", usual: 1024 },
    runtime: onRuntime,
  },
  play: async (options, { row, fail }) => {
    const [size, bound] = [Math.round(options.gigabytes * 1e9), Math.round(options.bound * 2 ** 20)]
    const folder = mkdtempSync(join("/var/tmp", "procwire-stress-"))
    /** Bytes of all files, at one time: the server stands still, or one would grow between two looks. */
    const kept = (/** @type {Proc.Pid} */ pid) => {
      if (pid === undefined) return 0
      process.kill(pid, "SIGSTOP")
      const paths = readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)))
      const files = paths.map((path) => statSync(path, { throwIfNoEntry: false }))
      process.kill(pid, "SIGCONT")
      return files.reduce((sum, file) => sum + (file?.isFile() ? file.size : 0), 0)
    }
    const limits = ["--history-bytes", `${bound}`, "--max-history-bytes", `${bound}`]
    const aDay = ["--retention-ms", "86400000", "--detached-ttl-ms", "86400000"]
    const args = ["--history-dir", folder, ...limits, ...aDay]
    const server = await serve({ runtime: options.runtime, transport: "ws", args })
    const first = await Peers.connect(server)
    const resumeSessionId = await first.handshake()
    await first.call("process/start", Peers.start("p", ["sh", "-c", `yes | head -c ${size}; echo end`]))
    first.wire.destroy()

    const began = performance.now()
    /** @type {number[]} */
    const samples = []
    let largest = 0
    for (; Proc.left(server.pid).length > 0; await sleep(200)) {
      samples.push(Proc.rss(server.pid))
      largest = Math.max(largest, kept(server.pid))
    }
    row("printed", `${options.gigabytes} GB, ${(size / 1e3 / (performance.now() - began)).toFixed(0)} MB/s`)
    const tenth = Math.ceil(samples.length / 10)
    const [warm, most] = [Math.max(...samples.splice(0, tenth)), Math.max(...samples)]
    row("resident memory, peaks of the first tenth and behind it", `${mebibytes(warm)}, ${mebibytes(most)}`)
    if (!(most - warm <= 32 * 2 ** 20)) fail(`the memory has grown by ${mebibytes(most - warm)}`)
    row("files, at most", mebibytes(largest))
    if (largest > bound) fail(`the files had ${mebibytes(largest)}`)

    const { call, handshake, wire } = await Peers.connect(server)
    await handshake({ resumeSessionId })
    /** @returns {Promise<Peers.Params>} */
    const ask = async (/** @type {Peers.Params} */ what) => {
      const answer = await call("process/history", { processId: "p", maxBytes: 1000, ...what })
      const texts = answer["chunks"].map((/** @type {any} */ one) => Buffer.from(one.chunk, "base64"))
      return { ...answer, text: texts.join("") }
    }
    const end = await ask({ tail: 2 })
    if (end["text"] !== "y\nend\n" || end["nextByte"] !== size + 4) fail(`the end is ${JSON.stringify(end)}`)
    const middle = await ask({ from: { byte: size - Math.min(size, bound) / 2 } })
    if (!/^(\n?)(y\n)+y?$/.test(middle["text"])) fail(`the middle is ${JSON.stringify(middle)}`)
    const { byte: oldest } = await ask({ from: { byte: 0 } })
    row("the oldest byte that is left", String(oldest))
    if (size > bound && oldest < size - bound) fail("more is left than may be")
    const { matches } = await call("process/grep", { processId: "p", pattern: "^e[a-z]+$" })
    if (matches.length !== 1) fail(`a search has found ${JSON.stringify(matches)}`)
    wire.destroy()
    await server.stop()
    if (readdirSync(folder).length > 0) fail("the server has left files")
    rmSync(folder, { recursive: true })
  },
})
