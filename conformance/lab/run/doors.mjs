// @ts-check
// `npm run lab -- doors REF [FILE ...]`: plays the tests of the promise doors, as they are, on the package that another
// commit builds. Without files: all tests of adapters that connect by `testing/Client.ts` and import nothing of Effect.
// A behaviour that has been changed since that commit fails here.
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { command } from "../../../.ci/command.mjs"
import { build, install, root } from "../../../.ci/setup.mjs"
import * as Commit from "./commit.mjs"

const { positionals } = command(import.meta.url, { allowPositionals: true })
const [ref = "", ...files] = positionals
const commit = Commit.named(ref)
if (commit === undefined) {
  process.stderr.write(`doors: ${ref || "nothing"}: expected the name of a commit\n`)
  process.exit(2)
}

const doors = () =>
  readdirSync(join(root, "adapters/shared"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".test.ts"))
    .map((path) => `adapters/shared/${path}`)
    .filter((path) => {
      const text = readFileSync(join(root, path), "utf8")
      return text.includes('/testing/Client.ts"') && !/from "effect\b|\/effect\.ts"/.test(text)
    })

install()
build()
const { tree, remove } = Commit.checkout(commit, join(root, ".cache/doors"), [".ci/build.mjs"])
const { status } = spawnSync(process.execPath, [".ci/test.mjs", ...(files.length > 0 ? files : doors())], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, TESTED_PACKAGE: join(tree, "dist/lib/adapters/node/index.js") },
})
remove()
process.exitCode = status ?? 1
