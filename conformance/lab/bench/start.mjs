// @ts-check
// `npm run lab -- start`: measures starts side by side, interleaved: of the real peer, of procwire on Node and as the
// single files of Bun and Deno, and of the least that a server on each runtime can be. A client writes `initialize`,
// `initialized` and `process/start` of `true` at once. Milliseconds from fork to the first answer, to the first exit
// and of CPU until then, of all processes; memory when nothing runs; and what `run -- true` and `ps` take.
//
//   --runs N       starts of each [default: 20]
//   --on NAME,...  some of node, bun, deno; bun and deno want `npm run build -- bun` and `-- deno` [default: node]
//   --tree FOLDER  also procwire of another folder that is built, as NAME@FOLDER; may be repeated
//   --without-peer leaves the peer out
//   --realtime     above all other work of the machine (SCHED_FIFO), which wants root
//
// Medians; in brackets those of the ratios to the peer, or to the first row, in the same round.
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join, resolve } from "node:path"
import { command } from "../../../.ci/command.mjs"
import { binary, install, root, runtimeNames } from "../../../.ci/setup.mjs"
import { fetchedPeer } from "../run/peer.mjs"
import { compile, program } from "./lib/native.mjs"

const { values } = command(import.meta.url, {
  options: {
    runs: { usual: 20, least: 1 },
    on: { usual: "node", some: runtimeNames },
    tree: [],
    "without-peer": false,
    realtime: false,
  },
})
const { runs } = values
const on = values.on.split(",")

/**
 * A program to start: the words of its server, of its commands where it has some, and its variables.
 * @typedef {{ name: string, serve: readonly string[], words?: readonly string[] }} Words
 * @typedef {Words & { env?: Record<string, string> }} Started
 */

/** procwire of a folder. @param {string} kind @param {string} name @param {string} tree @returns {Started} */
const ours = (kind, name, tree) => {
  const words =
    kind === "node"
      ? [process.execPath, join(tree, "dist/procwire.cjs")]
      : [join(tree, `dist/procwire-${kind}`)]
  return { name, words, serve: [...words, "serve", "--listen", "stdio"] }
}

/** @returns {Started} */
const peer = () => {
  const { binary: codex, env } = fetchedPeer()
  return { name: "codex", serve: [codex, "exec-server", "--listen", "stdio"], env }
}

/** The least that a server on a runtime can be. @param {string} kind @returns {Started} */
const least = (kind) => {
  const floor = join(root, "conformance/lab/bench/lib/floor.mjs")
  /** @type {Record<string, string[]>} */
  const words = {
    node: [process.execPath],
    bun: [binary("@oven", "bin/bun")],
    deno: [binary("@deno", "deno"), "run", "--quiet", "--allow-all", "--no-config"],
  }
  return { name: `${kind} alone`, serve: [...(words[kind] ?? []), floor] }
}

install()
compile()
const started = [
  ...(values["without-peer"] ? [] : [peer()]),
  ...on.flatMap((kind) => [
    least(kind),
    ...values.tree.map((tree) => ours(kind, `${kind}@${basename(resolve(tree))}`, resolve(tree))),
    ours(kind, kind, root),
  ]),
]

// Code that is kept is found in a folder of this run; and no certificates are read, which Node does at each start.
const folder = mkdtempSync(join(tmpdir(), "procwire-start-"))
const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env
const usual = { ...inherited, XDG_RUNTIME_DIR: folder, PROCWIRE_SERVER: "" }

/** @param {Started} one @param {string} what @param {readonly string[]} words @returns {Record<string, number>} */
const measure = ({ name, env = {} }, what, words) => {
  const caches = { XDG_CACHE_HOME: join(folder, name.replace("@", "-")) }
  const [file = "", ...args] = [...(values.realtime ? ["chrt", "-f", "1"] : []), program, what, ...words]
  const out = execFileSync(file, args, { cwd: root, env: { ...usual, ...caches, ...env }, encoding: "utf8" })
  return JSON.parse(out)
}

/** @param {Started} one @returns {Record<string, number | undefined>} */
const figures = (one) => {
  const { answer_ms: answer, exit_ms: exit, cpu_ms: cpu } = measure(one, "start", one.serve)
  const { idle_mib: idle } = measure(one, "idle", one.serve)
  const commands = one.words === undefined ? undefined : one.words
  const run = commands && measure(one, "command", [...commands, "run", "--", "true"])
  const ps = commands && measure(one, "command", [...commands, "ps"])
  return {
    "first answer, ms": answer,
    "first exit, ms": exit,
    "CPU, ms": cpu,
    "idle, MiB": idle,
    "`run`, ms": run?.["wall_ms"],
    "CPU of `run`, ms": run?.["cpu_ms"],
    "`ps`, ms": ps?.["wall_ms"],
    "CPU of `ps`, ms": ps?.["cpu_ms"],
  }
}

/** A process that serves long enough writes what is kept of its code. @param {Started} one */
const warm = (one) => {
  for (let round = 0; round < 2; round += 1) {
    figures(one)
    execFileSync("sh", ["-c", 'sleep 3 | "$@" > /dev/null', "sh", ...one.serve], {
      cwd: root,
      env: { ...usual, XDG_CACHE_HOME: join(folder, one.name.replace("@", "-")), ...one.env },
    })
  }
}

/** @param {readonly number[]} list */
const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN

/** The server that `ps` looks at. @param {string} word */
const own = (word) =>
  execFileSync(process.execPath, [join(root, "dist/procwire.cjs"), word], { env: usual, stdio: "ignore" })

try {
  own("up")
  for (const one of started) warm(one)
  const rounds = Array.from({ length: runs }, (_run, round) => {
    const order = round % 2 === 0 ? started : started.toReversed()
    process.stderr.write(`${round + 1}/${runs}\r`)
    return Object.fromEntries(order.map((one) => [one.name, figures(one)]))
  })
  const first = started[0]?.name ?? ""
  const keys = Object.keys(rounds[0]?.[first] ?? {})
  process.stdout.write(
    `| |${keys.map((key) => ` ${key} |`).join("")}\n|---|${keys.map(() => "---:|").join("")}\n`,
  )
  for (const { name } of started) {
    const cells = keys.map((key) => {
      const mine = rounds.flatMap((round) => round[name]?.[key] ?? [])
      const ratios = rounds.flatMap((round) => {
        const [one, base] = [round[name]?.[key], round[first]?.[key]]
        return one === undefined || base === undefined ? [] : [one / base]
      })
      if (mine.length === 0) return " – |"
      return ` ${median(mine).toPrecision(3)}${ratios.length === 0 ? "" : ` (${median(ratios).toPrecision(2)}×)`} |`
    })
    process.stdout.write(`| ${name} |${cells.join("")}\n`)
  }
} finally {
  own("down")
  rmSync(folder, { recursive: true, force: true })
}
