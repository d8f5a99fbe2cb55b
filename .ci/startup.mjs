// @ts-check
// `node .ci/startup.mjs`: a picture of the start on Node: each module that `procwire serve --listen stdio` evaluates
// before its first answer and before the exit of its first process, and those of `run -- true` and `ps`, with its bytes
// in the program and its milliseconds, the largest first. The milliseconds are those of one run without kept code.
//
//   --check    prints only the sums, and fails where one is larger than it may be
//   --by NAME  the order: bytes, ms or time, which is that of the evaluation [default: bytes]
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { createInterface } from "node:readline"
import { command } from "./command.mjs"
import { program } from "./procwire.mjs"
import { install, root } from "./setup.mjs"

/** @import { Plugin } from "esbuild" */

/** The most bytes of all modules that are evaluated until then. */
const most = {
  "first answer": 456_000,
  "first exit": 456_000,
  "run -- true": 514_000,
  ps: 194_000,
}

const { values } = command(import.meta.url, {
  options: { check: false, by: { usual: "bytes", of: ["bytes", "ms", "time"] } },
})
install()

/**
 * A module that was evaluated, in milliseconds since the start; or a message that was written.
 * @typedef {{ module: string, begin: number, end: number }} Evaluation
 * @typedef {{ text: string, at: number }} Message
 */

/** Has every module tell when its evaluation begins and ends. @type {Plugin} */
const recorder = {
  name: "recorder",
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.(ts|m?js)$/ }, ({ path, namespace }) => {
      if (namespace !== "file" || /\/(UserModule|start)\.ts$/.test(path)) return undefined
      const text = readFileSync(path, "utf8")
      if (/\b(module\.exports|exports\.\w+ =)/.test(text)) return undefined
      const name = JSON.stringify(relative(root, path))
      const code = `globalThis.startup?.begin(${name});${text}\n;globalThis.startup?.end(${name});`
      return { contents: code, loader: path.endsWith(".ts") ? "ts" : "js", resolveDir: dirname(path) }
    })
  },
}

/** The code before the command: it notes modules and messages, and writes them to a file at the end. */
const notes = (/** @type {string} */ file) => `
const fs = require("node:fs"), net = require("node:net")
const modules = [], messages = [], now = () => performance.now(), begun = new Map()
globalThis.startup = {
  begin: (module) => begun.set(module, now()),
  end: (module) => modules.push({ module, begin: begun.get(module), end: now() }),
}
const note = (data) => {
  const text = Array.isArray(data) ? data.map(({ chunk }) => String(chunk)).join("") : String(data)
  for (const part of ['"sessionId"', '"process/exited"'])
    if (text.includes(part)) messages.push({ text: part, at: now() })
}
for (const [on, name, at] of [[fs, "writeSync", 1], [fs, "write", 1], [fs, "writev", 1],
  [net.Socket.prototype, "_write", 0], [net.Socket.prototype, "_writev", 0]]) {
  const own = on[name]
  on[name] = function (...args) { note(args[at]); return own.apply(this, args) }
}
process.on("exit", () => {
  const rest = Object.keys(require.cache).some((path) => path.endsWith("rest.cjs"))
  fs.writeFileSync(${JSON.stringify(file)}, JSON.stringify({ modules, messages, rest }))
})
`

mkdirSync(join(root, "dist"), { recursive: true })
// Below the packages that the program requires.
const folder = mkdtempSync(join(root, "dist/startup-"))
process.on("exit", () => rmSync(folder, { recursive: true, force: true }))

/** @typedef {{ modules: Evaluation[], messages: Message[], rest: boolean }} Notes `rest`: the part of that name was read */

/**
 * Runs the command, with what a client writes at once.
 * @param {readonly string[]} args
 * @param {readonly object[]} messages
 * @param {string} [last] the text of the message behind which the client leaves
 * @returns {Promise<Notes>}
 */
const run = async (args, messages, last) => {
  const file = join(folder, "notes.json")
  writeFileSync(join(folder, "notes.cjs"), notes(file))
  const words = ["--require", join(folder, "notes.cjs"), join(folder, "procwire.cjs"), ...args]
  const child = spawn(process.execPath, words, {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: "1", XDG_RUNTIME_DIR: folder },
  })
  child.stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""))
  if (last === undefined) child.stdin.end()
  createInterface(child.stdout).on("line", (line) => {
    if (last !== undefined && line.includes(last)) child.stdin.end()
  })
  await once(child, "close")
  return JSON.parse(readFileSync(file, "utf8"))
}

const sizes = async () => {
  /** @type {Record<string, number>} */
  const found = {}
  /** @type {Plugin} */
  const meter = {
    name: "meter",
    setup: ({ initialOptions, onEnd }) => {
      initialOptions.metafile = true
      onEnd(({ metafile }) => {
        for (const { inputs } of Object.values(metafile?.outputs ?? {}))
          for (const [path, { bytesInOutput }] of Object.entries(inputs)) found[path] = bytesInOutput
      })
    },
  }
  await program("node", folder, { absWorkingDir: root, plugins: [meter] })
  return found
}
const bytes = await sizes()
await program("node", folder, { absWorkingDir: root, plugins: [recorder] })
const start = { processId: "p", argv: ["true"], cwd: root, env: {}, tty: false, pipeStdin: false, arg0: null }
const served = await run(
  ["serve", "--listen", "stdio"],
  [
    { id: 1, method: "initialize", params: { clientName: "startup" } },
    { method: "initialized" },
    { id: 2, method: "process/start", params: start },
  ],
  '"process/exited"',
)
/** @param {string} text */
const until = (text) => {
  const at = served.messages.find((message) => message.text === text)?.at ?? Number.NaN
  return { at, modules: served.modules.filter(({ end }) => end < at), rest: served.rest }
}
/** @param {Notes} notes */
const whole = ({ modules, rest }) => ({ at: Number.NaN, modules, rest })
const pictures = {
  "first answer": until('"sessionId"'),
  "first exit": until('"process/exited"'),
  "run -- true": whole(await run(["run", "--", "true"], [])),
  ps: whole(await run(["ps"], [])),
}

for (const [name, { at, modules, rest }] of Object.entries(pictures)) {
  const rows = modules.map(({ module, begin, end }) => ({
    module,
    begin,
    bytes: bytes[module] ?? 0,
    ms: end - begin,
  }))
  const sum = rows.reduce((total, row) => total + row.bytes, 0)
  const ms = rows.reduce((total, row) => total + row.ms, 0)
  const bound = most[/** @type {keyof typeof most} */ (name)]
  const when = Number.isNaN(at) ? "" : `, at ${at.toFixed(0)} ms`
  process.stdout.write(
    `${name}: ${sum} of at most ${bound} bytes in ${rows.length} modules, evaluated in ${ms.toFixed(1)} ms${when}\n`,
  )
  if (values.check && sum > bound) {
    process.stderr.write(`${name}: ${sum - bound} bytes too many; node .ci/startup.mjs lists the modules\n`)
    process.exitCode = 1
  }
  if (values.check && rest) {
    process.stderr.write(`${name}: reads the part rest; .ci/procwire.mjs names the modules in the program\n`)
    process.exitCode = 1
  }
  if (values.check) continue
  const sorted = rows.toSorted((a, b) =>
    values.by === "ms" ? b.ms - a.ms : values.by === "time" ? a.begin - b.begin : b.bytes - a.bytes,
  )
  for (const row of sorted)
    process.stdout.write(
      `  ${String(row.bytes).padStart(7)} ${row.ms.toFixed(2).padStart(7)} ${row.module}\n`,
    )
}
