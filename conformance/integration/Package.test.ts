/**
 * The package as npm publishes it: what is in it, what npm installs with it, and that its programs run on Node, Bun and
 * Deno. What works beside which packages is in WithoutPeers.test.ts and Installs.test.ts.
 */
import { execFile, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runtime } from "../testing/Runtimes.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "procwire-package-"))
const installed = join(folder, "node_modules/procwire")

interface Manifest {
  readonly version: string
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly bin: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly peerDependencies?: object
  readonly peerDependenciesMeta: object
}

/** The report of `npm pack --json`. */
interface Packed {
  readonly filename: string
  readonly unpackedSize: number
  readonly files: ReadonlyArray<{ readonly path: string }>
}

const json = <A>(file: string) => JSON.parse(readFileSync(file, "utf8")) as A
const manifest = json<Manifest>(join(root, "package.json"))
/** The packages of `procwire/effect3`. */
const ofEffect3 = json<Manifest>(join(root, "adapters/effect3/package.json")).devDependencies

const versionOf = (name: string) => json<Manifest>(join(root, "node_modules", name, "package.json")).version

const run = async (program: string, args: ReadonlyArray<string>, cwd = folder): Promise<string> => {
  const { stdout } = await promisify(execFile)(program, args, { cwd, timeout: 500_000, maxBuffer: 1 << 26 })
  return stdout
}

/** The names of the exports as programs write them, without files that are no modules. */
const specifiers = Object.keys(manifest.exports)
  .filter((name) => !name.endsWith(".json"))
  .map((name) => `procwire${name.slice(1)}`)

/** The error of each export that cannot be imported; all of them are imported by one process. */
const failures = async (): Promise<Readonly<Record<string, string>>> => {
  const program = `
    const failed = {}
    for (const name of ${JSON.stringify(specifiers)})
      await import(name).catch(({ message }) => (failed[name] = message))
    console.log(JSON.stringify(failed))`
  writeFileSync(join(folder, "exports.mjs"), program)
  return JSON.parse(await run(process.execPath, ["exports.mjs"])) as Record<string, string>
}

/** Lends an optional peer of this repository, or of a part of it, to a folder. */
const lend = (name: string, from = root, to = folder): void => {
  const place = join(to, "node_modules", name)
  mkdirSync(dirname(place), { recursive: true })
  symlinkSync(join(from, "node_modules", name), place)
}

/** The words of a compiler for a file of a folder, whose declarations it checks as well. */
const compiled = (cwd: string, file: string): Promise<string> => {
  const compiler = join(root, "node_modules/typescript/bin/tsc")
  const strict = "--noEmit --strict --types node --module nodenext --target es2022".split(" ")
  return run(process.execPath, [compiler, ...strict, file], cwd).catch(({ stdout }) => stdout)
}

/** The files and packages that a module or a declaration imports. */
const imports = (file: string): ReadonlyArray<string> =>
  [
    ...readFileSync(join(installed, file), "utf8").matchAll(
      /(?<!["\w])(?:from|import\(|import|require\w*\)?\()\s*"([^"\s]+)"/g,
    ),
  ].map(([, name = ""]) => name)

let packed: Packed
let files: ReadonlyArray<string>
/** The packages that npm has installed. */
let only: ReadonlyArray<string>

beforeAll(async () => {
  const [made] = JSON.parse(await run("npm", ["pack", "--json", "--pack-destination", folder], root)) as [
    Packed,
  ]
  packed = made
  files = packed.files.map(({ path }) => path)
  writeFileSync(join(folder, "package.json"), `{ "type": "module" }`)
  const quiet = [
    "--prefer-offline",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--legacy-peer-deps=false",
  ]
  await run("npm", ["install", ...quiet, `./${packed.filename}`])
  only = readdirSync(join(folder, "node_modules"))
  lend("effect")
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("The package", { timeout: 600_000 }, () => {
  it("has at most 950 files and 8 MB", () => {
    expect(files.length).toBeLessThanOrEqual(950)
    expect(packed.unpackedSize).toBeLessThanOrEqual(8_000_000)
  })

  it("has whatever its README links to, and the documents that those link to", () => {
    const documents = files.filter((file) => file.endsWith(".md"))
    const links = documents.flatMap((file) => {
      const text = readFileSync(join(installed, file), "utf8").replaceAll(/^```[^]*?^```/gm, "")
      return [...text.matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)].map(([, path = ""]) => ({
        file,
        path: join(dirname(file), path),
      }))
    })
    const there = (path: string) => files.some((file) => file === path || file.startsWith(`${path}/`))
    const wanted = links.filter(({ file, path }) => file === "README.md" || path.endsWith(".md"))
    expect(wanted.length).toBeGreaterThan(40)
    expect(wanted.filter(({ path }) => !there(path))).toEqual([])
  })

  it("has the library, the commands, the schema files, the documents, the units of systemd and nothing else", () => {
    const shipped =
      /^(dist\/lib\/.*\.(js|js\.map|d\.ts)|dist\/procwire\.cjs|dist\/procwire-conformance\.mjs|dist\/procwire-parts\/\w+\.cjs|dist\/(THIRD_PARTY_NOTICES|sbom\.cdx\.json)|dist\/schema\/all\.br|dist\/web\/[\w.-]+\.br|dist\/lib\/conformance\/client\/cases\/\w+\.json|adapters\/systemd\/procwire\.\w+|[A-Z]+|[\w./]+\.md|package\.json)$/
    expect(files.filter((file) => !shipped.test(file))).toEqual([])
    expect(files.filter((file) => /\.test\.|\/(testing|lab|targets)\/.*\.[^m]\w*$/.test(file))).toEqual([])
  })

  it("has whatever its modules import, and depends on no package that they do not name", () => {
    const known = Object.keys({ ...manifest.dependencies, ...manifest.peerDependenciesMeta })
    const library = files.filter((file) => file.startsWith("dist/lib/"))
    const isKnown = (file: string, name: string): boolean => {
      if (!name.startsWith(".")) {
        const packages = ["procwire", ...known].some((one) => `${name}/`.startsWith(`${one}/`))
        return packages || name.startsWith("node:") || name.startsWith("bun:")
      }
      const path = join(dirname(file), name)
      return files.includes(file.endsWith(".d.ts") ? path.replace(/\.(js|ts)$/, ".d.ts") : path)
    }
    const all = library.flatMap((file) => imports(file).map((name) => ({ file, name })))
    expect(all.filter(({ file, name }) => !isKnown(file, name))).toEqual([])
    // Some peers are of the command alone.
    const named = [...library, ...files.filter((file) => file.startsWith("dist/procwire-parts/"))]
    const code = named.map((file) => readFileSync(join(installed, file), "utf8")).join("")
    expect(known.filter((name) => !code.includes(`"${name}`))).toEqual([])
  })

  it("runs a command by npx in an empty folder, for which npx installs what npm does", async () => {
    const fetched = (await run("npm", ["config", "get", "cache"])).trim()
    const [empty, cache] = [join(folder, "empty"), join(folder, "cache")]
    for (const made of [empty, cache]) mkdirSync(made)
    // Packages that were fetched before are not fetched again.
    symlinkSync(join(fetched, "_cacache"), join(cache, "_cacache"))
    const options = [
      "--yes",
      "--prefer-offline",
      "--cache",
      cache,
      "--package",
      join(folder, packed.filename),
    ]
    expect(await run("npx", [...options, "procwire", "run", "--", "echo", "hi"], empty)).toBe("hi\n")
    const [made = ""] = readdirSync(join(cache, "_npx"))
    expect(readdirSync(join(cache, "_npx", made, "node_modules"))).toEqual(only)
  })

  it("has the licence of every package whose code is in it", () => {
    const notices = readFileSync(join(installed, "dist/THIRD_PARTY_NOTICES"), "utf8")
    // The build does not name its sources: these stand for them.
    const names = ["effect", "ws", "jose", "@modelcontextprotocol/sdk", "zod"]
    for (const name of names) expect(notices).toMatch(new RegExp(`^${name} \\d+\\.\\d+.* \\(.+\\)$`, "m"))
    const { components } = json<{ components: ReadonlyArray<{ name: string; purl: string }> }>(
      join(installed, "dist/sbom.cdx.json"),
    )
    expect(components.map(({ name }) => name)).toEqual(expect.arrayContaining(names))
    expect(components.map(({ purl }) => purl)).toContain(`pkg:npm/effect@${versionOf("effect")}`)
  })

  it("brings 12 packages and 12 MB at most, itself counted, without scripts, and no effect", () => {
    const { packages } = json<{
      packages: { readonly [path: string]: { readonly hasInstallScript?: true } }
    }>(join(folder, "node_modules/.package-lock.json"))
    expect(Object.keys(packages).length).toBeLessThanOrEqual(12)
    expect(Object.keys(packages).filter((path) => packages[path]?.hasInstallScript)).toEqual([])
    expect(only).not.toContain("effect")
    const paths = Object.keys(packages).map((path) => join(folder, path))
    const kibibytes = execFileSync("du", ["-skc", ...paths], { encoding: "utf8" })
      .split("\n")
      .at(-2)
    expect(Number.parseInt(kibibytes ?? "")).toBeLessThanOrEqual(12_000)
  })

  it("answers --version with both commands, and speaks MCP without the SDK", async () => {
    const bin = (name: string) => join(folder, "node_modules/.bin", name)
    for (const name of Object.keys(manifest.bin)) {
      expect(await run(bin(name), ["--version"])).toContain(manifest.version)
    }
    const server = spawn(bin("procwire"), ["mcp"], { cwd: folder, stdio: ["pipe", "pipe", "inherit"] })
    server.stdin.write(`{"jsonrpc":"2.0","id":1,"method":"ping"}\n`)
    const [answer] = (await once(server.stdout, "data")) as [Buffer]
    server.stdin.end()
    expect(JSON.parse(answer.toString())).toEqual({ jsonrpc: "2.0", id: 1, result: {} })
    expect(await once(server, "close")).toEqual([0, null])
  })

  it("runs the first program of the README on Node, Bun and Deno by one entry point", async () => {
    const [, program = ""] =
      /^```ts\n([\s\S]*?)^```/m.exec(readFileSync(join(root, "README.md"), "utf8")) ?? []
    const facts = `
      import * as runtime from "procwire/runtime"
      const name = "Bun" in globalThis ? "bun" : "Deno" in globalThis ? "deno" : "node"
      console.log(Object.keys(runtime).sort().join(), name)
      const error = await runtime.connect({}).catch((cause) => cause)
      console.log([runtime.ClientError, Error].map((each) => error instanceof each).join())`
    writeFileSync(join(folder, "program.mjs"), program + facts)
    const deno = ["run", "--quiet", "--allow-all", "--node-modules-dir=manual", "program.mjs"]
    for (const [name, command, args] of [
      ["node", process.execPath, ["program.mjs"]],
      ["bun", runtime("@oven", "bin/bun"), ["program.mjs"]],
      ["deno", runtime("@deno", "deno"), deno],
    ] as const) {
      // A terminal may echo and prompt as it likes; nothing of it is printed by the program.
      const exported = "ClientError,ServeError,connect,serve"
      const wanted = `$HOME\nit's\n\nbuilding\ndone\n0\n${exported} ${name}\ntrue,true\n`
      expect(await run(command, args), name).toBe(wanted)
    }
  })

  it("does the ten tasks of the page of the client, as it says there, on Node, Bun and Deno", async () => {
    const page = readFileSync(join(root, "core/client/TASKS.md"), "utf8")
    const [setup = "", ...tasks] = [...page.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code = ""]) => code)
    // Syntax for the compiler alone goes: Node 20 runs no TypeScript.
    const program = [setup, ...tasks.map((code) => `{\n${code}}\n`)]
      .join("")
      .replaceAll(/: (?:unknown|string\[\])(?=[ )])/g, "")
    const wanted = [...page.matchAll(/^ *console\.log\(.*\) \/\/ (.+)$/gm)].map(([, line = ""]) => line)
    expect(wanted.length).toBeGreaterThanOrEqual(10)
    writeFileSync(join(folder, "tasks.mjs"), program)
    const deno = ["run", "--quiet", "--allow-all", "--node-modules-dir=manual", "tasks.mjs"]
    for (const [name, command, args] of [
      ["node", process.execPath, ["tasks.mjs"]],
      ["bun", runtime("@oven", "bin/bun"), ["tasks.mjs"]],
      ["deno", runtime("@deno", "deno"), deno],
    ] as const)
      expect((await run(command, args)).trim().split("\n"), name).toEqual(wanted)
  })

  it("has optional peers without ranges, for which npm would look up their own peers, and a README has them", () => {
    expect(manifest.peerDependencies).toBeUndefined()
    const words = readFileSync(join(root, "adapters/README.md"), "utf8").replaceAll(/\s+/g, " ")
    for (const name of Object.keys(manifest.peerDependenciesMeta))
      expect(words).toContain(`\`${name}@${manifest.devDependencies[name] ?? ofEffect3[name]}\``)
    expect(words).toContain(`\`effect@${ofEffect3["effect"]}\``)
  })

  it("can be imported, each export, but for those that need an optional peer and name it", async () => {
    const failed = await failures()
    const suites = ["procwire/conformance/vitest", "procwire/effect/conformance/vitest"]
    expect(Object.keys(failed).sort()).toEqual([...suites, "procwire/effect3"])
    const matter = `effect ${versionOf("effect")} is installed and @effect/platform is not installed`
    expect(failed["procwire/effect3"]).toContain(
      `but ${matter}: npm install effect@^3.22 @effect/platform@^0.97`,
    )
    for (const suite of suites) expect(failed[suite]).toContain("Cannot find package 'vitest'")
  })

  it("says that procwire/mcp needs the SDK", async () => {
    const program = `
      import { createServer } from "procwire/mcp"
      import { connect } from "procwire/runtime"
      const client = await connect({ inProcess: true })
      await createServer(client).catch(({ message }) => console.log(message))
      await client.close()`
    writeFileSync(join(folder, "mcp.mjs"), program)
    const words = "procwire/mcp needs the MCP SDK: npm install @modelcontextprotocol/sdk\n"
    expect(await run(process.execPath, ["mcp.mjs"])).toBe(words)
  })

  it("can be imported, all of it, beside the optional peers, and its declarations are sound", async () => {
    const peers = Object.keys(manifest.peerDependenciesMeta).filter((name) => !(name in ofEffect3))
    for (const name of [...peers, "@types/node"]) lend(name)
    expect(Object.keys(await failures())).toEqual(["procwire/effect3"])
    const all = specifiers.filter((name) => name !== "procwire/effect3")
    const texts = all.map((name, index) => `export * as all${index} from "${name}"\n`)
    writeFileSync(join(folder, "all.ts"), texts.join(""))
    expect(await compiled(folder, "all.ts")).toBe("")
  })

  it("gives its services to a program on Effect 3", async () => {
    const cwd = join(folder, "three")
    cpSync(installed, join(cwd, "node_modules/procwire"), { recursive: true })
    for (const name of Object.keys(ofEffect3)) lend(name, join(root, "adapters/effect3"), cwd)
    for (const name of [...Object.keys(manifest.dependencies), "@types/node"]) lend(name, root, cwd)
    const program = `
      import { Command } from "@effect/platform"
      import * as Effect from "effect/Effect"
      import { layer } from "procwire/effect3"
      const told = Command.string(Command.make("echo", "from Effect 3"))
      console.log(await Effect.runPromise(Effect.provide(told, layer({ inProcess: true }))))`
    writeFileSync(join(cwd, "package.json"), `{ "type": "module" }`)
    writeFileSync(join(cwd, "three.ts"), program)
    writeFileSync(join(cwd, "three.mjs"), program)
    expect(await run(process.execPath, ["three.mjs"], cwd)).toBe("from Effect 3\n\n")
    expect(await compiled(cwd, "three.ts")).toBe("")
  })
})
