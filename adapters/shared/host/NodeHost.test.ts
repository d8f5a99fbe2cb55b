import * as fs from "node:fs"
import { describe, expect, it } from "vitest"
import { connect } from "../../testing/Client.ts"
import { command } from "../../testing/Runtime.ts"
import * as Shell from "./Shell.ts"

const [program, ...main] = command

/** The entry of this user in the password database; undefined where that is elsewhere. */
const listed = fs.existsSync("/etc/passwd")
  ? fs
      .readFileSync("/etc/passwd", "utf8")
      .split("\n")
      .find((line) => line.split(":")[2] === String(process.getuid?.()))
      ?.split(":")[6]
  : undefined

describe("the host", () => {
  it.skipIf(!listed)("has the user's login shell, whatever the environment says", async () => {
    const args = [...main, "serve", "--listen", "stdio"]
    const env = { ...(process.env as Record<string, string>), SHELL: "/bin/another" }
    const client = await connect({ command: program, args, env })
    expect(client.environmentInfo.shell.path).toBe(listed)
    await client.close()
  })

  it("has a login shell for terminals that can be run", () => {
    const shell = Shell.login("linux")
    expect(shell).toMatch(/^\//)
    expect(() => fs.accessSync(shell ?? "", fs.constants.X_OK)).not.toThrow()
    if (listed && fs.existsSync(listed)) expect(shell).toBe(listed)
    expect(Shell.login("win32")).toBeUndefined()
  })

  it("has a shell with an absolute path, also where the environment names none", async () => {
    const { SHELL: _, ...env } = process.env as Record<string, string>
    const args = [...main, "serve", "--listen", "stdio"]
    const client = await connect({ command: program, args, env })
    const { shell } = client.environmentInfo
    expect(shell.path).toMatch(/^\//)
    expect(shell.path.endsWith(`/${shell.name}`)).toBe(true)
    await client.close()
  })
})
