/**
 * The packed package in a folder with what npm installs with it and no more: neither `effect` nor vitest. The commands
 * and all exports but those in Effect do all that they do elsewhere; then `effect` is installed, for programs that are
 * written with it. Needs the build in
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

const command = join(installed, "dist/procwire.cjs")
const procwire = (...args: ReadonlyArray<string>) => node(command, ...args)
const conformance = (...args: ReadonlyArray<string>) =>
  node(join(installed, "dist/procwire-conformance.mjs"), ...args)

const one = "spawner/errors/program-missing"
const spawnerSuite = (module: string, text: string): Promise<Ran> => {
  writeFileSync(join(folder, module), text)
  return conformance("--spawner", `./${module}`, one)
}

const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly exports: { readonly [name: string]: unknown }
}
/** The exports as programs name them, but for those that need vitest. */
const specifiers = Object.keys(exports)
  .filter((name) => !/json$|vitest$/.test(name))
  .map((name) => `procwire${name.slice(1)}`)
const effects = specifiers.filter((name) => name.startsWith("procwire/effect"))
const promises = specifiers.filter((name) => !effects.includes(name))

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
    const readme = readFileSync(join(root, "adapters/sandbox/README.md"), "utf8")
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

  test("is imported and required, every export that is not in Effect", async () => {
    const names = JSON.stringify(promises)
    const imports = `for (const name of ${names}) await import(name)`
    expect(await node("--input-type=module", "-e", imports)).toEqual({ code: 0, out: "", err: "" })
    const requires = `for (const name of ${names}) require(name)`
    const required = await node("--no-warnings", "--input-type=commonjs", "-e", requires)
    expect(required).toEqual({ code: 0, out: "", err: "" })
  })

  test("says in a sentence that an export in Effect needs it, and how to install it", async () => {
    for (const name of effects) {
      const told = `await import("${name}").catch(({ message }) => console.log(message))`
      const ran = await node("--input-type=module", "-e", told)
      const isThree = name === "procwire/effect3"
      const needed = isThree ? "effect@^3.22 and @effect/platform@^0.97" : "effect@^4.1"
      expect(ran.out).toContain(`${name} needs ${needed}, but effect is not installed`)
      expect(ran.out).toContain(`: npm install ${needed.replace(" and", "")}`)
    }
  })

  test("has source maps, by which a trace shows the lines of the sources", async () => {
    const program = `import { createTools } from "procwire/agent"; createTools({})`
    const plain = await node("--input-type=module", "-e", program)
    expect(plain.err).toMatch(/at .*dist\/lib\/.*\.js:\d+/)
    const mapped = await node("--enable-source-maps", "--input-type=module", "-e", program)
    expect(mapped.err).toMatch(/at .*core\/agent\/[A-Za-z]+\.ts:\d+/)
  })

  test("names a layer of Effect 3, which it cannot run", async () => {
    const program = `import { connect, serve } from "procwire"
      const spawner = { [Symbol.for("effect/Layer")]: {}, pipe() {} }
      await serve({ listen: "ws://127.0.0.1:0", spawner }).catch(({ message }) => console.log(message))
      await connect({ inProcess: true, spawner }).catch(({ message }) => console.log(message))`
    const ran = await node("--input-type=module", "-e", program)
    expect(ran.out.split("\n")).toEqual([
      "spawner: invalid value a layer of Effect 3: expected a layer of Spawner of effect@^4.1, a plain spawner, or " +
        "names of spawners",
      "the spawner of { inProcess: true } is a layer of Effect 3: it needs one of effect@^4.1, or a plain spawner",
      "",
    ])
  })
})

describe("The package with effect, without vitest", () => {
  beforeAll(() => lend("effect"))

  test("plays the spawner suite on a module that knows nothing of vitest", async () => {
    const ran = await spawnerSuite("good.mjs", `export { layerSpawner } from "procwire/effect"\n`)
    expect(ran.err).toBe("")
    expect(ran.out).toMatch(/conformant: 1 cases over spawner/)
    expect(ran.code).toBe(0)
  })

  test("runs the spawner of a module that has an effect of its own", async () => {
    await build({
      absWorkingDir: root,
      entryPoints: ["adapters/shared/HostPlatform.ts"],
      outfile: join(folder, "other.mjs"),
      bundle: true,
      platform: "node",
      format: "esm",
      logLevel: "warning",
      external: ["@homebridge/node-pty-prebuilt-multiarch"],
    })
    const proved = await conformance("--spawner", "./other.mjs", one, "--tap")
    expect(proved.out).toMatch(/^TAP version 14\n1\.\.1\nok 1 - /)
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

  test("is imported and required, every export in Effect but that for Effect 3", async () => {
    const names = JSON.stringify(effects.filter((name) => name !== "procwire/effect3"))
    const imports = `for (const name of ${names}) await import(name)`
    expect(await node("--input-type=module", "-e", imports)).toEqual({ code: 0, out: "", err: "" })
    const requires = `for (const name of ${names}) require(name)`
    const required = await node("--no-warnings", "--input-type=commonjs", "-e", requires)
    expect(required).toEqual({ code: 0, out: "", err: "" })
    const told = `await import("procwire/effect3").catch(({ message }) => console.log(message))`
    const ran = await node("--input-type=module", "-e", told)
    expect(ran.out).toContain(": npm install effect@^3.22 @effect/platform@^0.97\n")
  })

  test("gives its client to a program in Effect, and runs its layers, with another copy of effect", async () => {
    const program = `
      import * as Effect from "effect/Effect"
      import * as Layer from "effect/Layer"
      import { connect, serve } from "procwire"
      import { ExecClient, layerSpawner, open } from "procwire/effect"
      import { layerWrap } from "procwire/effect/sandbox"
      const client = await connect({ inProcess: true })
      const run = ExecClient.of(client).run({ argv: ["echo", "of"] })
      console.log(await Effect.runPromise(Effect.map(run, ({ stdout }) => stdout.trim())))
      await client.close()
      const marking = layerWrap((spec) => ({ ...spec, argv: ["env", "WRAPPED=7", ...spec.argv] }))
      for (const spawner of [marking, marking.pipe(Layer.provide(layerSpawner))]) {
        const server = await serve({ listen: "ws://127.0.0.1:0", spawner })
        const there = await connect({ url: server.addresses[0] })
        console.log((await there.run({ argv: ["printenv", "WRAPPED"] })).stdout.trim())
        await there.close()
        await server.close()
      }
      const own = Effect.flatMap(ExecClient.make(open({ inProcess: true })), (client) => client.run({ argv: ["true"] }))
      console.log((await Effect.runPromise(Effect.scoped(own))).exitCode)`
    const ran = await node("--input-type=module", "-e", program)
    expect(ran).toEqual({ code: 0, out: "of\n7\n7\n0\n", err: "" })
  })
})
