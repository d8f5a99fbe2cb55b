/**
 * The environment of a process under a policy: what is inherited, filtered and set. The environment of a process
 * without a policy: exactly `env`, less the names that never reach a process.
 */
import { Check, Child, table, type CaseSpec, type JsonObject, type Wire } from "../Vocabulary.ts"

export type Variables = ReadonlyMap<string, string>

export const seen = async (
  wire: Wire,
  env: { readonly [name: string]: string },
  policy?: JsonObject,
  others: JsonObject = {},
): Promise<Variables> => {
  const params = policy === undefined ? others : { ...others, envPolicy: policy }
  const child = await Child.start(wire, { argv: ["/usr/bin/env", "-0"], env, params })
  Check.equal((await child.ended()).exitCode, 0, "the exit code of env -0")
  const settings = child
    .text("stdout")
    .split("\0")
    .filter((line) => line !== "")
  return new Map(
    settings.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  )
}

const policy = (members: JsonObject): JsonObject => ({
  inherit: "none",
  ignoreDefaultExcludes: false,
  exclude: [],
  set: {},
  includeOnly: [],
  ...members,
})

const names = (variables: Variables): ReadonlyArray<string> => [...variables.keys()].sort()

const inherits = (
  spec: number,
  says: string,
  members: JsonObject,
  check: (variables: Variables) => void,
  env: { readonly [name: string]: string } = {},
): CaseSpec => ({
  spec: [spec],
  requires: ["env-policy"],
  server: "owned",
  says,
  run: async (t) => check(await seen(await t.open(), env, policy(members))),
})

const has = (variables: Variables, name: string, value: string): void =>
  Check.equal(variables.get(name) ?? null, value, `the variable ${name}`)

const hasNot = (variables: Variables, ...gone: ReadonlyArray<string>): void => {
  for (const name of gone) Check.isTrue(!variables.has(name), `the variable ${name} must not be there`)
}

const core = [
  "PATH",
  "SHELL",
  "TMPDIR",
  "TEMP",
  "TMP",
  "HOME",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "LOGNAME",
  "USER",
]

export const environment = table("environment", {
  "inherit-all": inherits(
    167,
    "With inherit all and ignoreDefaultExcludes the process has every variable of the server.",
    { inherit: "all", ignoreDefaultExcludes: true },
    (variables) => {
      for (const name of ["MY_API_KEY", "SECRET_THING", "GITHUB_TOKEN", "mytoken", "MONKEY"])
        has(variables, name, "drop")
      has(variables, "PASSWORD", "keep")
      has(variables, "FOO", "foo")
    },
  ),
  "default-excludes": inherits(
    168,
    "With inherit all, names that contain KEY, SECRET or TOKEN in any case are dropped: MONKEY is, PASSWORD is not.",
    { inherit: "all" },
    (variables) => {
      hasNot(variables, "MY_API_KEY", "SECRET_THING", "GITHUB_TOKEN", "mytoken", "MONKEY")
      has(variables, "PASSWORD", "keep")
      has(variables, "FOO", "foo")
    },
  ),
  "inherit-core": inherits(
    169,
    "With inherit core the process has only the core variables of the server: PATH and LC_ALL, not TERM, PWD or FOO.",
    { inherit: "core" },
    (variables) => {
      has(variables, "LC_ALL", "C")
      Check.isTrue(variables.has("PATH"), "PATH is missing")
      const others = names(variables).filter((name) => !core.includes(name.toUpperCase()))
      Check.equal(others, [], "variables that are not core")
    },
  ),
  "inherit-none-and-set": inherits(
    170,
    "With inherit none the process has only the variables of set, which the default excludes do not filter.",
    { set: { X: "1", MY_KEY: "2" } },
    (variables) =>
      Check.equal(
        [...variables].sort(),
        [
          ["MY_KEY", "2"],
          ["X", "1"],
        ],
        "the environment",
      ),
  ),
  "include-only": inherits(
    172,
    "includeOnly keeps only matching names, also among those of set; env is added afterwards.",
    { inherit: "all", includeOnly: ["FOO"], set: { BAR: "1" } },
    (variables) =>
      Check.equal(
        [...variables].sort(),
        [
          ["BAZ", "2"],
          ["FOO", "foo"],
        ],
        "the environment",
      ),
    { BAZ: "2" },
  ),
  "env-wins-over-set": inherits(
    173,
    "A variable in env wins over the same one in set and over the inherited one.",
    { inherit: "all", set: { X: "set", FOO: "set" } },
    (variables) => {
      has(variables, "X", "env")
      has(variables, "FOO", "set")
    },
    { X: "env" },
  ),
  "exclude-does-not-touch-set-and-env": inherits(
    171,
    "exclude removes inherited variables, not those of set and env.",
    { inherit: "all", exclude: ["*"], set: { FOO: "set" } },
    (variables) =>
      Check.equal(
        [...variables].sort(),
        [
          ["BAR", "env"],
          ["FOO", "set"],
        ],
        "the environment",
      ),
    { BAR: "env" },
  ),
  "exclude-patterns": {
    spec: [171],
    requires: ["env-policy"],
    server: "owned",
    says: "exclude matches whole names in any case, with * and ?: foo, F?O and FOO* remove FOO; F and F[AO]O do not.",
    play: async (wire) => {
      for (const [pattern, stays] of [
        ["foo", false],
        ["F?O", false],
        ["FOO*", false],
        ["F", true],
        ["F[AO]O", true],
        ["", true],
      ] as const) {
        const variables = await seen(wire, {}, policy({ inherit: "all", exclude: [pattern] }))
        Check.equal(
          variables.has("FOO"),
          stays,
          `whether FOO is there with the pattern ${JSON.stringify(pattern)}`,
        )
      }
    },
  },
  "policy-is-complete": {
    spec: [174],
    requires: ["env-policy"],
    says: `An envPolicy without one of its five members, or with another inherit than core, all or none, is
      refused with -32602.`,
    play: async (wire) => {
      const refuse = (envPolicy: JsonObject) =>
        wire.refused("process/start", Child.params(wire, { params: { envPolicy } }), -32602)
      for (const member of Object.keys(policy({}))) {
        const { [member]: _, ...rest } = policy({})
        Check.contains(await refuse(rest), member, `the message without ${member}`)
      }
      await refuse(policy({ inherit: "some" }))
    },
  },
  "unknown-inherit-lists-the-choices": {
    level: "should",
    spec: [174],
    requires: ["env-policy"],
    says: "The refusal of an unknown inherit lists core, all and none.",
    play: async (wire) => {
      const params = Child.params(wire, { params: { envPolicy: policy({ inherit: "some" }) } })
      const message = await wire.refused("process/start", params, -32602)
      for (const choice of ["core", "all", "none"])
        Check.contains(message, choice, "the message about inherit")
    },
  },
})

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
    says: `Without envPolicy the environment of the process is exactly env: no variable of the server, no
      PATH, no HOME.`,
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
    says: `metadata {threadId, toolCallId} reach the process as CODEX_THREAD_ID, in lower case with hyphens,
      and as CODEX_TOOL_CALL_ID, also over variables of env and of the policy; without metadata there is
      neither.`,
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
    says: `With tty and no SHELL in its environment a process gets one that can be run; one that env has,
      also an empty one, stays. Without tty none is added.`,
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
