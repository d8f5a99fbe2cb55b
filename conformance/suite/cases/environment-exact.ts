/**
 * The environment of a process without a policy: exactly `env`, less the names that never reach a process.
 */
import { table } from "../Case.ts"
import * as Check from "../Check.ts"
import * as Child from "../Child.ts"
import type { JsonObject } from "../Json.ts"
import { seen } from "./seen.ts"

const scrubbed = [
  "CODEX_EXEC_SERVER_EXIT_ON_STDIN_CLOSE",
  "CODEX_EXEC_SERVER_NOISE_AUTH_TOKEN",
  "NODE_REPL_AUTH_TOKEN",
  "OPENAI_FEDERATION_RULE_ID",
  "OPENAI_IDENTITY_TOKEN_FILE",
  "OPENAI_WORKLOAD_IDENTITY_CONTEXT",
]

export const environmentExact = table("environment", {
  "exact-without-policy": {
    spec: [166],
    says:
      "Without envPolicy the environment of the process is exactly env: no variable of the server, no PATH, " +
      "no HOME.",
    run: async (t) => {
      const variables = await seen(await t.open(), { A: "1", EMPTY: "", "with space": "ä=b\nc" })
      Check.equal(
        [...variables].sort(),
        [
          ["A", "1"],
          ["EMPTY", ""],
          ["with space", "ä=b\nc"],
        ],
        "the environment",
      )
    },
  },
  // guards: environment
  "private-names-scrubbed": {
    spec: [175],
    says: "Six names of the server's own secrets never reach a process, not even from env; other names do.",
    run: async (t) => {
      const asked = Object.fromEntries([...scrubbed, "KEEP"].map((name) => [name, "1"]))
      Check.equal([...(await seen(await t.open(), asked)).keys()], ["KEEP"], "the environment")
    },
  },
  "metadata-names-the-caller": {
    level: "should",
    says:
      "metadata {threadId, toolCallId} reach the process as CODEX_THREAD_ID, in lower case with hyphens, and as " +
      "CODEX_TOOL_CALL_ID, also over variables of env and of the policy; without metadata there is neither.",
    play: async (wire) => {
      const id = "0193b0a0-0000-7000-8000-00000000000a"
      const callers = async (metadata: JsonObject, env: Record<string, string> = {}, policy?: JsonObject) => {
        const variables = await seen(wire, env, policy, { metadata })
        return ["CODEX_THREAD_ID", "CODEX_TOOL_CALL_ID"].map((name) => variables.get(name) ?? "none")
      }
      for (const threadId of [id, id.toUpperCase(), id.replaceAll("-", ""), `urn:uuid:${id}`, `{${id}}`])
        Check.equal(await callers({ threadId }), [id, "none"], `the variables of ${threadId}`)
      const both = { threadId: id, toolCallId: "a call" }
      Check.equal(await callers(both, { CODEX_THREAD_ID: "mine" }), [id, "a call"], "over env")
      const policy = { inherit: "none", ignoreDefaultExcludes: false, exclude: ["CODEX*"], includeOnly: [] }
      Check.equal(
        await callers(both, {}, { ...policy, set: { CODEX_THREAD_ID: "set" } }),
        [id, "a call"],
        "over the policy",
      )
      Check.equal(await callers({}), ["none", "none"], "without metadata")
    },
  },
  "tty-shell-of-the-user": {
    level: "peer",
    spec: [176],
    requires: ["pty"],
    says: "With tty and an empty env, a SHELL variable from the user database appears.",
    run: async (t) => {
      const child = await Child.run(await t.open(), { tty: true, argv: ["/usr/bin/env"], env: {} })
      Check.contains(child.text(), "SHELL=", "the environment")
    },
  },
  "tty-shell-is-added": {
    level: "should",
    spec: [176],
    requires: ["pty"],
    says:
      "With tty and no SHELL in its environment a process gets one that can be run; one that env has, also an " +
      "empty one, stays. Without tty none is added.",
    play: async (wire) => {
      const shells = async (tty: boolean, env: Record<string, string>): Promise<ReadonlyArray<string>> => {
        const child = await Child.run(wire, { tty, argv: ["/usr/bin/env"], env })
        return child
          .text()
          .split(/\r?\n/)
          .filter((line) => line.startsWith("SHELL="))
      }
      const [added = "none"] = await shells(true, {})
      const child = await Child.start(wire, { script: `test -x "${added.slice("SHELL=".length)}"` })
      Check.equal((await child.ended()).exitCode, 0, `whether ${added} can be run`)
      Check.equal(await shells(true, { SHELL: "" }), ["SHELL="], "an empty SHELL")
      Check.equal(await shells(true, { SHELL: "/mine" }), ["SHELL=/mine"], "another SHELL")
      Check.equal(await shells(false, {}), [], "SHELL without tty")
    },
  },
  "tty-env-given": {
    requires: ["pty"],
    says: "With tty the variables of env reach the process, and those of the server do not.",
    run: async (t) => {
      const child = await Child.run(await t.open(), {
        tty: true,
        argv: ["/usr/bin/env"],
        env: { A: "1", TERM: "dumb" },
      })
      Check.contains(child.text(), "A=1\r\n", "the environment")
      Check.contains(child.text(), "TERM=dumb\r\n", "the environment")
      Check.lacks(child.text(), "FROM_SERVER", "the environment")
    },
  },
})
