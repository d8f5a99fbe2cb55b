// @ts-check
// Another commit beside this one: its scratch worktree with the installed node_modules.
import { execFileSync } from "node:child_process"
import { rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { root, run } from "../../../../.ci/setup.mjs"

/** @param {readonly string[]} args */
const git = (...args) =>
  execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim()

/**
 * The full name of a commit.
 * @param {string} ref
 * @returns {string | undefined} undefined if there is none
 */
export const commitOf = (ref) => {
  try {
    return git("rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`)
  } catch {
    return undefined
  }
}

/**
 * Builds a commit in a worktree of its own.
 * @param {string} commit
 * @param {{ bunFile: boolean }} what `bunFile`: also the executable of Bun
 */
export const checkout = (commit, { bunFile }) => {
  const name = commit.slice(0, 9)
  const folder = join(root, ".cache", "bench", "against", name)
  const remove = () => {
    rmSync(folder, { recursive: true, force: true })
    git("worktree", "prune")
  }
  remove()
  process.stderr.write(`building ${name} in ${folder}\n`)
  git("worktree", "add", "--detach", "--force", folder, commit)
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  if (git("diff", "--stat", commit, "--", "package-lock.json") !== "")
    process.stderr.write(
      `${name} has another package-lock.json: it runs with the packages that are installed\n`,
    )
  const quiet = { cwd: folder, stdio: /** @type {const} */ (["ignore", "ignore", "inherit"]) }
  run(process.execPath, [".ci/build.mjs"], { ...quiet, stdio: [...quiet.stdio] })
  if (bunFile) run(process.execPath, [".ci/bun.mjs"], { ...quiet, stdio: [...quiet.stdio] })
  return { folder, name, remove }
}
