/** Tokens from end to end: a server that asks for one, and the command and the programs that send it. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { connect } from "../../testing/Client.ts"
import { command } from "../../testing/Runtime.ts"

const [program, ...main] = command

let [folder, file, url] = ["", "", ""]
let server: ChildProcess | undefined
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "procwire-token-"))
  file = join(folder, "token")
  writeFileSync(file, "open-sesame\n")
  const flags = ["--ws-auth", "capability-token", "--ws-token-file", file]
  server = spawn(program, [...main, "serve", ...flags], { stdio: ["ignore", "pipe", "inherit"] })
  const [line] = await once(server.stdout!, "data")
  url = String(line).trim()
})
afterAll(() => {
  server?.kill("SIGKILL")
  rmSync(folder, { recursive: true, force: true })
})

const run = async (env: NodeJS.ProcessEnv, ...flags: ReadonlyArray<string>) => {
  const args = [...main, "run", "--server", url, ...flags, "--", "echo", "inside"]
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } })
  let text = ""
  child.stdout.on("data", (bytes: Buffer) => (text += bytes.toString()))
  child.stderr.on("data", (bytes: Buffer) => (text += bytes.toString()))
  const [code] = await once(child, "close")
  return { code: code as number, text }
}

describe("a server with --ws-auth", () => {
  it("serves programs with the token", async () => {
    const client = await connect({ url, token: "open-sesame" })
    expect(await client.run({ argv: ["echo", "hello"] })).toMatchObject({ stdout: "hello\n" })
    await client.close()
  })

  // guards: wrong-token
  it("serves no program without it, or with another", async () => {
    for (const options of [{}, { token: "sesame" }]) {
      await expect(connect({ url, ...options })).rejects.toMatchObject({
        reason: "Connect",
        message: expect.stringContaining("401") as string,
      })
    }
  })

  it("serves procwire run with the token from a file or the environment", async () => {
    expect(await run({}, "--token-file", file)).toEqual({ code: 0, text: "inside\n" })
    expect(await run({ PROCWIRE_TOKEN: "open-sesame" })).toEqual({ code: 0, text: "inside\n" })
    expect(await run({ PROCWIRE_TOKEN: "wrong" }, "--token-file", file)).toMatchObject({ code: 0 })
    expect(await run({ PROCWIRE_TOKEN: "wrong" })).toMatchObject({ code: 125 })
    expect(await run({}, "--token-file", `${file}.none`)).toMatchObject({
      code: 2,
      text: expect.stringContaining(`cannot read --token-file ${file}.none: No such file`) as string,
    })
  })
})
