/**
 * The environment of a process under a policy: what is inherited, filtered and set.
 */
import { table, type CaseSpec } from "../Case.ts"
import * as Check from "../Check.ts"
import * as Child from "../Child.ts"
import type { JsonObject } from "../Json.ts"
import { seen, type Variables } from "./seen.ts"

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
    says:
      "An envPolicy without one of its five members, or with another inherit than core, all or none, is " +
      "refused with -32602.",
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
