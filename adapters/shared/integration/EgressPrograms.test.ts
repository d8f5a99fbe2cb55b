/** Programs behind egress rules: each works with hosts that are allowed, and reaches nothing that is not. */
import { execFileSync } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { name as runtime } from "../../testing/Runtime.ts"
import { canRun, gateOf, open } from "../testing/EgressChildren.ts"
import * as TestChild from "../testing/TestChild.ts"

const folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "procwire-test-")))
const site = join(folder, "site")
const { spawner, close } = open(async () => ["127.0.0.1"])

/** Serves the files of the site, and counts the requests. */
let asked = 0
let server: Server
let port = 0
beforeAll(async () => {
  if (spawner.capabilities.egress !== true) return
  fs.mkdirSync(join(site, "simple/tiny"), { recursive: true })
  server = createServer(({ url = "/" }, response) => {
    asked++
    const path = join(site, decodeURIComponent(new URL(url, "http://x").pathname))
    const file = [path, join(path, "index.html")].find((each) =>
      fs.statSync(each, { throwIfNoEntry: false })?.isFile(),
    )
    if (file === undefined) return void response.writeHead(404).end()
    response.writeHead(200, { "Content-Type": path.endsWith("tiny") ? "application/json" : "text/html" })
    response.end(fs.readFileSync(file))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  port = (server.address() as AddressInfo).port
  fs.writeFileSync(join(site, "index.html"), "reached\n")
})
afterAll(async () => {
  server?.close()
  await close()
  fs.rmSync(folder, { recursive: true, force: true })
})

const git = (...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@x.org", ...args], {
    cwd: folder,
    stdio: "pipe",
  })

/** A package of npm, and of pip, both without a registry's tools. */
const publish = {
  git: () => {
    git("init", "-q", "work")
    fs.writeFileSync(join(folder, "work/file"), "reached\n")
    git("-C", "work", "add", "file")
    git("-C", "work", "commit", "-qm", "one")
    git("clone", "-q", "--bare", "work", join(site, "work.git"))
    git("-C", join(site, "work.git"), "update-server-info")
  },
  npm: () => {
    fs.mkdirSync(join(folder, "package"))
    fs.writeFileSync(join(folder, "package/package.json"), '{ "name": "tiny-npm", "version": "1.0.0" }')
    fs.writeFileSync(join(folder, "package/index.js"), 'console.log("reached")\n')
    execFileSync("tar", ["-czf", join(site, "tiny.tgz"), "package"], { cwd: folder })
    const version = {
      name: "tiny-npm",
      version: "1.0.0",
      dist: { tarball: `http://npm.example.test:${port}/tiny.tgz` },
    }
    const all = { name: "tiny-npm", "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": version } }
    fs.writeFileSync(join(site, "tiny-npm"), JSON.stringify(all))
  },
  pip: () => {
    const made = `import zipfile, sys
z = zipfile.ZipFile(sys.argv[1], "w"); d = "tiny-1.0.dist-info/"
z.writestr("tiny.py", "print('reached')")
z.writestr(d + "METADATA", "Metadata-Version: 2.1\\nName: tiny\\nVersion: 1.0\\n")
z.writestr(d + "WHEEL", "Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
z.writestr(d + "RECORD", "tiny.py,,\\n")`
    const wheel = "tiny-1.0-py3-none-any.whl"
    execFileSync("python3", ["-c", made, join(site, "simple/tiny", wheel)])
    fs.writeFileSync(join(site, "simple/tiny/index.html"), `<a href="${wheel}">${wheel}</a>`)
  },
} as const

const java = `import java.net.*; public class A { public static void main(String[] a) throws Exception {
  System.out.write(new URL(a[0]).openStream().readAllBytes()); System.out.flush(); } }`

/** The first Node of each line that reads the variables of a proxy. */
const readsProxy = () => {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
  return major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21)
}
const fetching = `fetch(process.argv.at(-1)).then((got) => got.text()).then((text) => console.log(text))`
const self = {
  Node: `"${process.execPath}" -e '${fetching}' "$URL"`,
  Bun: `"${process.execPath}" -e '${fetching}' "$URL"`,
  Deno: `"${process.execPath}" eval '${fetching}' "$URL"`,
}[runtime]

interface Program {
  readonly name: string
  /** Of the programs of Debian. */
  readonly tags?: Array<string>
  readonly works: () => boolean
  readonly before?: () => void
  /** For bash, in a folder of its own; it prints `reached`. */
  readonly script: string
}

const programs: ReadonlyArray<Program> = [
  { name: "curl", tags: ["curl"], works: () => canRun("curl", "--version"), script: 'curl -sf "$URL"' },
  {
    name: "curl, through a tunnel of SOCKS5",
    tags: ["curl"],
    works: () => canRun("curl", "--version"),
    script: 'curl -sf -x "socks5h://${http_proxy#http://}" "$URL"',
  },
  { name: "wget", tags: ["wget"], works: () => canRun("wget", "--version"), script: 'wget -qO- "$URL"' },
  {
    name: "git",
    tags: ["git"],
    works: () => canRun("git", "--version"),
    before: publish.git,
    script: 'git clone -q "http://git.example.test:$PORT/work.git" && cat work/file',
  },
  {
    name: "npm",
    works: () => canRun("npm", "--version"),
    before: publish.npm,
    script:
      'npm install --silent --no-audit --no-fund --registry "http://npm.example.test:$PORT/" tiny-npm && node -e "require(\'tiny-npm\')"',
  },
  {
    name: "pip",
    tags: ["python3-pip"],
    works: () => canRun("python3", "-m", "pip", "--version"),
    before: publish.pip,
    script:
      'python3 -m pip install -q --disable-pip-version-check --no-cache-dir --target here --index-url "http://pip.example.test:$PORT/simple" ' +
      '--trusted-host pip.example.test tiny; PYTHONPATH=here python3 -c "import tiny"',
  },
  {
    name: "python's urllib",
    tags: ["python3"],
    works: () => canRun("python3", "--version"),
    script: `python3 -c 'import sys, urllib.request as u; print(u.urlopen(sys.argv[1]).read().decode())' "$URL"`,
  },
  {
    name: "java",
    tags: ["java"],
    works: () => canRun("javac", "-version"),
    script: `printf '%s' '${java}' >A.java && java A.java "$URL"`,
  },
  { name: `fetch of ${runtime}`, works: () => runtime !== "Node" || readsProxy(), script: self },
]

describe.runIf(spawner.capabilities.egress)("behind egress rules", { tags: ["bubblewrap"] }, () => {
  const run = async (script: string, rules: string) => {
    const home = fs.mkdtempSync(join(folder, "home-"))
    const places = { "/": "read", [home]: "write" } as const
    const child = await TestChild.run(spawner, {
      argv: ["bash", "-c", script],
      cwd: home,
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: home,
        TMPDIR: home,
        PORT: String(port),
        URL: `http://www.example.test:${port}/`,
        http_proxy: "http://proxy.of.the.caller:3128",
      },
      confinement: {
        places: Object.entries(places).map(([path, access]) => ({ path, access })),
        network: false,
      },
      egress: gateOf(rules),
    })
    return { out: child.text("stdout"), said: child.text("stdout") + child.text("stderr") }
  }

  for (const { name, tags = [], works, before, script } of programs)
    it(name, { tags }, async (context) => {
      if (!works()) return context.skip(`${name} is not here`)
      before?.()
      const allowed = await run(script, `allow:*.example.test,127.0.0.1:${port}`)
      expect(allowed).toMatchObject({ out: expect.stringContaining("reached") })
      const count = asked
      const denied = await run(script, `allow:example.test,127.0.0.1:${port}`)
      expect(denied.out).not.toContain("reached")
      expect(asked).toBe(count)
    })
})
