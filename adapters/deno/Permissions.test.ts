/** The permissions of deno.json: those of `stdio` are enough for a server, all are needed, each is in the README. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Certificates from "../shared/testing/Certificates.ts"
import { connect } from "../testing/Client.ts"

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url))

interface Config {
  readonly permissions: Readonly<Record<string, Readonly<Record<string, true | ReadonlyArray<string>>>>>
}
const config = JSON.parse(readFileSync(path("../../deno.json"), "utf8")) as Config
const folder = mkdtempSync(join(tmpdir(), "procwire-permissions-"))
const certificates = Certificates.make(folder)
const { cert, key } = certificates.server
const origin = createServer({ cert, key }, (_, response) => response.end("ok"))
beforeAll(() => new Promise<void>((resolve) => origin.listen(0, "127.0.0.1", resolve)))
afterAll(() => {
  origin.close()
  origin.closeAllConnections()
  rmSync(folder, { recursive: true })
})

const { stdio = {}, default: all = {} } = config.permissions

/**
 * A server with these flags asks an origin that only a file makes trusted, writes, reads and watches files, runs a
 * child on a PTY, and signals it.
 */
const works = async (flags: ReadonlyArray<string>) => {
  const args = ["run", "--quiet", "--no-prompt", ...flags, path("main.ts"), "serve", "--listen", "stdio"]
  const env = { ...(process.env as Record<string, string>), SSL_CERT_FILE: certificates.authority.certFile }
  const client = await connect({ command: process.execPath, args, env, stderr: "ignore" })
  try {
    const url = `https://127.0.0.1:${(origin.address() as AddressInfo).port}/`
    await client.http.request({ url })
    const file = join(folder, crypto.randomUUID())
    await client.fs.writeFile(file, "content")
    if ((await client.fs.readTextFile(file)) !== "content") throw new Error("other content")
    await client.fs.remove(file)
    const { changed } = await client.fs.watchMissing([file])
    await client.fs.writeFile(file, "again")
    if (!(await changed())) throw new Error("no watch")
    await client.fs.remove(file)
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
    const readme = readFileSync(path("README.md"), "utf8")
    for (const name of Object.keys(all)) expect(readme).toMatch(new RegExp(`^\\|[^|]*\`${name}\``, "m"))
  })
})
