// @ts-check
// `npm run lab -- NAME [ARGS]`: runs one script of the laboratory. Without a name it says which there are. Most of them
// tell with `--help` what they take.
import { root, run } from "../../.ci/setup.mjs"

/**
 * Each with the variables that it has unless the caller has set them.
 * @type {Readonly<Record<string, readonly [script: string, says: string, env?: Record<string, string>]>>}
 */
const scripts = {
  codex: ["conformance/lab/run/codex.mjs", "the suite on the real peer, against its baseline"],
  "client-codex": ["conformance/lab/run/codex.mjs --client", "the cases for clients on the real client"],
  "real-client": ["conformance/lab/real-client/main.mjs", "the real client at work on our server"],
  schema: ["conformance/lab/run/schema.mjs", "every message of a run held against the JSON Schema"],
  single: ["conformance/lab/run/single.mjs", "the suite on the executables of Bun and Deno"],
  spawners: [
    ".ci/test.mjs conformance/integration/BuiltInSpawners.test.ts",
    "the suites on every built-in spawner",
    // The test plays some cases of each suite otherwise.
    { WHOLE_SUITES: "1" },
  ],
  support: ["conformance/lab/run/support.mjs", "the suites on every runtime, for the support table"],
  quick: ["conformance/lab/run/quick.mjs", "the wire suite on one runtime, as `npm test` plays it"],
  doors: ["conformance/lab/run/doors.mjs", "the tests of the promise doors on the package of another commit"],
  faults: ["conformance/lab/faults/main.mjs", "plants faults into the sources, and looks who notices"],
  stress: ["conformance/lab/stress/main.mjs", "crowds, kills, floods, fuzzed messages"],
  start: ["conformance/lab/bench/start.mjs", "the first answer, the first exit, `run -- true` and `ps`"],
  flakes: [".ci/flakes.mjs", "plays tests again and again beside busy processes"],
  soak: [
    ".ci/test.mjs adapters/shared/integration/Soak.test.ts",
    "cuts a flooded connection, and compares every byte: for PROCWIRE_SOAK_SECONDS, from PROCWIRE_SOAK_SEED",
    { PROCWIRE_SOAK_SECONDS: "600", PROCWIRE_SOAK_SEED: "1" },
  ],
}

const [name = "", ...args] = process.argv.slice(2)
const [script, , env] = scripts[name] ?? []
if (script === undefined) {
  const lines = Object.entries(scripts).map(([each, [, says]]) => `  ${each.padEnd(13)} ${says}\n`)
  const isAsked = name === "" || name === "--help" || name === "-h"
  const out = isAsked ? process.stdout : process.stderr
  if (!isAsked) out.write(`npm run lab: nothing is called ${name}\n`)
  out.write(`npm run lab -- NAME [ARGS]\n\n${lines.join("")}`)
  process.exit(isAsked ? 0 : 2)
}
const [file = "", ...words] = script.split(" ")
run(process.execPath, [`${root}${file}`, ...words, ...args], { env: { ...env, ...process.env } })
