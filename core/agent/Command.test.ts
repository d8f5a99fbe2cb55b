import { describe, expect, it } from "vitest"
import * as EnvPolicy from "../spawn/EnvPolicy.ts"
import * as Command from "./Command.ts"

const info = { shell: { name: "zsh", path: "/bin/zsh" } }
const start = (args: Partial<Parameters<typeof Command.toStart>[0]>, defaults: Command.Defaults = {}) =>
  Command.toStart({ cmd: "x", ...args }, defaults, info)

describe("toStart", () => {
  it("takes the shell of the call, else the default, else that of the host", () => {
    expect(start({}).argv[0]).toBe("/bin/zsh")
    expect(start({}, { shell: "/bin/bash" }).argv[0]).toBe("/bin/bash")
    expect(start({ shell: "/bin/sh" }, { shell: "/bin/bash" }).argv[0]).toBe("/bin/sh")
  })

  it("runs a login shell unless the call refuses one", () => {
    expect(start({}).argv).toEqual(["/bin/zsh", "-lc", "x"])
    expect(start({ login: true }).argv).toEqual(["/bin/zsh", "-lc", "x"])
    expect(start({ login: false }).argv).toEqual(["/bin/zsh", "-c", "x"])
  })

  it("adds the fixed variables, which those of the defaults override", () => {
    expect(start({}).env).toEqual(Command.fixedEnvironment)
    expect(start({}, { env: { TERM: "xterm", MINE: "1" } }).env).toEqual({
      ...Command.fixedEnvironment,
      TERM: "xterm",
      MINE: "1",
    })
  })

  it("has terminals answered where the server can, which nobody attaches", () => {
    const able = { ...info, capabilities: { processAnswers: true } }
    const asked = (tty: boolean, of: typeof info) => Command.toStart({ cmd: "x", tty }, {}, of).answers
    expect([asked(true, able), asked(false, able), asked(true, info)]).toEqual([true, undefined, undefined])
  })

  it("keeps back what is likely a secret by its name, unless it is told otherwise", () => {
    const harmless = ["PATH", "PWD", "OLDPWD", "PATTERN", "DATABASE", "DSN_HELP"]
    const secret =
      "DB_PASSWORD MYSQL_PWD passwd GITHUB_PAT DATABASE_URL SENTRY_DSN AWS_CREDENTIALS A_TOKEN".split(" ")
    const inherited = Object.fromEntries([...harmless, ...secret].map((name) => [name, "x"]))
    const names = (defaults: Command.Defaults) => {
      const policy = start({}, defaults).envPolicy ?? undefined
      return Object.keys(EnvPolicy.resolve({ env: {}, policy, inherited, platform: "linux" }))
    }
    expect(names({})).toEqual(harmless)
    expect(names({ inheritSecrets: true })).toEqual(Object.keys(inherited))
  })

  it.each([
    [undefined, null, undefined],
    ["/base", null, "/base"],
    ["/base", "", "/base"],
    ["/base/", "sub", "/base/sub"],
    ["/base", "/other", "/other"],
    ["/base", "C:\\other", "C:\\other"],
    ["/base", "file:///other", "file:///other"],
    [undefined, "sub", "sub"],
  ])("with cwd %s and workdir %s runs in %s", (cwd, workdir, expected) => {
    expect(start({ workdir }, cwd === undefined ? {} : { cwd }).cwd).toBe(expected)
  })
})

it.each([
  ["C:\\Windows\\cmd.exe", true, ["/c", "x"]],
  ["PowerShell.exe", true, ["-Command", "x"]],
  ["/usr/bin/pwsh", false, ["-NoProfile", "-Command", "x"]],
  ["/bin/fish", true, ["-lc", "x"]],
])("%s with login %s takes %j", (shell, login, rest) => {
  expect(Command.toArgv(shell, login, "x")).toEqual([shell, ...rest])
})
