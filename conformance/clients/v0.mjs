#!/usr/bin/env node
// @ts-check
// Our client of the first wire, as `procwire-conformance --client` runs it: `v0.mjs URL ARGV…`. Needs `dist/`.
import { connect } from "../../dist/adapters/node/index.js"

const [url = "", ...argv] = process.argv.slice(2)
try {
  const client = await connect({ url }, { dialect: "v0" })
  const child = await client.start({ argv, cwd: "/", env: {} })
  for await (const event of child) {
    if (event.kind === "output")
      (event.stream === "stderr" ? process.stderr : process.stdout).write(event.bytes)
    if (event.kind === "failed") throw new Error(event.reason)
  }
  process.exitCode = child.exitCode ?? 1
  await client.close()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
