// @ts-check
// `npm run proof:reuse`: gives the numbers of ended children to strangers, and looks whether a signal reaches one.
// Numbers are given out by writing `ns_last_pid` in a PID namespace of its own, so each is used again at once.
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { binary } from "../../../.ci/setup.mjs"
import { finish, flags } from "./lib/command.mjs"
import { ready, runtimeNames } from "./lib/servers.mjs"

const options = flags(
  "proof:reuse",
  "Uses the numbers of ended children again: no stranger may be signalled.",
  {
    rounds: { says: "how many numbers", standard: 10_000 },
    runtime: { says: runtimeNames.join(", "), standard: "node", choices: runtimeNames },
  },
)

ready()
/** @type {Record<string, () => string[]>} */
const programs = {
  node: () => [process.execPath],
  bun: () => [binary("@oven", "bin/bun")],
  deno: () => [binary("@deno", "deno"), "run", "--quiet", "--allow-all"],
}
const inside = fileURLToPath(new URL("lib/reuse-inside.mjs", import.meta.url))
const words = [...(programs[options.runtime]?.() ?? []), inside, options.runtime, String(options.rounds)]
const unshare = ["--pid", "--fork", "--mount-proc", "--kill-child"]
const user = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"]

if (spawnSync("unshare", [...user, ...unshare, "true"]).status !== 0) {
  process.stdout.write("skipped: no PID namespace can be made here\n")
  process.exit(0)
}
// The first process of a namespace gets all orphans: a shell that waits reaps them at once.
const first = ["sh", "-c", '"$@" & wait $!', "sh"]
const { status, stdout } = spawnSync("unshare", [...user, ...unshare, ...first, ...words], {
  encoding: "utf8",
  stdio: ["ignore", "pipe", "inherit"],
})
const found = /^(\d+) reused, (\d+) signalled$/m.exec(stdout)
const failures = status === 0 && found?.[2] === "0" ? [] : [`exit code ${status}: ${stdout}`]
finish(
  `numbers that are used again, on ${options.runtime}`,
  [
    ["reused", found?.[1] ?? "?"],
    ["strangers signalled", found?.[2] ?? "?"],
  ],
  failures,
)
