/**
 * `procwire` and `procwire/web` in a browser: a page that is bundled from the built library runs in Chromium against
 * `procwire serve`, and `procwire` connects on each runtime.
 *
 * The page reaches the server through a relay that leaves its `Origin` out: the server refuses web pages.
 */
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { build } from "esbuild"
import { describe, expect, it, onTestFinished } from "vitest"
import { chromium, relay, serve, shown } from "../testing/Pages.ts"
import { runtime } from "../testing/Runtimes.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** A page's script as one file, which has no module of a runtime in it. */
const bundled = async (contents: string) => {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    write: false,
    metafile: true,
    minifySyntax: true,
    platform: "browser",
    format: "esm",
  })
  expect(
    Object.keys(metafile.inputs).filter((name) => /node:|adapters\/(node|bun|deno|shared)\b/.test(name)),
  ).toEqual([])
  return outputFiles[0]?.text ?? ""
}

const page = `
  import { ClientError, connect } from "procwire/web"
  const main = async (url) => {
    const client = await connect({ url })
    const { $ } = client
    const found = {}
    found.run = (await client.run({ argv: ["sh", "-c", "echo out; echo err >&2"] })).stderr
    found.text = await $\`printf %s \${"it's $HOME"}\`.text()
    found.lines = []
    for await (const line of $\`seq 1 3\`.pipe\`tac\`.lines()) found.lines.push(line)
    found.failed = await $\`sh -c "echo bad >&2; exit 3"\`
      .catch((error) => [error instanceof ClientError, error.message])
    const child = await client.start({ argv: ["cat"], pipeStdin: true })
    const copied = new Response(child.stdout).arrayBuffer()
    await new Blob([new Uint8Array(3_000_000).fill(7)]).stream().pipeTo(child.stdin)
    const bytes = new Uint8Array(await copied)
    found.streams = [bytes.length, bytes.every((byte) => byte === 7), await child.exitCode]
    const again = await client.start({ argv: ["echo", "iterated"] })
    for await (const piece of again.stdout) found.iterated = new TextDecoder().decode(piece)
    const folder = (await $\`mktemp -d\`.text()).trim()
    await client.fs.writeFile(folder + "/file", "from a page")
    found.file = await $\`cat\`.input({ file: folder + "/file" }).text()
    found.picked = await $\`wc -c\`.input(new File(["12345"], "name")).json()
    await client.fs.remove(folder)
    found.target = await connect({ command: "procwire" }).catch(({ reason }) => reason)
    await client.close()
    return found
  }
  main(location.hash.slice(1)).catch((error) => ({ error: String(error.stack) })).then((found) =>
    fetch("/found", { method: "POST", body: JSON.stringify(found) }))`

const siteOf = (script: string) => (path: string) =>
  path === "/page.js"
    ? (["text/javascript", script] as const)
    : (["text/html", `<!doctype html><script type="module" src="/page.js"></script>`] as const)

describe("procwire/web", () => {
  it.skipIf(chromium === undefined)(
    `connects, runs, pipes, streams and reads files in Chromium${chromium === undefined ? ": it is not installed" : ""}`,
    async () => {
      const [script, { port }] = await Promise.all([bundled(page), serve()])
      const url = `ws://127.0.0.1:${await relay(Number(port))}`
      const found = await shown(siteOf(script), url)
      expect(JSON.parse(found)).toEqual({
        run: "err\n",
        text: "it's $HOME",
        lines: ["3", "2", "1"],
        failed: [true, "sh exited with 3: bad"],
        streams: [3_000_000, true, 0],
        iterated: "iterated\n",
        file: "from a page",
        picked: 5,
        target: "InvalidOption",
      })
    },
  )
})

describe("procwire", () => {
  it("is for browsers where a bundler resolves it for them", async () => {
    expect(await bundled(`import { connect } from "procwire"; console.log(connect)`)).toContain("WebSocket")
  })

  it("connects on Node, Bun and Deno by one entry point", async () => {
    const script = `
      import { connect } from "procwire"
      const client = await connect({ inProcess: true })
      const runtime = "Bun" in globalThis ? "bun" : "Deno" in globalThis ? "deno" : "node"
      console.log(runtime, await client.$\`echo here\`.text())
      await client.close()`
    const folder = mkdtempSync(join(root, "dist/tests-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, "program.mjs")
    writeFileSync(file, script)
    const deno = ["run", "--quiet", "--allow-all", "--config", join(root, "deno.json"), file]
    for (const [name, program, args] of [
      ["node", process.execPath, [file]],
      ["bun", runtime("@oven", "bin/bun"), [file]],
      ["deno", runtime("@deno", "deno"), deno],
    ] as const) {
      const { stdout } = await promisify(execFile)(program, args)
      expect(stdout, name).toBe(`${name} here\n\n`)
    }
  })
})

describe("the declarations", () => {
  /** The given files, and all that they import. */
  const reached = (file: string, found = new Set<string>()): ReadonlySet<string> => {
    if (found.has(file)) return found
    found.add(file)
    for (const [, path = ""] of readFileSync(file, "utf8").matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)) {
      reached(join(dirname(file), path).replace(/\.(js|ts)$/, ".d.ts"), found)
    }
    return found
  }

  /** The exports for Node, Bun and Deno alone, by name. */
  const runtimes =
    /^(\.|\.\/(node|bun|deno|runtime|mcp|sandbox|conformance.*|effect3|effect|effect\/(platform|mcp|sandbox|conformance.*)|package\.json))$/

  it("have no type of Node, but for those of what is for runtimes alone", () => {
    const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      exports: Readonly<Record<string, { readonly types: string }>>
    }
    const portable = Object.entries(exports).filter(([name]) => !runtimes.test(name))
    expect(portable.map(([name]) => name)).toEqual(
      expect.arrayContaining(["./web", "./agent", "./acp", "./effect/client", "./effect/server"]),
    )
    for (const [name, { types }] of portable) {
      for (const file of reached(join(root, types))) {
        const code = readFileSync(file, "utf8").replace(/\/\*[^]*?\*\//g, "")
        const own =
          /export interface Buffer |import type \{[^}]*\bBuffer\b[^}]*\} from "\.[^"]*Buffers\.(ts|js)"/.test(
            code,
          )
        expect(code, `${name} reaches ${file}`).not.toMatch(
          own ? /"node:|\bNodeJS\b/ : /"node:|\bNodeJS\b|\bBuffer\b/,
        )
      }
    }
  })
})
