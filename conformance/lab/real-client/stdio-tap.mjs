// @ts-check
// Runs a server over stdio and records what is said: `node stdio-tap.mjs FILE PROGRAM ARGS...`, used by `--trace`.
import { spawn } from "node:child_process"
import { appendFileSync } from "node:fs"

const [file = "", program = "", ...args] = process.argv.slice(2)
const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] })

/** @param {string} arrow */
const record = (arrow) => {
  let rest = ""
  /** @param {string} text */
  const take = (text) => {
    const lines = (rest + text).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) appendFileSync(file, `${arrow} ${line}\n`)
  }
  return take
}

process.stdin.setEncoding("utf8").on("data", record(">"))
child.stdout.setEncoding("utf8").on("data", record("<"))
process.stdin.pipe(child.stdin)
child.stdout.pipe(process.stdout)
child.stdin.on("error", () => {})
process.stdout.on("error", () => {})
process.on("SIGTERM", () => child.kill("SIGTERM"))
process.on("SIGINT", () => child.kill("SIGINT"))
child.on("exit", (code) => process.exit(code ?? 1))
