// @ts-check
// Another commit of this repository, built in a worktree of its own with the packages of its own lock file.
import { spawnSync } from "node:child_process"
import { rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { npm, root, run } from "../../../.ci/setup.mjs"

/** @param {readonly string[]} args */
const git = (...args) => spawnSync("git", args, { cwd: root, encoding: "utf8" }).stdout.trim()

/** The full name of a commit; undefined if there is none. @param {string} ref */
export const named = (ref) =>
  git("rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`) || undefined

/**
 * @param {string} commit its full name
 * @param {string} folder for the worktree
 * @param {readonly string[]} scripts that build it
 */
export const checkout = (commit, folder, scripts) => {
  const name = commit.slice(0, 9)
  const tree = join(folder, name)
  const remove = () => {
    rmSync(tree, { recursive: true, force: true })
    git("worktree", "prune")
  }
  remove()
  process.stderr.write(`building ${name} in ${tree}\n`)
  run("git", ["worktree", "add", "--quiet", "--detach", "--force", tree, commit])
  const isSame = git("diff", "--stat", commit, "--", "package-lock.json") === ""
  if (isSame) symlinkSync(join(root, "node_modules"), join(tree, "node_modules"))
  else if (!npm(["install", "--no-save", "--no-progress"], tree)) process.exit(1)
  for (const script of scripts)
    run(process.execPath, [script], { cwd: tree, stdio: ["ignore", "ignore", "inherit"] })
  return { tree, name, remove }
}
