/** Rights of a client on the sessions of others, by its way in: every way into a real server. */
import { type ChildProcess, spawn } from "node:child_process"
import { createHmac } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Client } from "../../../core/client/Client.ts"
import { connect } from "../../testing/Client.ts"
import { command } from "../../testing/Runtime.ts"

const [program, ...main] = command
const folder = mkdtempSync(join(tmpdir(), "procwire-scopes-"))
const servers: Array<ChildProcess> = []
afterAll(() => {
  for (const server of servers) server.kill("SIGKILL")
  rmSync(folder, { recursive: true, force: true })
})

/** A server; its addresses, one line each. */
const serve = async (count: number, ...args: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const server = spawn(program, [...main, "serve", ...args], { stdio: ["ignore", "pipe", "inherit"] })
  servers.push(server)
  const lines: Array<string> = []
  for await (const line of createInterface({ input: server.stdout })) if (lines.push(line) === count) break
  return lines
}

const file = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const secret = "a secret of at least 32 bytes, well, 42 of them"
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
const jwt = (claims: object): string => {
  const exp = Math.floor(Date.now() / 1000) + 3600
  const signed = `${encode({ alg: "HS256" })}.${encode({ exp, ...claims })}`
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`
}

interface Door {
  readonly name: string
  readonly scope: "own" | "observe" | "control"
  readonly target: { readonly url: string; readonly token?: string }
}
const doors: Array<Door> = []

beforeAll(async () => {
  const tcp = "tcp://127.0.0.1:0"
  const [unix = "", plain = ""] = await serve(2, "--listen", `unix:${join(folder, "s")}`, "--listen", tcp)
  doors.push({ name: "a unix socket", scope: "control", target: { url: unix } })
  doors.push({ name: "tcp", scope: "own", target: { url: plain } })
  for (const scope of ["own", "observe", "control"] as const) {
    const [url = ""] = await serve(1, "--listen", tcp, "--scope", scope)
    doors.push({ name: `tcp with --scope ${scope}`, scope, target: { url } })
  }

  const tokens = ["--ws-token-file", file("own", "t-own")]
  for (const scope of ["observe", "control"])
    tokens.push("--ws-token-file", `${scope}:${scope}=${file(scope, `t-${scope}`)}`)
  const [ws = ""] = await serve(1, "--ws-auth", "capability-token", ...tokens)
  for (const scope of ["own", "observe", "control"] as const)
    doors.push({ name: `a token for ${scope}`, scope, target: { url: ws, token: `t-${scope}` } })

  const signed = ["--ws-auth", "signed-bearer-token", "--ws-shared-secret-file", file("secret", secret)]
  const [jwts = ""] = await serve(1, ...signed)
  for (const [scope, claim] of [
    ["own", undefined],
    ["own", "openid email"],
    ["observe", "openid observe"],
    ["control", "observe control"],
  ] as const)
    doors.push({
      name: `a JWT with scope ${claim}`,
      scope,
      target: { url: jwts, token: jwt({ scope: claim }) },
    })
}, 120_000)

const succeeds = (promise: Promise<unknown>): Promise<boolean> =>
  promise.then(
    () => true,
    () => false,
  )

/** Looks at the list of all, attaches as a viewer and as a writer, and keeps a process. */
const powers = async (client: Client, session: number) => {
  const target = { session, processId: "theirs" }
  const attached = (options: object) => succeeds(client.attach(target, 0, options))
  return {
    lists: await succeeds(client.call("session/list", { sessions: "all" })),
    views: await attached({ as: "v" }),
    stalls: await attached({ as: "b", policy: "block" }),
    writes: await attached({ as: "w", role: "writer", take: true }),
    keeps: await succeeds(client.start({ argv: ["true"], keep: true })),
  }
}

const all = { lists: true, views: true, stalls: true, writes: true, keeps: true }
const none = { lists: false, views: false, stalls: false, writes: false, keeps: false }
const expected = { own: none, observe: { ...none, lists: true, views: true }, control: all }

describe("the scope of a client", () => {
  it("is that of its door, for every door", async () => {
    for (const { name, scope, target } of doors) {
      const [owner, visitor] = [await connect(target), await connect(target)]
      await owner.start({ argv: ["sleep", "600"], processId: "theirs" })
      const { sessions } = await owner.call("session/list", {})
      expect(await powers(visitor, sessions[0]?.session ?? 0), name).toEqual(expected[scope])
      const { capabilities } = visitor.environmentInfo
      const { processAttachAll, processControlAll, processListAll } = capabilities ?? {}
      const announced = [processListAll, processAttachAll, processControlAll]
      expect(announced, name).toEqual([scope !== "own", scope !== "own", scope === "control"])
      // The id of a session gives the rights of its owner.
      const secretTarget = { sessionId: owner.sessionId, processId: "theirs" }
      const options = { as: "s", role: "writer", take: true } as const
      expect(await succeeds(visitor.attach(secretTarget, 0, options)), name).toBe(true)
      await Promise.all([owner.close(), visitor.close()])
    }
    expect(doors.length).toBe(12)
  }, 120_000)

  it("is refused where there is no such one", async () => {
    const wrong = ["serve", "--ws-auth", "capability-token", "--ws-token-file", "ci:admin=/nowhere"]
    const server = spawn(program, [...main, ...wrong], { stdio: ["ignore", "ignore", "pipe"] })
    let text = ""
    for await (const chunk of server.stderr) text += String(chunk)
    expect(text).toContain(
      "--ws-token-file ci:admin=/nowhere names the scope admin: there are own, observe, control " +
        "(a file with such a name is ./ci:admin=/nowhere)",
    )
  }, 60_000)
})
