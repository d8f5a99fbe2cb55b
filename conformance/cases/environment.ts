/**
 * The environment of a process: exactly what was asked for, what a policy inherits and filters, and what never gets through.
 */
import { table, type CaseSpec } from "../Case.ts"
import * as Check from "../Check.ts"
import * as Child from "../Child.ts"
import type { JsonObject } from "../Json.ts"
import type { Wire } from "../wire/Wire.ts"

type Variables = ReadonlyMap<string, string>

/** What a process sees as its environment. */
const seen = async (wire: Wire, env: { readonly [name: string]: string }, policy?: JsonObject): Promise<Variables> => {
  const params = policy === undefined ? {} : { envPolicy: policy }
  const child = await Child.start(wire, { argv: ["/usr/bin/env", "-0"], env, params })
  Check.equal((await child.ended()).exitCode, 0, "the exit code of env -0")
  const settings = child.text("stdout").split("\0").filter((line) => line !== "")
  return new Map(settings.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]))
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
  level: "must",
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

const scrubbed = [
  "CODEX_EXEC_SERVER_EXIT_ON_STDIN_CLOSE",
  "CODEX_EXEC_SERVER_NOISE_AUTH_TOKEN",
  "NODE_REPL_AUTH_TOKEN",
  "OPENAI_FEDERATION_RULE_ID",
  "OPENAI_IDENTITY_TOKEN_FILE",
  "OPENAI_WORKLOAD_IDENTITY_CONTEXT",
]

const core = ["PATH", "SHELL", "TMPDIR", "TEMP", "TMP", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "USER"]

export const environment = table("environment", {
  "exact-without-policy": {
    level: "must",
    spec: [166],
    says: "Without envPolicy the environment of the process is exactly env: nothing of the server, no PATH, no HOME.",
    run: async (t) => {
      const variables = await seen(await t.open(), { A: "1", EMPTY: "", "with space": "ä=b\nc" })
      Check.equal([...variables].sort(), [["A", "1"], ["EMPTY", ""], ["with space", "ä=b\nc"]], "the environment")
    },
  },
  "inherit-all": inherits(
    167,
    "With inherit all and ignoreDefaultExcludes every variable of the server is there.",
    { inherit: "all", ignoreDefaultExcludes: true },
    (variables) => {
      for (const name of ["MY_API_KEY", "SECRET_THING", "GITHUB_TOKEN", "mytoken", "MONKEY"]) has(variables, name, "drop")
      has(variables, "PASSWORD", "keep")
      has(variables, "FOO", "foo")
    },
  ),
  "default-excludes": inherits(
    168,
    "With inherit all names that contain KEY, SECRET or TOKEN, in any case, are dropped: also MONKEY, but not PASSWORD.",
    { inherit: "all" },
    (variables) => {
      hasNot(variables, "MY_API_KEY", "SECRET_THING", "GITHUB_TOKEN", "mytoken", "MONKEY")
      has(variables, "PASSWORD", "keep")
      has(variables, "FOO", "foo")
    },
  ),
  "inherit-core": inherits(
    169,
    "With inherit core only the eleven core variables of the server are there: PATH and LC_ALL, not TERM, PWD or FOO.",
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
    "With inherit none only set is there; set is not filtered by the default excludes.",
    { set: { X: "1", MY_KEY: "2" } },
    (variables) => Check.equal([...variables].sort(), [["MY_KEY", "2"], ["X", "1"]], "the environment"),
  ),
  "include-only": inherits(
    172,
    "includeOnly keeps only matching names, of set too; env is added afterwards.",
    { inherit: "all", includeOnly: ["FOO"], set: { BAR: "1" } },
    (variables) => Check.equal([...variables].sort(), [["BAZ", "2"], ["FOO", "foo"]], "the environment"),
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
    (variables) => Check.equal([...variables].sort(), [["BAR", "env"], ["FOO", "set"]], "the environment"),
    { BAR: "env" },
  ),
  "exclude-patterns": {
    level: "must",
    spec: [171],
    requires: ["env-policy"],
    server: "owned",
    says: "exclude matches whole names in any case, with * and ?: foo, F?O and FOO* remove FOO; F and F[AO]O do not.",
    run: async (t) => {
      const wire = await t.open()
      for (const [pattern, stays] of [["foo", false], ["F?O", false], ["FOO*", false], ["F", true], ["F[AO]O", true], ["", true]] as const) {
        const variables = await seen(wire, {}, policy({ inherit: "all", exclude: [pattern] }))
        Check.equal(variables.has("FOO"), stays, `whether FOO is there with the pattern ${JSON.stringify(pattern)}`)
      }
    },
  },
  "policy-is-complete": {
    level: "must",
    spec: [174],
    requires: ["env-policy"],
    says: "An envPolicy without one of its five members, or with another inherit than core, all or none, is refused with -32602.",
    run: async (t) => {
      const wire = await t.open()
      const refuse = (envPolicy: JsonObject) =>
        wire.refused("process/start", Child.params(wire, { params: { envPolicy } }), -32602)
      for (const member of Object.keys(policy({}))) {
        const { [member]: _, ...rest } = policy({})
        Check.contains(await refuse(rest), member, `the message without ${member}`)
      }
      const message = await refuse(policy({ inherit: "some" }))
      for (const choice of ["core", "all", "none"]) Check.contains(message, choice, "the message about inherit")
    },
  },
  "private-names-scrubbed": {
    level: "must",
    spec: [175],
    says: "Six names of the server's own secrets never reach a process, not even from env, while other names do.",
    run: async (t) => {
      const asked = Object.fromEntries([...scrubbed, "KEEP"].map((name) => [name, "1"]))
      Check.equal(names(await seen(await t.open(), asked)), ["KEEP"], "the environment")
    },
  },
  "tty-shell-of-the-user": {
    level: "peer",
    spec: [176],
    requires: ["pty"],
    says: "With tty and an empty env, a SHELL variable from the user database appears.",
    run: async (t) => {
      const child = await Child.start(await t.open(), { tty: true, argv: ["/usr/bin/env"], env: {} })
      await child.ended()
      Check.contains(child.text(), "SHELL=", "the environment")
    },
  },
  "tty-env-given": {
    level: "must",
    spec: [],
    requires: ["pty"],
    says: "With tty the variables of env reach the process, and those of the server do not.",
    run: async (t) => {
      const child = await Child.start(await t.open(), { tty: true, argv: ["/usr/bin/env"], env: { A: "1", TERM: "dumb" } })
      await child.ended()
      Check.contains(child.text(), "A=1\r\n", "the environment")
      Check.contains(child.text(), "TERM=dumb\r\n", "the environment")
      Check.lacks(child.text(), "FROM_SERVER", "the environment")
    },
  },
})

export const info = table("environment", {
  "status-is-ready": {
    level: "must",
    spec: [182],
    says: 'environment/status is answered with {"status":"ready"}, with params absent, null or {}.',
    run: async (t) => {
      const wire = await t.open()
      for (const params of [undefined, null, {}]) {
        Check.equal(await wire.ok("environment/status", params), { status: "ready" }, "the result")
      }
    },
  },
  "info-equals-that-of-initialize": {
    level: "must",
    spec: [],
    says: "environment/info returns the same object as environmentInfo in the result of initialize.",
    run: async (t) => {
      const wire = await t.connect()
      const { environmentInfo = null } = await wire.handshake()
      for (const params of [undefined, null, {}]) {
        Check.equal(await wire.ok("environment/info", params), environmentInfo, "the result")
      }
    },
  },
  "info-names-the-machine": {
    level: "should",
    spec: [],
    says: "environmentInfo tells executorVersion, platformOs, cwd, userHomeDir and tempDir, the folders as file URIs, and capabilities as booleans.",
    run: async (t) => {
      const result = await (await t.open()).ok("environment/info")
      Check.text(result["executorVersion"], "executorVersion")
      Check.text(result["platformOs"], "platformOs")
      for (const name of ["cwd", "userHomeDir", "tempDir"]) {
        Check.isTrue(Check.text(result[name], name).startsWith("file:///"), `${name} is no file URI`)
      }
      const capabilities = Check.object(result["capabilities"], "capabilities")
      for (const [name, value] of Object.entries(capabilities)) Check.flag(value, `the capability ${name}`)
    },
  },
})
