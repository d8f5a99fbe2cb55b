import { describe, expect, it } from "vitest"
import * as EnvNames from "../protocol/EnvNames.ts"
import * as EnvPolicy from "./EnvPolicy.ts"

type Policy = NonNullable<EnvPolicy.EnvRequest["policy"]>

const everything: Policy = {
  inherit: "all",
  ignoreDefaultExcludes: true,
  exclude: [],
  set: {},
  includeOnly: [],
}

const resolve = (
  policy: Partial<Policy> | undefined,
  inherited: EnvPolicy.Env,
  env: EnvPolicy.Env = {},
  platform = "linux",
) => EnvPolicy.resolve({ env, policy: policy && { ...everything, ...policy }, inherited, platform })

const names = (env: EnvPolicy.Env) => Object.keys(env).sort()
const server = {
  PATH: "/bin",
  Path: "p",
  home: "/h",
  LC_CTYPE: "C",
  TERM: "xterm",
  PWD: "/",
  TZ: "UTC",
  FOO: "1",
}

describe("EnvPolicy", () => {
  it("gives a child exactly the request's env where there is no policy", () => {
    expect(resolve(undefined, server, { A: "1" })).toEqual({ A: "1" })
    expect(resolve(undefined, server)).toEqual({})
  })

  it("inherits every variable of the server with all", () => {
    expect(resolve({ inherit: "all" }, server)).toEqual(server)
  })

  it("inherits nothing with none", () => {
    expect(resolve({ inherit: "none", set: { X: "1", MY_KEY: "2" } }, server)).toEqual({
      X: "1",
      MY_KEY: "2",
    })
  })

  it("inherits the core variables in any case, and not TERM, PWD or TZ", () => {
    expect(names(resolve({ inherit: "core" }, server))).toEqual(["LC_CTYPE", "PATH", "Path", "home"])
    const all = Object.fromEntries([...EnvNames.core.unix, "TERM", "PWD"].map((name) => [name, "x"]))
    expect(names(resolve({ inherit: "core" }, all))).toEqual([...EnvNames.core.unix].sort())
  })

  it("has a core list of its own on Windows", () => {
    const inherited = { SystemRoot: "C:", "ProgramFiles(x86)": "P", HOME: "h", LANG: "C" }
    expect(names(resolve({ inherit: "core" }, inherited, {}, "windows"))).toEqual([
      "PATHEXT",
      "ProgramFiles(x86)",
      "SystemRoot",
    ])
  })

  it("drops names with KEY, SECRET and TOKEN in them by default", () => {
    const inherited = {
      MY_API_KEY: "",
      SECRET_THING: "",
      GITHUB_TOKEN: "",
      mytoken: "",
      MONKEY: "",
      PASSWORD: "",
      A: "",
    }
    expect(names(resolve({ ignoreDefaultExcludes: false }, inherited))).toEqual(["A", "PASSWORD"])
    expect(names(resolve({ ignoreDefaultExcludes: true }, inherited))).toEqual(Object.keys(inherited).sort())
  })

  it("excludes by whole-name globs without case, where only * and ? are special", () => {
    const kept = (pattern: string) => "FOO" in resolve({ exclude: [pattern] }, { FOO: "1" })
    for (const pattern of ["foo", "F?O", "FOO*", "*", "f*o", "***", "???"]) expect(kept(pattern)).toBe(false)
    for (const pattern of ["F", "F[AO]O", "", "FO.", "FOO?", "^FOO$", "FO+", "????", "*x*"])
      expect(kept(pattern)).toBe(true)
  })

  it("takes every other character of a pattern for itself", () => {
    expect(resolve({ exclude: ["A.(B)[C]\\$|{D}+^"] }, { "A.(B)[C]\\$|{D}+^": "1", B: "2" })).toEqual({
      B: "2",
    })
    expect(resolve({ exclude: ["A?C", "D*F"] }, { "A\nC": "1", "D\n\nF": "2", "A😀C": "3" })).toEqual({})
  })

  it("matches in time that does not explode with the pattern", () => {
    const time = () => {
      const before = performance.now()
      resolve({ includeOnly: [`${"*a".repeat(30)}*b`], set: { ["a".repeat(2000)]: "" } }, {})
      return performance.now() - before
    }
    // Other programs can only add to the time, so the least of three counts.
    expect(Math.min(time(), time(), time())).toBeLessThan(5000)
  })

  it("sets variables that no exclude touches", () => {
    expect(
      resolve({ exclude: ["X*"], ignoreDefaultExcludes: false, set: { X1: "a", A_KEY: "b" } }, { X2: "c" }),
    ).toEqual({ X1: "a", A_KEY: "b" })
  })

  it("keeps only what includeOnly names, of set variables too, but not of the request's env", () => {
    expect(
      resolve({ includeOnly: ["foo"], set: { BAR: "2" } }, { FOO: "1", QUX: "0" }, { BAZ: "3" }),
    ).toEqual({ FOO: "1", BAZ: "3" })
  })

  it("lets env win over set and set over what is inherited", () => {
    expect(
      resolve({ set: { X: "set", Y: "set" } }, { X: "server", Y: "server", Z: "server" }, { X: "env" }),
    ).toEqual({ X: "env", Y: "set", Z: "server" })
  })

  it("adds PATHEXT on Windows where none is in any case", () => {
    expect(resolve({ inherit: "none" }, {}, {}, "windows")).toEqual({ PATHEXT: ".COM;.EXE;.BAT;.CMD" })
    expect(resolve({ inherit: "none", set: { PathExt: ".X" } }, {}, {}, "windows")).toEqual({ PathExt: ".X" })
    expect(resolve({ inherit: "none" }, {}, {}, "linux")).toEqual({})
    expect(resolve(undefined, {}, {}, "windows")).toEqual({})
  })

  it("lets the secrets of the server reach no child, whoever names them", () => {
    const secrets = {
      CODEX_EXEC_SERVER_EXIT_ON_STDIN_CLOSE: "1",
      Codex_Exec_Server_Noise_Auth_Token: "2",
      node_repl_auth_token: "3",
      OPENAI_FEDERATION_RULE_ID: "4",
      OPENAI_IDENTITY_TOKEN_FILE: "5",
      OPENAI_WORKLOAD_IDENTITY_CONTEXT: "6",
    }
    expect(resolve(undefined, {}, { ...secrets, KEEP: "k" })).toEqual({ KEEP: "k" })
    expect(resolve({ set: secrets }, secrets, secrets)).toEqual({})
  })

  it("strips the switch of the server only in its exact case", () => {
    expect(resolve(undefined, {}, { codex_exec_server_exit_on_stdin_close: "1" })).toEqual({
      codex_exec_server_exit_on_stdin_close: "1",
    })
  })
})
