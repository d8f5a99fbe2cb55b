/** `serve --secrets`, and `run --secret`: values that no output has, and values that only a host has. */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import { createServer, type Server } from "node:https"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { connect } from "../../testing/Client.ts"
import { command } from "../../testing/Runtime.ts"
import * as Certificates from "../testing/Certificates.ts"
import { canRun, open } from "../testing/EgressChildren.ts"
import * as Program from "../testing/Program.ts"

const { spawner, close } = open(async () => [])
const folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "procwire-test-")))
const value = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
const site = join(folder, "site")

/** A host that lets nobody in without the value, sends the header back, and has a repository. */
let server: Server
let port = 0
let certificates: Certificates.Certificates
const asked: Array<string> = []
beforeAll(async () => {
  certificates = Certificates.make(folder, "DNS:localhost")
  const { cert, key } = certificates.server
  const valid = [`Bearer ${value}`, `Basic ${Buffer.from(`me:${value}`).toString("base64")}`]
  server = createServer({ cert, key }, ({ url = "/", headers: { authorization = "" } }, response) => {
    asked.push(`${url} ${authorization}`)
    if (!valid.includes(authorization)) return void response.writeHead(401).end("no\n")
    if (url === "/away") return void response.writeHead(302, { Location: "http://127.0.0.1:1/x" }).end()
    const path = join(site, new URL(url, "http://x").pathname)
    const isFile = fs.statSync(path, { throwIfNoEntry: false })?.isFile() === true
    if (url.startsWith("/work.git") && !isFile) return void response.writeHead(404).end()
    response.end(isFile ? fs.readFileSync(path) : `got ${authorization} for ${url}\n`)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  port = (server.address() as AddressInfo).port
})
afterAll(async () => {
  server.close()
  await close()
  fs.rmSync(folder, { recursive: true })
})

/** The URL of a server with these flags, and what it says on stderr until it ends. */
const serve = (...flags: ReadonlyArray<string>) => {
  const [program, ...words] = command
  const child = spawn(program, [...words, "serve", "--listen", "ws://127.0.0.1:0", ...flags], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      MY_TOKEN: value,
      // The second is what Deno reads.
      NODE_EXTRA_CA_CERTS: certificates.authority.certFile,
      DENO_CERT: certificates.authority.certFile,
    },
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  let said = ""
  child.stderr.on("data", (bytes) => (said += String(bytes)))
  const ended = once(child, "close").then(() => said)
  const listens = once(child.stdout, "data").then(([bytes]) => String(bytes).trim())
  const url = Promise.race([listens, ended.then((why) => Promise.reject(new Error(why)))])
  url.catch(() => {})
  return { url, said: () => said, ended }
}

const secretsFile = (secrets: object): string => {
  const file = join(folder, `secrets-${Math.random()}.json`)
  fs.writeFileSync(file, JSON.stringify(secrets))
  return file
}

describe("A server with secrets", () => {
  it("masks its own, from each source, and those of run --secret", async () => {
    const command = ["printf", "from-a-program"]
    const secrets = { A: { env: "MY_TOKEN" }, B: { command }, C: { value: "as-it-is" } }
    const { url, said } = serve("--secrets", secretsFile(secrets))
    const { call } = Program.make({ PROCWIRE_SERVER: await url, MINE: "of-the-caller" })
    const got = await call(
      "run",
      "--secret",
      "MINE",
      "--",
      "sh",
      "-c",
      'echo "$A $B $C $MINE"; echo "$A" >&2',
    )
    expect(got).toEqual({
      code: 0,
      stdout: "***A*** ***B*** ***C*** ***MINE***\n",
      stderr: "***A***\n",
    })
    expect(said()).not.toContain(value)
  })

  it("refuses hosts without rules, in words", async () => {
    const file = secretsFile({ A: { env: "MY_TOKEN", hosts: ["localhost"] } })
    const said = await serve("--secrets", file).ended
    expect(said).toContain("secret A has hosts, which needs rules for egress (--egress)")
    expect(said).not.toContain(value)
    const { call } = Program.make({ PROCWIRE_SERVER: await serve().url, MINE: value })
    const { code, stderr } = await call(
      "run",
      "--secret",
      "MINE",
      "--secret-hosts",
      "MINE=x.org",
      "--",
      "env",
    )
    expect(code).not.toBe(0)
    expect(stderr).toContain("cannot keep a secret to hosts")
  })
})

describe.runIf(spawner.capabilities.egress)("A secret with hosts", { tags: ["bubblewrap", "curl"] }, () => {
  const guarded = () => {
    const file = secretsFile({
      TOKEN: { env: "MY_TOKEN", hosts: [`localhost:${port}`], base: "API_URL" },
    })
    const audit = join(folder, `audit-${Math.random()}.jsonl`)
    const rules = `allow:localhost:${port},127.0.0.1:${port}`
    const flags = ["--confine", "no-network", "--egress", rules, "--secrets", file, "--audit", audit]
    return { ...serve(...flags), audit: () => fs.readFileSync(audit, "utf8") }
  }

  // guards: secret-hosts
  it("is a placeholder for curl, git and fetch, and the value for the host", async () => {
    const git = (...args: ReadonlyArray<string>) =>
      execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@x.org", ...args], {
        cwd: folder,
        stdio: "pipe",
      })
    git("init", "-q", "work")
    fs.writeFileSync(join(folder, "work/file"), "cloned\n")
    git("-C", "work", "add", "file")
    git("-C", "work", "commit", "-qm", "one")
    git("clone", "-q", "--bare", "work", join(site, "work.git"))
    git("-C", join(site, "work.git"), "update-server-info")

    const { url, said, audit } = guarded()
    const client = await connect({ url: await url }, { reconnect: false })
    onTestFinished(() => client.close())
    const run = (script: string) => client.run({ argv: ["bash", "-c", script] })
    const { stdout: shown } = await run('echo "$TOKEN"; echo "$API_URL"; tr "\\0" "\\n" </proc/self/environ')
    expect(shown).toMatch(/^ghp_[0-9A-Za-z]{36}\nhttp:\/\/127\.0\.0\.1:\d+\/_secret\/TOKEN\n/)
    expect(shown).not.toContain(value)
    expect(shown).not.toContain("***TOKEN***")
    // Another process has another one.
    expect((await run('echo "$TOKEN"')).stdout.trim()).not.toBe(shown.split("\n")[0])

    // The host sends the value back, which output does not have.
    const curl = await run('curl -sS "$API_URL/a?b"; curl -sS -H "Authorization: Bearer $TOKEN" "$API_URL/c"')
    expect(curl.stdout).toBe("got Bearer ***TOKEN*** for /a?b\ngot Bearer ***TOKEN*** for /c\n")
    const fetching = `fetch(process.env.API_URL + "/d").then((got) => got.text()).then((it) => console.log(it.trim()))`
    const fetched = await run(`PATH="$PATH:${join(process.execPath, "..")}"; node -e '${fetching}'`)
    if (canRun("node", "--version")) expect(fetched.stdout).toBe("got Bearer ***TOKEN*** for /d\n")
    const cloned = await run(
      'cd "$(mktemp -d)" && git clone -q "${API_URL/\\/\\////me:$TOKEN@}/work.git" x && cat x/file',
    )
    expect(cloned.stdout + cloned.stderr).toContain("cloned\n")

    // A tunnel of the process itself has what the process has.
    const before = asked.length
    await run(
      `curl -sSk --noproxy "" -x "$http_proxy" -H "Authorization: Bearer $TOKEN" "https://localhost:${port}/e"`,
    )
    expect(asked.slice(before)).toEqual([expect.stringMatching(/^\/e Bearer ghp_/)])
    expect(asked.slice(before).join()).not.toContain(value)
    // A redirect to another host goes there without it, and another name is none of this process.
    const away = await run(
      'curl -sSL -w "%{http_code} %{url_effective}\\n" "$API_URL/away"; curl -sS "${API_URL%TOKEN}OTHER/"',
    )
    expect(away.stdout).toContain("http://127.0.0.1:1/x")
    expect(away.stdout).toContain('no secret "OTHER"')
    expect(said() + audit() + JSON.stringify([curl, fetched, cloned, away])).not.toContain(value)
    expect(audit()).toContain(`"host":"localhost"`)
  })

  it("is read from its file again by each start, and one that is gone is an error of that start", async () => {
    const token = join(folder, "rotated")
    fs.writeFileSync(token, "not-yet-valid\n")
    const file = join(folder, "rotated.json")
    fs.writeFileSync(
      file,
      JSON.stringify({ TOKEN: { file: token, hosts: [`localhost:${port}`], base: "API_URL" } }),
      { mode: 0o600 },
    )
    const rules = ["--egress", `allow:localhost:${port},127.0.0.1:${port}`]
    const { url, said } = serve("--confine", "no-network", ...rules, "--secrets", file)
    const client = await connect({ url: await url }, { reconnect: false })
    onTestFinished(() => client.close())
    const get = () => client.run({ argv: ["bash", "-c", 'curl -sS "$API_URL/a"'] })
    expect((await get()).stdout).toBe("no\n")
    fs.writeFileSync(token, `${value}\n`)
    expect((await get()).stdout).toBe("got Bearer ***TOKEN*** for /a\n")
    fs.rmSync(token)
    await expect(get()).rejects.toThrow(/secret TOKEN: cannot read .*rotated: No such file/)
    expect(said()).not.toContain(value)
  })

  it("is one of run --secret-hosts, and a host with its name in it is told without it", async () => {
    const { url, audit } = guarded()
    const { call } = Program.make({ PROCWIRE_SERVER: await url, MINE: value, PIN: "hunter-two" })
    const flags = [
      "--secret",
      "MINE",
      "--secret-hosts",
      `MINE=localhost:${port}`,
      "--secret-base",
      "MINE=MY_URL",
    ]
    const got = await call("run", ...flags, "--", "bash", "-c", 'echo "$MINE"; curl -sS "$MY_URL/x"')
    expect(got.stdout).toMatch(/^ghp_\w{36}\ngot Bearer \*\*\*\w+\*\*\* for \/x\n$/)
    await call("run", "--secret", "PIN", "--", "bash", "-c", 'curl -s "http://$PIN.example.org/"')
    expect(audit()).toContain('"host":"***PIN***.example.org"')
    expect(audit()).not.toContain("hunter-two")
    expect(audit()).not.toContain(value)
  })
})
