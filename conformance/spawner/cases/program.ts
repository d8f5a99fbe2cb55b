/** Cases about what a child starts with: arguments, directory, environment, descriptors, signals. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Check from "../../suite/Check.ts"
import { table, type SpawnerContext } from "../SpawnerContext.ts"
import { path, sh } from "../SpawnedChild.ts"
import * as HostProcess from "../HostProcess.ts"

const odd = ["", " ", "a b", "ü✓😀", "'\"\\$(x)`y`", "line\nbreak", "-n", "*", "--"]

/** The fourth descriptor is the directory that `ls` reads. */
const seesThree = async (t: SpawnerContext, pty: boolean): Promise<void> => {
  const child = await t.run({ argv: ["ls", "/proc/self/fd"], pty })
  const seen = child.text().trim().split(/\s+/).map(Number)
  const own = seen.filter((fd) => fd < 3 || !HostProcess.inherited.includes(fd)).sort((a, b) => a - b)
  Check.equal(own.slice(0, 3), [0, 1, 2], "the descriptors")
  Check.isTrue(own.length <= 4, `beside the one with which ls reads them there are more: ${own.join(", ")}`)
}

export const program = table("spawner/program", {
  "arguments-exact": {
    says: "Empty, blank, quoted, multi-line and non-ASCII arguments arrive unchanged.",
    run: async (t) => {
      const child = await t.run({ argv: sh('for each; do printf "%s\\0" "$each"; done', ...odd) })
      Check.equal(child.text().split("\0").slice(0, -1), odd, "the arguments")
    },
  },
  "arg0-is-seen": {
    requires: ["arg0"],
    says: "The child sees arg0 as argv[0], and the program is still the one of argv.",
    run: async (t) => {
      const child = await t.run({ argv: ["/bin/sh", "-c", "echo $0"], arg0: "zero 0" })
      Check.equal(child.text(), "zero 0\n", "argv[0]")
    },
  },
  "arg0-is-seen-on-a-pty": {
    requires: ["arg0", "pty"],
    says: "A child on a PTY sees arg0 as argv[0].",
    run: async (t) => {
      const child = await t.run({ argv: ["/bin/sh", "-c", "echo $0"], arg0: "-sh", pty: true })
      Check.equal(child.text(), "-sh\r\n", "argv[0]")
    },
  },
  "directory-exact": {
    says: "A child runs in the directory of its spec, also one with blanks and non-ASCII letters.",
    run: async (t) => {
      const cwd = join(t.folder, "a b ü")
      mkdirSync(cwd)
      for (const directory of [cwd, "/"]) {
        const child = await t.run({ argv: ["/bin/pwd"], cwd: directory })
        Check.equal(child.text(), `${directory}\n`, "the directory")
      }
    },
  },
  "directory-exact-on-a-pty": {
    requires: ["pty"],
    says: "A child on a PTY runs in the directory of its spec.",
    run: async (t) => {
      const child = await t.run({ argv: ["/bin/pwd"], cwd: t.folder, pty: true })
      Check.equal(child.text(), `${t.folder}\r\n`, "the directory")
    },
  },
  "environment-exact": {
    says: `A child has the variables of its spec and no other: empty, multi-line and non-ASCII values, names
      with blanks.`,
    run: async (t) => {
      const env = { PATH: path, B: "ü\n1", "x y": "", empty: "", D: "=a=" }
      const child = await t.run({ argv: ["/usr/bin/env", "-0"], env })
      const wanted = Object.entries(env).map(([name, value]) => `${name}=${value}`)
      Check.equal(child.text().split("\0").slice(0, -1).sort(), wanted.sort(), "the environment")
    },
  },
  "environment-exact-on-a-pty": {
    requires: ["pty"],
    says: "A child on a PTY has the variables of its spec and no other, not even TERM.",
    run: async (t) => {
      const child = await t.run({ argv: ["/usr/bin/env"], env: { A: "1", B: "2" }, pty: true })
      Check.equal(child.text().split("\r\n").sort(), ["", "A=1", "B=2"], "the environment")
    },
  },
  "environment-empty": {
    says: "A child with an empty environment has no variable at all.",
    run: async (t) => {
      const child = await t.run({ argv: ["/usr/bin/env"], env: {} })
      Check.equal(child.text(), "", "the environment")
    },
  },
  "large-environment-and-many-arguments": {
    says: "2000 variables of 200 bytes and 5000 arguments arrive whole.",
    run: async (t) => {
      const env = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`V${i}`, "v".repeat(200)]))
      const args = Array.from({ length: 5_000 }, (_, i) => `${i}`)
      const child = await t.run({ argv: sh("/usr/bin/env; echo $#", ...args), env })
      const printed = child.text().split("\n")
      Check.equal(printed.filter((line) => /^V\d+=v{200}$/.test(line)).length, 2_000, "whole variables")
      Check.equal(printed.at(-2) ?? "", "5000", "the number of arguments")
    },
  },
  "found-in-the-path-of-the-spec": {
    says: "A bare name is looked up in the PATH of the spec, not in that of the spawner.",
    run: async (t) => {
      writeFileSync(join(t.folder, "procwire-tool"), "#!/bin/sh\necho found\n", { mode: 0o755 })
      const child = await t.run({ argv: ["procwire-tool"], env: { PATH: `/nowhere:${t.folder}:${path}` } })
      Check.equal(child.text(), "found\n", "stdout")
      const error = await t.refused({ argv: ["procwire-tool"] })
      Check.equal(error.reason, "NotFound", "the reason without that PATH")
    },
  },
  "found-as-execvp-finds": {
    level: "should",
    says: `A relative or empty entry of PATH is resolved against the directory of the spec; without PATH the
      default path of the system is searched.`,
    run: async (t) => {
      writeFileSync(join(t.folder, "procwire-tool"), "#!/bin/sh\necho found\n", { mode: 0o755 })
      for (const PATH of [".", "/nowhere:"]) {
        const child = await t.run({ argv: ["procwire-tool"], cwd: t.folder, env: { PATH } })
        Check.equal(child.text(), "found\n", `stdout with the PATH ${PATH}`)
      }
      const child = await t.run({ argv: ["echo", "x"], env: {} })
      Check.equal(child.text(), "x\n", "stdout without PATH")
    },
  },
  "relative-to-the-directory": {
    says: "A relative path with a slash is looked up in the directory of the spec.",
    run: async (t) => {
      writeFileSync(join(t.folder, "tool"), "#!/bin/sh\necho found\n", { mode: 0o755 })
      const child = await t.run({ argv: ["./tool"], cwd: t.folder })
      Check.equal(child.text(), "found\n", "stdout")
    },
  },
  // guards: descriptors
  "descriptors-are-three": {
    requires: ["procfs"],
    says: "A child has the descriptors 0, 1 and 2 and no other of the spawner, while children with open pipes run.",
    run: async (t) => {
      for (let i = 0; i < 3; i++) await t.start({ argv: sh(t.idle) })
      await seesThree(t, false)
    },
  },
  // guards: descriptors
  "descriptors-are-three-beside-ptys": {
    requires: ["procfs", "pty", "pipeStdin"],
    says: "A child on pipes or on a PTY has three descriptors while children on PTYs and with open stdin run.",
    run: async (t) => {
      await t.start({ argv: sh(t.idle), pty: true })
      await t.start({ argv: ["cat"], stdin: true })
      for (const pty of [true, false]) await seesThree(t, pty)
    },
  },
  "signals-are-default": {
    level: "should",
    requires: ["procfs"],
    says: "A child starts with no signal ignored and none blocked.",
    run: async (t) => {
      const child = await t.run({ argv: ["grep", "-E", "^Sig(Ign|Blk)", "/proc/self/status"] })
      const masks = child.text().split("\n").slice(0, -1)
      Check.equal(
        masks.map((line) => /:\s*0+$/.test(line)),
        [true, true],
        masks.join(", "),
      )
    },
  },
})
