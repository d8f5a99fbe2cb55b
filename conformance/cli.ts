#!/usr/bin/env node
/**
 * The entry of `procwire-conformance`. It exits with 0 if nothing that counts has failed and no entry of the baseline
 * is stale, with 1 otherwise, and with 2 on a usage error.
 *
 * Guarantee: nothing that the command has started outlives it, even when a signal ends it (see suite/wire/ProcessTree).
 */
import { all as cases } from "./suite/cases/all.ts"
import { run } from "./command/Command.ts"
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

// EPIPE: the report has no reader any more.
process.stdout.on("error", () => {
  ProcessTree.killAll(ProcessTree.descendants(process.pid))
  process.exit(1)
})

void run(process.argv.slice(2), { name, cases, out: process.stdout, err: process.stderr }).then(leave)
