// @ts-check
// `npm run bench:in-process`: what a program gets that has client and server in itself: MB/s from a child's stdout to
// the consumer, by three ways of reading, on Node, Bun and Deno in turn.
//
// `--mb N` (default 1000) is the output of one child; `--reps N` (default 3) rounds. The package as it is published is
// measured, from `dist/lib`. Each figure is the median, with the peak of the resident memory in MB.
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { command } from "../../../.ci/command.mjs"
import { binary, build, install, root } from "../../../.ci/setup.mjs"

/** @typedef {{ way: string, rate: number, memory: number }} Figure */

const ways = ["output()", "text()", "run()"]

const { values } = command(import.meta.url, {
  options: {
    mb: { type: "string", default: "1000" },
    reps: { type: "string", default: "3" },
    on: { type: "string" },
  },
})
const megabytes = Number(values.mb)

/** One way of reading: the bytes that arrived. @param {any} client @param {string} way */
const read = async (client, way) => {
  const options = { argv: ["head", "-c", String(megabytes * 1e6), "/dev/zero"], cwd: "/" }
  if (way === "run()") return (await client.run({ ...options, maxBuffer: megabytes * 1e6 })).stdout.length
  const child = await client.start(options)
  let count = 0
  for await (const piece of way === "text()" ? child.text() : child.output()) count += piece.length
  return count
}

/** What one runtime measures: a line of JSON for each way. @param {string} runtime */
const measure = async (runtime) => {
  const { connect } = await import(join(root, "dist", "lib", "adapters", runtime, "index.js"))
  for (const way of ways.filter((name) => name !== "run()" || megabytes <= 400)) {
    const client = await connect({ inProcess: true })
    const began = performance.now()
    const bytes = await read(client, way)
    const seconds = (performance.now() - began) / 1000
    await client.close()
    if (bytes !== megabytes * 1e6) throw new Error(`${way} gave ${bytes} bytes of ${megabytes * 1e6}`)
    const memory = process.resourceUsage().maxRSS / 1000
    console.log(JSON.stringify({ way, rate: megabytes / seconds, memory }))
  }
}

/** @type {Record<string, () => string[]>} */
const commands = {
  node: () => [process.execPath],
  bun: () => [binary("@oven", "bin/bun")],
  deno: () => [binary("@deno", "deno"), "run", "--quiet", "--allow-all"],
}

/** @param {string} runtime @returns {Figure[]} */
const measured = (runtime) => {
  const [program = "", ...words] = commands[runtime]?.() ?? []
  const script = [...words, fileURLToPath(import.meta.url), "--on", runtime, "--mb", values.mb]
  const { status, stdout } = spawnSync(program, script, {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  })
  if (status !== 0) process.exit(1)
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
}

/** @param {number[]} numbers */
const median = (numbers) => Math.round([...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0)

const compare = () => {
  install()
  build()
  /** @type {Map<string, Figure[]>} */
  const figures = new Map()
  for (let round = 0; round < Number(values.reps); round++)
    for (const runtime of Object.keys(commands))
      figures.set(runtime, [...(figures.get(runtime) ?? []), ...measured(runtime)])
  console.log(
    `| MB/s (peak RSS, MB) | ${[...figures.keys()].join(" | ")} |\n|---|${"---|".repeat(figures.size)}`,
  )
  for (const way of ways) {
    const cells = [...figures.values()].map((all) => all.filter((figure) => figure.way === way))
    if (cells.some((those) => those.length === 0)) continue
    const texts = cells.map(
      (those) => `${median(those.map(({ rate }) => rate))} (${median(those.map(({ memory }) => memory))})`,
    )
    console.log(`| ${way} | ${texts.join(" | ")} |`)
  }
}

if (values.on === undefined) compare()
else await measure(values.on)
