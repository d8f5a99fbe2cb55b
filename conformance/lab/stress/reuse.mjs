// @ts-check
// Gives the numbers of ended children to strangers, and looks whether a signal reaches one. Numbers are given out by
// writing `ns_last_pid` in a PID namespace of its own, so each is used again at once.
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { serverOn } from "../run/runtimes.mjs"
import { stress } from "./lib/command.mjs"
import { onRuntime } from "./lib/servers.mjs"

const inside = fileURLToPath(new URL("lib/reuse-inside.mjs", import.meta.url))

export const reuse = stress({
  says: "gives the numbers of ended children to strangers: none may be signalled",
  options: { seconds: { says: "how long", usual: 30 }, runtime: onRuntime },
  play: async ({ seconds, runtime }, { row, fail, skip }) => {
    const unshare = ["--pid", "--fork", "--mount-proc", "--kill-child"]
    if (process.getuid?.() !== 0) unshare.unshift("--user", "--map-root-user")
    if (spawnSync("unshare", [...unshare, "true"]).status !== 0) skip("no PID namespace can be made here")
    const [program = ""] = serverOn(runtime)
    const words = runtime === "deno" ? ["run", "--quiet", "--allow-all", inside] : [inside]
    // The first process of a namespace gets all orphans: a shell that waits reaps them at once.
    const first = ["sh", "-c", '"$@" & wait $!', "sh"]
    const args = [...unshare, ...first, program, ...words, runtime, String(seconds)]
    const { status, stdout } = spawnSync("unshare", args, { encoding: "utf8" })
    const [, reused = "0", signalled] = /^(\d+) reused, (\d+) signalled$/m.exec(stdout) ?? []
    row("numbers that were used again, strangers signalled", `${reused}, ${signalled}`)
    if (status !== 0 || signalled !== "0" || reused === "0") fail(`exit code ${status}: ${stdout}`)
  },
})
