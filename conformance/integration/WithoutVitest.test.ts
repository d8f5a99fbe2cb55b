/**
 * The packed package in a folder without vitest: command/SpawnerFlag.ts and the exports that promise to work there.
 * Needs the build in `dist/`.
 */
import { execFile, execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, test } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "procwire-packed-"))
const modules = join(folder, "node_modules")
const installed = join(modules, "procwire")
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Installs the tarball without a registry: its dependencies are links to those of this checkout. */
beforeAll(() => {
  mkdirSync(installed, { recursive: true })
  const packing = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder]
  const tarball = execFileSync("npm", packing, { cwd: root, encoding: "utf8" }).trim()
  execFileSync("tar", ["-xzf", join(folder, tarball), "-C", installed, "--strip-components=1"])
  const { dependencies } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as {
    readonly dependencies: { readonly [name: string]: string }
  }
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(root, "node_modules", name), join(modules, name))
  }
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

const spawnerSuite = (module: string, text: string): Promise<Ran> => {
  writeFileSync(join(folder, module), text)
  const command = join(installed, "dist/procwire-conformance.mjs")
  return node(command, "--spawner", `./${module}`, "spawner/errors/program-missing")
}

test("--spawner plays the spawner suite on a module that knows nothing of vitest", async () => {
  const ran = await spawnerSuite("good.mjs", `export { layerSpawner } from "procwire/node"\n`)
  expect(ran.err).toBe("")
  expect(ran.out).toMatch(/conformant: 1 cases over spawner/)
  expect(ran.code).toBe(0)
})

test("a package that the module imports and that is missing is named", async () => {
  const ran = await spawnerSuite("needy.mjs", `import "no-such-package"\n`)
  expect(ran.err).toContain("Cannot find package 'no-such-package' imported from")
  expect(ran.err).toContain("--spawner ./needy.mjs")
  expect(ran.code).toBe(2)
})

test("an error that the module throws while it is loaded is shown with its stack", async () => {
  const ran = await spawnerSuite("throws.mjs", `throw new Error("out of order")\n`)
  expect(ran.err).toMatch(/Error: out of order\n +at .*throws\.mjs:1/)
  expect(ran.code).toBe(1)
})

test("the suite and both plain runners are imported without vitest", async () => {
  for (const name of ["conformance", "conformance/spawner/runner", "conformance/transport/runner"]) {
    const ran = await node("--input-type=module", "-e", `await import("procwire/${name}")`)
    expect(ran).toEqual({ code: 0, out: "", err: "" })
  }
})

test("a package that the suite itself imports and that is missing is named", async () => {
  rmSync(join(modules, "effect"))
  const ran = await spawnerSuite("good.mjs", `export { layerSpawner } from "procwire/node"\n`)
  expect(ran.err).toMatch(/Cannot find package 'effect' imported from .*procwire.dist.lib/)
  expect(ran.code).toBe(1)
})
