// What the proofs share as commands: flags from a table, progress on stderr, a summary on stdout, an exit code.
import { cpus, loadavg } from "node:os"
import { parseArgs } from "node:util"

/** The values of the flags: numbers where the default is one. Prints the help, or ends with exit code 2 on wrong use. */
export const flags = (name, about, table) => {
  const width = Math.max(...Object.keys(table).map((flag) => flag.length))
  const help = [
    `${about}\n`,
    `Usage: npm run ${name} -- [OPTIONS]\n`,
    ...Object.entries(table).map(
      ([flag, { says, standard }]) => `  --${flag.padEnd(width)}  ${says} [default: ${standard}]`,
    ),
    "\nProgress goes to stderr, the summary to stdout. Exit code 0: proved, 1: not, 2: wrong use.\n",
  ].join("\n")
  const wrong = (text) => {
    process.stderr.write(`${name}: ${text}\n`)
    process.exit(2)
  }
  const options = Object.fromEntries(Object.keys(table).map((flag) => [flag, { type: "string" }]))
  let values
  try {
    values = parseArgs({ options: { ...options, help: { type: "boolean", short: "h" } } }).values
  } catch (error) {
    wrong(error.message)
  }
  if (values.help) {
    process.stdout.write(help)
    process.exit(0)
  }
  return Object.fromEntries(
    Object.entries(table).map(([flag, { standard, choices }]) => {
      const given = values[flag]
      if (given === undefined) return [flag, standard]
      if (choices !== undefined && !given.split(",").every((word) => choices.includes(word)))
        wrong(`--${flag} is one of ${choices.join(", ")}`)
      if (typeof standard === "number" && !(Number(given) >= 0)) wrong(`--${flag} wants a number`)
      return [flag, typeof standard === "number" ? Number(given) : given]
    }),
  )
}

export const progress = (text) => process.stderr.write(`${text}\n`)

export const mebibytes = (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MiB`

/** Prints what was measured and what went wrong, and ends the process. */
export const finish = (title, rows, failures) => {
  const width = Math.max(...rows.map(([name]) => name.length))
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, load ${loadavg()[0]?.toFixed(1)}`
  const lines = [
    `${title} (${machine})`,
    ...rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`),
    ...failures.slice(0, 20).map((failure) => `FAILED: ${failure}`),
    failures.length === 0 ? "proved" : `not proved: ${failures.length} failures`,
  ]
  process.stdout.write(`${lines.join("\n")}\n`, () => process.exit(failures.length === 0 ? 0 : 1))
}

/** Fails if the promise takes longer. */
export const within = (promise, millis, what) => {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: nothing for ${millis} ms`)), millis)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
