import { readFileSync } from "node:fs"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { connect } from "./index.ts"

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url))

interface Config {
  readonly permissions: Readonly<Record<string, Readonly<Record<string, true | ReadonlyArray<string>>>>>
}
const config = JSON.parse(readFileSync(path("../../deno.json"), "utf8")) as Config
const { stdio = {}, default: all = {} } = config.permissions

/** A server with these flags runs a child on a PTY, and signals it. */
const works = async (flags: ReadonlyArray<string>) => {
  const args = ["run", "--quiet", "--no-prompt", ...flags, path("main.ts"), "serve", "--listen", "stdio"]
  const client = await connect({ command: process.execPath, args, stderr: "ignore" })
  try {
    const child = await client.start({ argv: ["sh", "-c", "trap 'exit 7' INT; echo up; read x"], tty: true })
    for await (const _ of child.output()) break
    await child.interrupt()
    return await child.exitCode
  } finally {
    await client.close()
  }
}

describe("the permissions of deno.json", () => {
  it("are enough over stdio, PTYs and signals included, in the set for it", async () => {
    expect(await works(["-P=stdio"])).toBe(7)
  })

  for (const left of Object.keys(stdio)) {
    it(`are not enough without ${left}`, async () => {
      const rest = Object.entries(stdio).filter(([name]) => name !== left)
      const flags = rest.map(
        ([name, value]) => `--allow-${name}${value === true ? "" : `=${value.join(",")}`}`,
      )
      await expect(works(flags)).rejects.toThrow()
    })
  }

  it("are each in the README, with a reason", () => {
    const readme = readFileSync(path("../../README.md"), "utf8")
    for (const name of Object.keys(all)) expect(readme).toMatch(new RegExp(`^\\|[^|]*\`${name}\``, "m"))
  })
})
