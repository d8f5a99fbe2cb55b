/** Cases about the confinement of a spec: what a child may write, read and reach. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Confinement } from "../../../core/protocol/Confinement.ts"
import * as Check from "../../suite/Check.ts"
import { table, type SpawnerContext } from "../SpawnerContext.ts"
import { sh } from "../SpawnedChild.ts"

/** Everything is readable and `open` in the folder of the case writable, unless `more` says otherwise. */
const confine = (
  t: SpawnerContext,
  more: Readonly<Record<string, Confinement["places"][number]["access"]>> = {},
): Confinement => {
  const open = join(t.folder, "open")
  mkdirSync(open, { recursive: true })
  const others = Object.entries(more).map(([name, access]) => ({ path: join(t.folder, name), access }))
  return {
    places: [{ path: "/", access: "read" }, { path: open, access: "write" }, ...others],
    network: false,
  }
}

/** A child reads a file beside a place without access, and not the one in it. */
const hides = async (t: SpawnerContext, pty: boolean): Promise<void> => {
  mkdirSync(join(t.folder, "closed"))
  writeFileSync(join(t.folder, "closed", "file"), "hidden content")
  writeFileSync(join(t.folder, "beside"), "visible content")
  const script = `cat '${t.folder}/beside' '${t.folder}/closed/file'; :`
  const child = await t.run({ argv: sh(script), pty, confinement: confine(t, { closed: "none" }) })
  Check.isTrue(child.text().includes("visible content"), "what is beside the place cannot be read")
  Check.isTrue(!child.text().includes("hidden content"), "the place without access was read")
}

export const confinement = table("spawner/confine", {
  "writes-what-it-may": {
    requires: ["confine"],
    says: "A confined child, and a descendant in a session of its own, writes to a writable place and nowhere else.",
    run: async (t) => {
      const make = (name: string) => `: >'${t.folder}/open/${name}'; : >'${t.folder}/${name}'`
      const script = `cd /; (${make("child")}); setsid sh -c "${make("descendant")}"; :`
      await t.run({ argv: sh(script), confinement: confine(t) })
      Check.equal(readdirSync(join(t.folder, "open")).sort(), ["child", "descendant"], "files in the place")
      const outside = ["child", "descendant"].filter(t.has)
      Check.equal(outside, [], "files that were made outside of the place")
    },
  },
  "links-lead-nowhere": {
    requires: ["confine"],
    says: "A symbolic link in a writable place makes nothing else writable.",
    run: async (t) => {
      const script = `ln -s '${t.folder}' '${t.folder}/open/link' && : >'${t.folder}/open/link/made'; :`
      await t.run({ argv: sh(script), confinement: confine(t) })
      Check.isTrue(!t.has("made"), "a file was made outside of the place, through a link")
    },
  },
  "hides-what-it-has-to": {
    requires: ["confine"],
    says: "A place without access cannot be read.",
    run: (t) => hides(t, false),
  },
  "hides-what-it-has-to-on-a-pty": {
    requires: ["confine", "pty"],
    says: "A child on a PTY cannot read a place without access.",
    run: (t) => hides(t, true),
  },
  "has-no-network": {
    requires: ["confine", "procfs"],
    says: "Without a network a confined child has at most the loopback interface.",
    run: async (t) => {
      const script = "cut -d: -f1 /proc/self/net/dev | sed 1,2d | tr -d ' '"
      const child = await t.run({ argv: sh(script), confinement: confine(t) })
      const interfaces = child
        .text()
        .split("\n")
        .filter((name) => name !== "" && name !== "lo")
      Check.equal(interfaces, [], "interfaces beside loopback")
    },
  },
})
