// Runs a server over stdio and writes down what is said: `node stdio-tap.mjs FILE PROGRAM ARGS...`, used by `--trace`.
import { spawn } from "node:child_process"
import { appendFileSync } from "node:fs"

const [file, program, ...args] = process.argv.slice(2)
const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] })

const lines = (arrow) => {
  let rest = ""
  return (text) => {
    const whole = (rest + text).split("\n")
    rest = whole.pop()
    for (const line of whole) appendFileSync(file, `${arrow} ${line}\n`)
  }
}

process.stdin.setEncoding("utf8").on("data", lines(">"))
child.stdout.setEncoding("utf8").on("data", lines("<"))
process.stdin.pipe(child.stdin)
child.stdout.pipe(process.stdout)
child.stdin.on("error", () => {})
process.stdout.on("error", () => {})
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => child.kill(signal))
child.on("exit", (code) => process.exit(code ?? 1))
