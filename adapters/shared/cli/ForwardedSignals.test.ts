/** The end of a program by a signal that it has taken before. */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { name } from "../../testing/Runtime.ts"

const source = fileURLToPath(new URL("ForwardedSignals.ts", import.meta.url))

const program = `
  import process from "node:process"
  import { die } from ${JSON.stringify(source)}
  process.on("SIGINT", () => {})
  setTimeout(() => die("SIGINT"), 20)
`

// Node 20 reads no types.
it.skipIf(name === "Node")("dies of the signal every time, so that a shell ends its loop", () => {
  const words = name === "Deno" ? ["eval", "--quiet", "--ext=ts", program] : ["-e", program]
  const ends = Array.from({ length: 20 }, () => spawnSync(process.execPath, words).signal)
  expect(ends).toEqual(ends.map(() => "SIGINT"))
})
