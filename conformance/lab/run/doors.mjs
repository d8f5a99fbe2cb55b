// @ts-check
// `npm run lab -- doors REF [FILE ...]`: plays the tests of the promise doors, as they are, on the package that another
// commit builds. Without files: all tests of adapters that connect by `testing/Client.ts` and import nothing of Effect.
// A behaviour that has been changed since that commit fails here.
import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { command } from "../../../.ci/command.mjs"
import { build, install, npm, root, run } from "../../../.ci/setup.mjs"

const { positionals } = command(import.meta.url, { allowPositionals: true })
const [ref, ...files] = positionals
if (ref === undefined) {
  process.stderr.write("doors: wants the name of a commit\n")
  process.exit(2)
}

/** @param {readonly string[]} args */
const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim()

const commit = git("rev-parse", "--verify", "--end-of-options", `${ref}^{commit}`)
const tree = join(root, ".cache/doors", commit.slice(0, 9))

const remove = () => {
  rmSync(tree, { recursive: true, force: true })
  git("worktree", "prune")
}

/** Builds the commit in a worktree of its own, with the packages of its own lock file. */
const checkout = () => {
  mkdirSync(join(root, ".cache/doors"), { recursive: true })
  git("worktree", "add", "--detach", "--force", tree, commit)
  const isSame = git("diff", "--stat", commit, "--", "package-lock.json") === ""
  if (isSame) symlinkSync(join(root, "node_modules"), join(tree, "node_modules"))
  else if (!npm(["install", "--no-save", "--no-progress"], tree)) process.exit(1)
  run(process.execPath, [".ci/build.mjs"], { cwd: tree, stdio: ["ignore", "ignore", "inherit"] })
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
remove()
process.stderr.write(`doors: building ${commit.slice(0, 9)}\n`)
checkout()
const { status } = spawnSync(process.execPath, [".ci/test.mjs", ...(files.length > 0 ? files : doors())], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, TESTED_PACKAGE: join(tree, "dist/lib/adapters/node/index.js") },
})
remove()
process.exitCode = status ?? 1
