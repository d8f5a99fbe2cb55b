// @ts-check
// `npm run lab -- bench-client`: what a program gets through the client: MB/s from a child's stdout to the consumer, by
// three ways of reading, and from the program to a child's stdin, with a server in the program or behind a transport.
//
// `--mb N` (default 400) is what one child prints or reads; `--reps N` (default 3) rounds; `--on node,bun,deno` the
// runtimes of the program, whose server runs on Node. `--against REF` also builds another commit and measures it in
// turn. The package as it is published is measured, from `dist/lib`. Each figure is the median of the rounds; with one
// commit it is followed by the peak of the resident memory of the program in MB.
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { command } from "../../../.ci/command.mjs"
import { binary, build, install, root } from "../../../.ci/setup.mjs"
import { checkout, commitOf } from "./lib/against.mjs"

/** @typedef {{ row: string, rate: number, memory: number }} Figure */

const { values } = command(import.meta.url, {
  options: {
    mb: { type: "string", default: "400" },
    reps: { type: "string", default: "3" },
    on: { type: "string", default: "node,bun,deno" },
    against: { type: "string" },
    /** Measures one row in this process: the folder of the checkout, and the row. */
    row: { type: "string", multiple: true },
  },
})
const megabytes = Number(values.mb)
const bytes = megabytes * 1e6

/** @typedef {(client: any) => Promise<number>} Way what it moves, in bytes */

/** @type {Record<string, Way>} */
const ways = {
  "output()": async (client) => {
    let count = 0
    for await (const piece of (await client.start(printer)).output()) count += piece.length
    return count
  },
  "text()": async (client) => {
    let count = 0
    for await (const piece of (await client.start(printer)).text()) count += piece.length
    return count
  },
  "run()": async (client) => (await client.run({ ...printer, maxBuffer: bytes })).stdout.length,
  "write()": async (client) => {
    const child = await client.start({ argv: ["sh", "-c", "exec cat >/dev/null"], pipeStdin: true })
    const piece = Uint8Array.from({ length: 1e6 }, (_, i) => (i * 31) & 255)
    for (let i = 0; i < megabytes; i += 1) await child.write(piece)
    await child.closeStdin()
    return (await child.exitCode) === 0 ? bytes : 0
  },
}
const printer = { argv: ["head", "-c", String(bytes), "/dev/zero"], cwd: "/" }

/** The ways that are measured with a server in the program, and behind a transport. */
const everywhere = ["output()", "write()"]
const places = ["in the program", "stdio", "unix", "ws"]
const rows = places.flatMap((place) =>
  Object.keys(ways)
    .filter((way) => place === "in the program" || everywhere.includes(way))
    .map((way) => `${way}, ${place}`),
)

/** A server of a checkout, and what a client connects to. @param {string} folder @param {string} place */
const serve = async (folder, place) => {
  const program = [join(folder, "dist", "procwire.mjs"), "serve", "--listen"]
  const node = process.env["BENCH_NODE"] ?? process.execPath
  if (place === "in the program") return { target: { inProcess: true }, stop: () => {} }
  if (place === "stdio") return { target: { command: node, args: [...program, "stdio"] }, stop: () => {} }
  const scratch = mkdtempSync(join(tmpdir(), "bench-client-"))
  const listen = place === "unix" ? `unix:${join(scratch, "sock")}` : "ws://127.0.0.1:0"
  const server = spawn(node, [...program, listen], { stdio: ["ignore", "pipe", "inherit"] })
  const [line] = await once(server.stdout, "data")
  const stop = () => {
    server.kill()
    rmSync(scratch, { recursive: true, force: true })
  }
  return { target: { url: String(line).trim() }, stop }
}

/** One row, in this process: a line of JSON. @param {string} folder @param {string} row */
const measure = async (folder, row) => {
  const [way = "", place = ""] = row.split(", ")
  const runtime = "Bun" in globalThis ? "bun" : "Deno" in globalThis ? "deno" : "node"
  const { connect } = await import(join(folder, "dist", "lib", "adapters", runtime, "index.js"))
  const { target, stop } = await serve(folder, place)
  const client = await connect(target)
  const began = performance.now()
  const moved = await ways[way]?.(client)
  const seconds = (performance.now() - began) / 1000
  await client.close()
  stop()
  if (moved !== bytes) throw new Error(`${row} moved ${moved} bytes of ${bytes}`)
  const memory = process.resourceUsage().maxRSS / 1000
  console.log(JSON.stringify({ row, rate: megabytes / seconds, memory }))
}

/** @type {Record<string, () => string[]>} */
const commands = {
  node: () => [process.execPath],
  bun: () => [binary("@oven", "bin/bun")],
  deno: () => [binary("@deno", "deno"), "run", "--quiet", "--allow-all"],
}

/** @param {string} runtime @param {string} folder @param {string} row @returns {Figure} */
const measured = (runtime, folder, row) => {
  const [program = "", ...words] = commands[runtime]?.() ?? []
  const script = [...words, fileURLToPath(import.meta.url), "--mb", values.mb, "--row", folder, "--row", row]
  const { status, stdout } = spawnSync(program, script, {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, BENCH_NODE: process.execPath },
    stdio: ["ignore", "pipe", "inherit"],
  })
  if (status !== 0) process.exit(1)
  return JSON.parse(stdout)
}

/** @param {readonly number[]} numbers */
const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN

/** @param {string} problem @returns {never} */
const refuse = (problem) => {
  process.stderr.write(`bench:client: ${problem}\n`)
  process.exit(2)
}

const compare = () => {
  const runtimes = values.on.split(",")
  for (const name of runtimes) if (!(name in commands)) refuse(`there is no runtime '${name}'`)
  if (!(megabytes >= 1)) refuse(`--mb takes a number from 1, not '${values.mb}'`)
  const commit = values.against === undefined ? undefined : commitOf(values.against)
  if (values.against !== undefined && commit === undefined) refuse(`there is no commit '${values.against}'`)
  install()
  build()
  const other = commit === undefined ? undefined : checkout(commit, { bunFile: false })
  const folders = other === undefined ? [root] : [other.folder, root]
  /** @type {Map<string, Figure[]>} */
  const figures = new Map()
  for (let round = 0; round < Number(values.reps); round++)
    for (const row of rows)
      for (const runtime of runtimes)
        for (const folder of folders) {
          const key = `${runtime} ${folder} ${row}`
          process.stderr.write(`round ${round + 1} of ${values.reps}: ${row} on ${runtime}\n`)
          figures.set(key, [...(figures.get(key) ?? []), measured(runtime, folder, row)])
        }
  console.log(`| MB/s | ${runtimes.join(" | ")} |\n|---|${"---:|".repeat(runtimes.length)}`)
  for (const row of rows) {
    const cells = runtimes.map((runtime) => {
      const [before, now] = [other?.folder ?? "", root].map((folder) => {
        const those = figures.get(`${runtime} ${folder} ${row}`) ?? []
        return {
          rate: median(those.map(({ rate }) => rate)),
          memory: median(those.map(({ memory }) => memory)),
        }
      })
      if (before === undefined || now === undefined) return ""
      const both = `${before.rate.toFixed(0)} → ${now.rate.toFixed(0)} (${(now.rate / before.rate).toFixed(2)}×)`
      return other === undefined ? `${now.rate.toFixed(0)} (${now.memory.toFixed(0)})` : both
    })
    console.log(`| ${row} | ${cells.join(" | ")} |`)
  }
  other?.remove()
}

const [folder, row] = values.row ?? []
if (folder === undefined || row === undefined) compare()
else await measure(folder, row)
