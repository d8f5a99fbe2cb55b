/**
 * The package in an empty folder, as programs get it: from npm alone, beside Effect 4 and Effect 3, from pnpm and Bun,
 * and by Deno. There the first program of the README runs, a server with a spawner in plain JavaScript, an MCP server
 * and the command of the suite. Needs the build in `dist/`, and the registry.
 */
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runtime } from "../testing/Runtimes.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "procwire-installs-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = async (cwd: string, program: string, args: ReadonlyArray<string>): Promise<string> => {
  const { stdout } = await promisify(execFile)(program, args, { cwd, timeout: 500_000, maxBuffer: 1 << 26 })
  return stdout
}

const [bun, deno] = [runtime("@oven", "bin/bun"), runtime("@deno", "deno")]

/** The block of a README that has this text. */
const example = (readme: string, text: string): string => {
  const blocks = [...readFileSync(join(root, readme), "utf8").matchAll(/^```[tj]s\n([^]*?)^```/gm)]
  const found = blocks.map(([, code = ""]) => code).find((code) => code.includes(text))
  if (found === undefined) throw new Error(`${readme} has no block with ${text}`)
  return found
}

const programs = {
  "readme.mjs": example("README.md", 'import { connect } from "procwire"'),
  "spawner.mjs": example("adapters/sandbox/README.md", "import { spawn as start }"),
  "server.mjs": `import { connect, serve } from "procwire"
    import { spawner } from "./spawner.mjs"
    const server = await serve({ listen: "ws://127.0.0.1:0", spawner })
    const client = await connect({ url: server.addresses[0] })
    console.log((await client.run({ argv: ["echo", "from a plain spawner"] })).stdout.trim())
    await client.close()
    await server.close()`,
  "required.cjs": `const { connect } = require("procwire")
    require("procwire/agent").toolDefinitions()
    connect({ inProcess: true }).then(async (client) => {
      console.log(await client.$\`echo required\`.text())
      await client.close()
    })`,
  "three.mjs": `import { Command } from "@effect/platform"
    import * as Effect from "effect/Effect"
    import { layer } from "procwire/effect3"
    const told = Command.string(Command.make("echo", "from Effect 3"))
    console.log((await Effect.runPromise(Effect.provide(told, layer({ inProcess: true })))).trim())`,
  "mcp.mjs": `import { spawn } from "node:child_process"
    const server = spawn(process.execPath, [process.argv[2], "mcp"], { stdio: ["pipe", "pipe", "inherit"] })
    server.stdin.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\\n')
    server.stdout.pipe(process.stdout)`,
}

/** The installation of the package for a program, and the command that runs it then. */
interface Way {
  readonly install: (cwd: string, tarball: string) => Promise<unknown>
  readonly words?: readonly [program: string, ...args: ReadonlyArray<string>]
  /** The message of `procwire/effect\` there; absent where it can be used. */
  readonly inEffect?: string
  /** True if a program on Effect 3 runs there. */
  readonly isThree?: boolean
}

const npm =
  (...more: ReadonlyArray<string>) =>
  (cwd: string, tarball: string) =>
    run(cwd, "npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", tarball, ...more])

const missing = "but effect is not installed: npm install effect@^4.1"

const pnpm = ["--yes", "--prefer-offline", "pnpm@10", "add"]

/** Effect 3, as programs with `@effect/platform` have it. */
const three = ["effect@3.22.4", "@effect/platform@0.97.2"]
const isOther = "but effect 3.22.4 is installed: npm install effect@^4.1"

const ways: { readonly [title: string]: Way } = {
  "from npm, alone": { install: npm(), inEffect: missing },
  "from npm, beside Effect 4": { install: npm("effect@4.1") },
  "from npm, beside Effect 3": { install: npm(...three), inEffect: isOther, isThree: true },
  "from pnpm, beside Effect 4": {
    install: (cwd, tarball) => run(cwd, "npx", [...pnpm, tarball, "effect@4.1"]),
  },
  "from pnpm, beside Effect 3": {
    install: (cwd, tarball) => run(cwd, "npx", [...pnpm, tarball, ...three]),
    inEffect: isOther,
    isThree: true,
  },
  "from Bun, on Bun": {
    install: (cwd, tarball) => run(cwd, bun, ["add", tarball]),
    words: [bun],
    inEffect: missing,
  },
  "from npm, on Deno": {
    install: npm(),
    words: [deno, "run", "--quiet", "--allow-all", "--node-modules-dir=manual"],
    inEffect: missing,
  },
}

let tarball: string

beforeAll(async () => {
  const packing = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder]
  tarball = join(folder, (await run(root, "npm", packing)).trim())
}, 600_000)

describe.each(Object.entries(ways))(
  "The package %s",
  (title, { install, words: given, inEffect, isThree }) => {
    const cwd = join(folder, title.replaceAll(/\W+/g, "-"))
    const [program, ...words] = given ?? [process.execPath]
    const play = (...args: ReadonlyArray<string>) => run(cwd, program, [...words, ...args])
    const installed = join(cwd, "node_modules/procwire")
    const manifest = () => JSON.parse(readFileSync(join(installed, "package.json"), "utf8"))
    const command = (name: string) => join(installed, manifest().bin[name])

    beforeAll(async () => {
      mkdirSync(cwd)
      writeFileSync(join(cwd, "package.json"), '{ "type": "module", "private": true }')
      for (const [name, text] of Object.entries(programs)) writeFileSync(join(cwd, name), text)
      await install(cwd, tarball)
    }, 600_000)

    it("runs the first program of the README", { timeout: 600_000 }, async () => {
      expect(await play("readme.mjs")).toBe("$HOME\nit's\n\nbuilding\ndone\n0\n")
    })

    it("serves with a spawner in plain JavaScript", { timeout: 600_000 }, async () => {
      expect(await play("server.mjs")).toBe("from a plain spawner\n")
    })

    it("is required by a program in CommonJS", { timeout: 600_000 }, async () => {
      expect(await play("required.cjs")).toBe("required\n\n")
    })

    it("answers as an MCP server", { timeout: 600_000 }, async () => {
      const answer = await run(cwd, process.execPath, ["mcp.mjs", command("procwire")])
      expect(JSON.parse(answer)).toEqual({ jsonrpc: "2.0", id: 1, result: {} })
    })

    it("plays the suite on a server", { timeout: 600_000 }, async () => {
      const server = `'${process.execPath}' '${command("procwire")}' serve --listen {LISTEN}`
      const words = ["--command", server, "--transports", "stdio", "process/output/bytes-are-exact"]
      const played = await run(cwd, process.execPath, [command("procwire-conformance"), ...words])
      expect(played).toContain("conformant: 1 cases over stdio")
    })

    it(`has its exports in Effect${inEffect === undefined ? "" : ", which say what they need"}`, async () => {
      writeFileSync(
        join(cwd, "effect.mjs"),
        `import("procwire/effect/client").then(({ ExecClient }) => console.log(typeof ExecClient.make))
        .catch(({ message }) => console.log(message))`,
      )
      const told = await play("effect.mjs")
      if (inEffect === undefined) expect(told).toBe("function\n")
      else expect(told).toBe(`procwire/effect/client needs effect@^4.1, ${inEffect}\n`)
    }, 600_000)

    it.runIf(isThree)("gives its services to a program on Effect 3", { timeout: 600_000 }, async () => {
      expect(await play("three.mjs")).toBe("from Effect 3\n")
    })
  },
)
