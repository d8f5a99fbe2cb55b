/**
 * `procwire/web` in pages that vite and Next.js build, both from the registry: Chromium opens what they have built, and
 * the page runs a command on a server of this repository. Needs the build in `dist/`.
 */
import { execFile } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, extname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chromium, relay, serve, shown, type SiteFile } from "../testing/Pages.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "procwire-bundlers-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = async (cwd: string, program: string, ...args: ReadonlyArray<string>): Promise<string> => {
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" }
  const options = { cwd, env, timeout: 900_000, maxBuffer: 1 << 26 }
  const { stdout } = await promisify(execFile)(program, args, options)
  return stdout
}

const program = `import { connect } from "procwire/web"
export const report = async () => {
  const client = await connect({ url: location.hash.slice(1) })
  const text = await client.$\`echo ${"${location.pathname}"}\`.text()
  await client.close()
  await fetch("/found", { method: "POST", body: text })
}
`

/** A bundler: what it installs, its project, how it builds, and where the site is then. */
interface Bundler {
  readonly packages: ReadonlyArray<string>
  readonly files: { readonly [path: string]: string }
  readonly build: readonly [name: string, ...args: ReadonlyArray<string>]
  readonly out: string
}

const bundlers: { readonly [name: string]: Bundler } = {
  vite: {
    packages: ["vite@7"],
    files: {
      "index.html": '<!doctype html><script type="module" src="/main.js"></script>',
      "report.js": program,
      "main.js": 'import { report } from "./report.js"\nreport()\n',
    },
    build: ["vite", "build"],
    out: "dist",
  },
  "Next.js": {
    packages: ["next@16", "react@19", "react-dom@19"],
    files: {
      "next.config.mjs": 'export default { output: "export" }\n',
      "app/layout.jsx": 'export default ({ children }) => <html lang="en"><body>{children}</body></html>\n',
      "app/page.jsx": `"use client"
import { useEffect } from "react"
import { report } from "../report.js"
export default function Page() {
  useEffect(() => void report(), [])
  return <p>procwire</p>
}
`,
      "report.js": program,
    },
    build: ["next", "build"],
    out: "out",
  },
}

const types: { readonly [extension: string]: string } = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
}

/** The files of a folder as a site. */
const siteOf =
  (home: string) =>
  (path: string): SiteFile | undefined => {
    const file = join(home, path === "/" ? "index.html" : path)
    if (!existsSync(file)) return undefined
    return [types[extname(file)] ?? "application/octet-stream", readFileSync(file)]
  }

let tarball: string

beforeAll(async () => {
  const packing = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder]
  tarball = join(folder, (await run(root, "npm", ...packing)).trim())
}, 600_000)

describe.each(Object.entries(bundlers))("%s", (name, { build, files, out, packages }) => {
  const cwd = join(folder, name)

  it("builds a page with procwire/web, and no package of Effect", { timeout: 1_200_000 }, async () => {
    mkdirSync(cwd)
    writeFileSync(join(cwd, "package.json"), '{ "type": "module", "private": true }')
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(cwd, path)), { recursive: true })
      writeFileSync(join(cwd, path), text)
    }
    await run(cwd, "npm", "install", "--no-audit", "--no-fund", "--prefer-offline", tarball, ...packages)
    expect(existsSync(join(cwd, "node_modules/effect"))).toBe(false)
    await run(cwd, "npx", ...build)
    expect(existsSync(join(cwd, out, "index.html"))).toBe(true)
  })

  it.skipIf(chromium === undefined)(
    "which runs a command from Chromium",
    { timeout: 600_000, tags: ["chromium"] },
    async () => {
      const { port } = await serve()
      const url = `ws://127.0.0.1:${await relay(Number(port))}`
      expect(await shown(siteOf(join(cwd, out)), url)).toBe("/\n")
    },
  )
})
