import { describe, expect, it } from "vitest"
import * as StartOptions from "./StartOptions.ts"

const info = { shell: { name: "sh", path: "/bin/sh" }, cwd: "file:///srv/my%20project", platformOs: "linux" }
const toParams = (options: Omit<StartOptions.StartOptions, "argv">) =>
  StartOptions.toParams({ argv: ["x"], ...options }, info, () => "made-up")

describe("StartOptions", () => {
  it("needs nothing but argv", () => {
    expect(toParams({})).toEqual({
      processId: "made-up",
      argv: ["x"],
      cwd: "file:///srv/my%20project",
      env: {},
      envPolicy: { inherit: "core", ignoreDefaultExcludes: false, exclude: [], set: {}, includeOnly: [] },
      tty: false,
    })
  })

  it("takes paths as people write them", () => {
    const cwd = (path: string) => toParams({ cwd: path }).cwd
    expect(cwd("src/a b")).toBe("file:///srv/my%20project/src/a%20b")
    expect(cwd("../other/./x/")).toBe("file:///srv/other/x")
    expect(cwd("/tmp/#1")).toBe("file:///tmp/%231")
    expect(cwd("C:\\Users\\me")).toBe("file:///C:/Users/me")
    expect(cwd("file:///as/it%20is")).toBe("file:///as/it%20is")
  })

  it("asks for the pid where the server can tell it", () => {
    const asked = (capabilities: { readonly processPid?: boolean }) =>
      StartOptions.toParams({ argv: ["x"] }, { ...info, capabilities }, () => "made-up")
    expect(asked({ processPid: true })).toMatchObject({ pid: true })
    for (const capabilities of [{}, { processPid: false }])
      expect(asked(capabilities)).not.toHaveProperty("pid")
  })

  it("leaves the environment to the caller where a policy, or none, is given", () => {
    const policy = {
      inherit: "all",
      ignoreDefaultExcludes: true,
      exclude: ["A*"],
      set: {},
      includeOnly: [],
    } as const
    expect(toParams({ envPolicy: policy }).envPolicy).toBe(policy)
    expect(toParams({ envPolicy: null, env: { A: "1" } })).toMatchObject({ envPolicy: null, env: { A: "1" } })
    expect(toParams({ inherit: "none" }).envPolicy).toMatchObject({ inherit: "none" })
  })

  it("passes everything else on as it is on the wire", () => {
    const rest = {
      processId: "p",
      tty: true,
      pipeStdin: true,
      arg0: "zero",
      terminalSize: { rows: 5, columns: 9 },
    }
    expect(toParams(rest)).toMatchObject(rest)
  })

  it("gives a terminal a size and a TERM, unless it is told another", () => {
    expect(toParams({ tty: true })).toMatchObject({
      terminalSize: { rows: 24, columns: 80 },
      env: { TERM: "xterm-256color" },
    })
    expect(toParams({ tty: true, env: { TERM: "dumb", A: "1" } }).env).toEqual({ TERM: "dumb", A: "1" })
    expect(toParams({ env: { A: "1" } })).not.toHaveProperty("terminalSize")
  })

  it.each([
    [undefined, "undefined"],
    [{}, "undefined"],
    [{ argv: [] }, "[]"],
    [{ argv: "ls -l" }, '"ls -l"'],
    [{ argv: ["kill", 7] }, '["kill",7]'],
  ])("refuses %j, where argv is missing or no array of strings", (options, shown) => {
    expect(StartOptions.refusal(options as StartOptions.StartOptions, info)).toMatchObject({
      reason: "InvalidOption",
      message: `argv must be an array of at least one string, as in { argv: ["ls", "-l"] }, not ${shown}`,
    })
    expect(StartOptions.refusal({ argv: ["ls"] }, info)).toBeUndefined()
  })
})
