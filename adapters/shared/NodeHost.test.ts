import { describe, expect, it } from "vitest"
import { command, platform } from "../testing/Runtime.ts"
import * as Program from "./Program.ts"

const { connect } = Program.make(platform)
const [program, ...main] = command

describe("the host", () => {
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
