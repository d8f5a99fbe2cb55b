#!/usr/bin/env node
/**
 * The entry of `procwire-conformance`. Exit code 0 if nothing that counts has failed and no entry of the baseline is stale,
 * 1 otherwise, 2 on wrong use.
 *
 * Guarantee: nothing that the command has started outlives it, also when a signal ends it (found as in ProcessTree).
 */
import { all as cases } from "./suite/cases/all.ts"
import { run } from "./command/Command.ts"
import { UsageError } from "./command/Options.ts"
import * as ProcessTree from "./suite/wire/ProcessTree.ts"

const name = "procwire-conformance"

const leave = (code: number): void => {
  process.exitCode = code
  process.stdout.write("", () => process.exit(code))
}

for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  process.once(signal, () => {
    ProcessTree.killAll(ProcessTree.descendants(process.pid))
    process.exit(code)
  })
}

// The reader of a pipe has left: there is nobody to tell more.
process.stdout.on("error", () => {
  ProcessTree.killAll(ProcessTree.descendants(process.pid))
  process.exit(1)
})

run(process.argv.slice(2), { name, cases, out: process.stdout, err: process.stderr }).then(
  leave,
  (error: unknown) => {
    const wrongUse = error instanceof UsageError
    const text = wrongUse
      ? error.message
      : error instanceof Error
        ? (error.stack ?? error.message)
        : String(error)
    process.stderr.write(`${name}: ${text}\n`)
    if (wrongUse) process.stderr.write("try --help\n")
    leave(wrongUse ? 2 : 1)
  },
)
