/**
 * The packed package in a folder with what npm installs with it and no more: neither `effect` nor vitest. The commands
 * do all that they do elsewhere; then `effect` is installed, for spawners that are written with it. Needs the build in
 * `dist/`.
 */
import { execFile, execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "procwire-packed-"))
const modules = join(folder, "node_modules")
const installed = join(modules, "procwire")
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Puts a package of this checkout into the folder, as a link. */
const lend = (name: string): void => {
  mkdirSync(dirname(join(modules, name)), { recursive: true })
  symlinkSync(join(root, "node_modules", name), join(modules, name))
}

/** Installs the tarball without a registry. */
beforeAll(() => {
  mkdirSync(installed, { recursive: true })
  const packing = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder]
  const tarball = execFileSync("npm", packing, { cwd: root, encoding: "utf8" }).trim()
  execFileSync("tar", ["-xzf", join(folder, tarball), "-C", installed, "--strip-components=1"])
  const { dependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(installed, "package.json"), "utf8"),
  ) as { readonly [kind: string]: { readonly [name: string]: string } }
  Object.keys({ ...dependencies, ...optionalDependencies }).forEach(lend)
})

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

const node = (...args: ReadonlyArray<string>): Promise<Ran> =>
  new Promise((resolve) => {
    const child = execFile(process.execPath, [...args], { cwd: folder, timeout: 250_000 }, (_, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    )
  })

const command = join(installed, "dist/procwire.mjs")
const procwire = (...args: ReadonlyArray<string>) => node(command, ...args)
const conformance = (...args: ReadonlyArray<string>) =>
  node(join(installed, "dist/procwire-conformance.mjs"), ...args)

const one = "spawner/errors/program-missing"
const spawnerSuite = (module: string, text: string): Promise<Ran> => {
  writeFileSync(join(folder, module), text)
  return conformance("--spawner", `./${module}`, one)
}

describe("The package without effect and vitest", () => {
  test("runs a command", async () => {
    expect(await procwire("run", "--", "echo", "hi")).toEqual({ code: 0, out: "hi\n", err: "" })
  })

  test("plays the suite on a server, over pipes and WebSocket, and writes its files", async () => {
    const { code, out } = await conformance("--help")
    expect({ code, usage: out.includes("procwire-conformance --command") }).toEqual({ code: 0, usage: true })
    const words = ["--command", `'${process.execPath}' '${command}' serve --listen {LISTEN}`]
    const files = ["--badge", "badge.svg", "--markdown", "summary.md", "--json", "outcomes.json"]
    const ran = await conformance(...words, ...files, "handshake/second*", "process/output/bytes-are-exact")
    expect(ran.err).toBe("")
    expect(ran.out).toMatch(/conformant: 4 cases over stdio and ws/)
    expect(ran.code).toBe(0)
    expect(readFileSync(join(folder, "badge.svg"), "utf8")).toContain("<svg")
    expect(readFileSync(join(folder, "summary.md"), "utf8")).toContain("procwire-conformance")
  })

  test("plays the server for a client", async () => {
    const client = `'${process.execPath}' '${command}' run --server {URL} --`
    const ran = await conformance("--client", client, "--transports", "ws", "client/output/any-bytes")
    expect(ran.err).toBe("")
    expect(ran.out).toMatch(/conformant: 1 cases over ws/)
    expect(ran.code).toBe(0)
  })

  test("starts processes through a spawner in plain JavaScript and one with a name, and proves them", async () => {
    const readme = readFileSync(join(root, "adapters/README.md"), "utf8")
    const [, plain = ""] = /^```js\n(import \{ spawn as start \}[^]*?)^```/m.exec(readme) ?? []
    writeFileSync(join(folder, "plain.mjs"), plain)
    for (const spawner of ["./plain.mjs", "nice:5"]) {
      const proved = await conformance("--spawner", spawner, one)
      expect(proved.err).toBe("")
      expect(proved.out).toMatch(/conformant: 1 cases over spawner/)
      const words = ["--spawner", spawner, "--", "echo", "hi"]
      expect(await procwire("run", ...words)).toEqual({ code: 0, out: "hi\n", err: "" })
    }
  })

  test("says to a program that imports the library what is missing", async () => {
    for (const name of ["procwire", "procwire/runtime"]) {
      const ran = await node("--input-type=module", "-e", `await import("${name}")`)
      expect(ran.err).toMatch(/Cannot find package 'effect' imported from .*node_modules.procwire.dist/)
    }
  })
})

describe("The package with effect, without vitest", () => {
  beforeAll(() => lend("effect"))

  test("plays the spawner suite on a module that knows nothing of vitest", async () => {
    const ran = await spawnerSuite("good.mjs", `export { layerSpawner } from "procwire/node"\n`)
    expect(ran.err).toBe("")
    expect(ran.out).toMatch(/conformant: 1 cases over spawner/)
    expect(ran.code).toBe(0)
  })

  test("says nothing of a module whose effect has another version than that of the commands", async () => {
    await build({
      absWorkingDir: root,
      entryPoints: ["adapters/node/NodeSpawner.ts"],
      outfile: join(folder, "other.mjs"),
      bundle: true,
      platform: "node",
      format: "esm",
      logLevel: "warning",
      external: ["@homebridge/node-pty-prebuilt-multiarch"],
      plugins: [
        {
          name: "other-version",
          setup: ({ onLoad }) => {
            const contents = `export const getCurrentVersion = () => "3.0.0"\nexport const setCurrentVersion = () => {}`
            onLoad({ filter: /\/effect\/dist\/esm\/internal\/version\.js$/ }, () => ({ contents }))
          },
        },
      ],
    })
    expect(readFileSync(join(folder, "other.mjs"), "utf8")).toContain('"3.0.0"')
    const proved = await conformance("--spawner", "./other.mjs", one, "--tap")
    expect(proved.out).toMatch(/^TAP version 14\n1\.\.1\nok 1 - /)
    expect(proved.err).not.toContain("version")
    expect(proved.code).toBe(0)
    const ran = await procwire("run", "--spawner", "./other.mjs", "--", "echo", "hi")
    expect(ran).toEqual({ code: 0, out: "hi\n", err: "" })
  })

  test("names the package that a PTY needs where libc cannot be called, and how to install it", async () => {
    const inWorker = `import("procwire/node").then(async ({ connect }) => {
      const client = await connect({ inProcess: true })
      const refused = await client.run({ argv: ["true"], tty: true }).catch(({ message }) => message)
      console.log(refused)
      await client.close()
    })`
    const program = `import { Worker } from "node:worker_threads"
      new Worker(${JSON.stringify(inWorker)}, { eval: true })`
    const ran = await node("--input-type=module", "-e", program)
    expect(ran.err).toBe("")
    expect(ran.out).toContain(
      "no PTY on this host: Error: it needs a package: npm install @homebridge/node-pty-prebuilt-multiarch",
    )
  })

  test("names a package that the module imports and that is missing", async () => {
    const ran = await spawnerSuite("needy.mjs", `import "no-such-package"\n`)
    expect(ran.err).toContain("Cannot find package 'no-such-package' imported from")
    expect(ran.err).toContain("--spawner ./needy.mjs")
    expect(ran.code).toBe(2)
  })

  test("shows an error that the module throws while it is loaded with its stack", async () => {
    const ran = await spawnerSuite("throws.mjs", `throw new Error("out of order")\n`)
    expect(ran.err).toMatch(/Error: out of order\n +at .*throws\.mjs:1/)
    expect(ran.code).toBe(1)
  })

  test("can be imported, the suite and both plain runners", async () => {
    for (const name of ["conformance", "conformance/spawner/runner", "conformance/transport/runner"]) {
      const ran = await node("--input-type=module", "-e", `await import("procwire/${name}")`)
      expect(ran).toEqual({ code: 0, out: "", err: "" })
    }
  })
})
