// @ts-check
// The declarations of the doors without Effect, from those that the compiler has made: dist/lib/NAME.d.ts for each
// door, and below dist/lib/types what they share, a file for each module.
//
// Programs that import these doors have no `effect`. So each file keeps only what a door leads to, and what is said in
// types of Effect is said plainly:
//
// - types of schemas, and others that are computed from types of Effect, become what they are computed to be
// - a tagged error becomes a class that extends `Error`
// - a constant that has the name of a type, such as a schema, is left out
// - `Duration.Input` becomes `Duration`, `Layer.Layer` becomes `EffectLayer`, and the property `effect` of a
//   client and the like becomes `EffectFace`: see `plain` in declarations/text.mjs
//
// Whatever else leads to Effect, to `any`, or to a module that is not there fails the build.
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** The files of this script. */
const own = [
  "declarations.mjs",
  ...["make", "program", "text", "words"].map((name) => `declarations/${name}.mjs`),
]

/** The names and contents of files below a folder, as one digest. @param {readonly string[]} folders */
const digestOf = (folders) => {
  const digest = createHash("sha256")
  for (const folder of folders)
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort())
      if (name.endsWith(".d.ts")) digest.update(`${name}\0`).update(readFileSync(join(folder, name)))
  return digest
}

/**
 * Writes the declarations of these doors into dist/lib, in a process of its own, beside which others can work. They
 * are kept in dist/declarations, and made again when what the compiler has said, a package or this script has changed.
 * Ends this process if they cannot be made, after the reasons have been written to stderr.
 *
 * @param {string} root of the repository, with `dist` as the compiler has made it
 * @param {readonly string[]} doors their modules, as paths below the root without extension
 */
export const declarations = async (root, doors) => {
  const dist = join(root, "dist")
  const kept = join(dist, "declarations")
  const key = digestOf(["core", "adapters", "conformance"].map((folder) => join(dist, folder)))
    .update(own.map((name) => readFileSync(join(import.meta.dirname, name), "utf8")).join(""))
    .update(readFileSync(join(root, "package-lock.json")))
    .update(doors.join(" "))
    .digest("hex")
  const keyFile = join(kept, "key")
  if (!existsSync(keyFile) || readFileSync(keyFile, "utf8") !== key) {
    rmSync(kept, { recursive: true, force: true })
    const child = spawn(
      process.execPath,
      ["--max-semi-space-size=64", import.meta.filename, root, join(kept, "lib"), ...doors],
      {
        stdio: ["ignore", "inherit", "inherit"],
      },
    )
    const [code] = await once(child, "exit")
    if (code !== 0) process.exit(1)
    writeFileSync(keyFile, key)
  }
  // The declarations of the other doors are there, too: a file of both would be wrong for one of them.
  cpSync(join(kept, "lib"), join(dist, "lib"), { recursive: true, force: false, errorOnExist: true })
}

const [script, root, out, ...doors] = process.argv.slice(1)
if (script === import.meta.filename && root !== undefined && out !== undefined) {
  const { make } = await import("./declarations/make.mjs")
  const { faults, files } = make(root, doors)
  for (const [name, text] of files) {
    const path = join(out, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  process.stderr.write(faults.map((fault) => `${fault}\n`).join(""))
  process.exitCode = faults.length === 0 ? 0 : 1
}
