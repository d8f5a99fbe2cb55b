// @ts-check
// `npm test`: installs, builds, and proves on Node, Bun and Deno what is likely to break, in a few minutes. The rest
// is in `npm run test:all`.
//
//   npm test -- core/rpc                      the tests of a folder or a file, with any option of vitest
//   npm test -- --on bun adapters/shared      the same on Bun or Deno
import { build, install, run, tool, vitestOn } from "./setup.mjs"
import { filesOn, usualFiles } from "./parts.mjs"
import { play } from "./steps.mjs"
import * as Tally from "./tally.mjs"

const runtimes = /** @type {const} */ (["bun", "deno"])

/** Everything: vitest on each runtime, and the wire suite on the command of each. */
const all = async () => {
  Tally.folder()
  // Each Node reads the authorities that a machine adds as it starts, which takes longer than the rest of its start.
  // The tests start it a thousand times and speak to servers of their own alone.
  delete process.env["NODE_EXTRA_CA_CERTS"]
  const { provide } = await import("./tested.mjs")
  for (const runtime of runtimes) await provide(runtime)
  const vitest = "node_modules/vitest/vitest.mjs"
  const steps = [
    { title: `Node ${process.version}`, args: [vitest, "run", ...usualFiles()] },
    ...runtimes.map((runtime) => ({
      title: `what depends on the runtime, on ${runtime}`,
      args: [".ci/test.mjs", "--on", runtime, ...filesOn(runtime)],
    })),
    ...["node", ...runtimes].map((runtime) => ({
      title: `the wire suite on ${runtime}`,
      args: ["conformance/lab/run/quick.mjs", runtime],
    })),
  ]
  const ends = await play(steps, { sideBySide: 4 })
  process.stdout.write(`\n${Tally.summary(Tally.sum())}`)
  process.exitCode = ends.every((end) => end === 0) ? 0 : 1
}

install()
build()
const args = process.argv.slice(2)
const [flag, runtime, ...files] = args
if (args.length === 0) await all()
else if (flag !== "--on") tool("vitest/vitest.mjs", ["run", ...args])
else if (runtime === "bun" || runtime === "deno") {
  const { provide } = await import("./tested.mjs")
  await provide(runtime)
  run(...vitestOn(runtime, files))
} else {
  process.stderr.write(`npm test: --on ${runtime ?? ""}: expected bun or deno\n`)
  process.exitCode = 2
}
