// @ts-check
// Files that the client reads and writes through the server.
import assert from "node:assert/strict"
import { existsSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** @param {readonly string[]} lines */
export const patch = (...lines) => ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n")

/** A red dot. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==",
  "base64",
)

/** @type {Record<string, import("./index.mjs").Scenario>} */
export const scenarios = {
  "apply-patch": {
    says: "A patch adds, updates, moves and deletes files, also in folders that do not exist yet.",
    run: async (t) => {
      /** @param {string} name */
      const at = (name) => join(t.folder, name)
      writeFileSync(at("old"), "one\ntwo\nthree\n", { mode: 0o755 })
      writeFileSync(at("moved"), "a\nb\n")
      writeFileSync(at("gone"), "x\n")
      await t.begin()
      const text = await t.call(
        "apply_patch",
        patch(
          "*** Add File: new/deep/file 🦊.txt",
          "+hello",
          "+žluťoučký",
          "*** Update File: old",
          "@@",
          " one",
          "-two",
          "+TWO",
          " three",
          "*** Update File: moved",
          "*** Move to: other/place/moved",
          "@@",
          " a",
          "-b",
          "+B",
          "*** Delete File: gone",
        ),
      )
      assert.match(text, /Success\. Updated the following files:/)
      for (const line of ["A new/deep/file 🦊.txt", "M old", "D gone"]) assert.ok(text.includes(line), text)
      assert.equal(readFileSync(at("new/deep/file 🦊.txt"), "utf8"), "hello\nžluťoučký\n")
      assert.equal(readFileSync(at("old"), "utf8"), "one\nTWO\nthree\n")
      assert.equal(statSync(at("old")).mode & 0o777, 0o755)
      assert.equal(readFileSync(at("other/place/moved"), "utf8"), "a\nB\n")
      assert.equal(existsSync(at("moved")), false)
      assert.equal(existsSync(at("gone")), false)
    },
  },

  "apply-patch-refused": {
    says: "A patch that does not fit, or of a file that is not there, is an error for the model and changes nothing.",
    run: async (t) => {
      writeFileSync(join(t.folder, "file"), "one\n")
      await t.begin()
      const unfit = await t.call(
        "apply_patch",
        patch("*** Update File: file", "@@", "-nothing like this", "+x"),
      )
      assert.match(unfit, /Failed to find expected lines/)
      const missing = await t.call("apply_patch", patch("*** Update File: missing", "@@", "-a", "+b"))
      assert.match(missing, /No such file or directory \(os error 2\)/)
      const folder = await t.call("apply_patch", patch("*** Delete File: none"))
      assert.match(folder, /No such file or directory|Failed to/)
      assert.equal(readFileSync(join(t.folder, "file"), "utf8"), "one\n")
    },
  },

  "apply-patch-odd": {
    says: "Names that a URI has to escape, links, line ends of another system, and a missing last line end.",
    run: async (t) => {
      /** @param {string} name */
      const at = (name) => join(t.folder, name)
      const odd = "a %41#b?c+d&e;[f]\\'g.txt"
      writeFileSync(at(odd), "one\n")
      writeFileSync(at("dos"), "one\r\ntwo\r\n")
      writeFileSync(at("endless"), "one\ntwo")
      writeFileSync(at("real"), "one\n")
      symlinkSync("real", at("link"))
      await t.begin()
      const text = await t.call(
        "apply_patch",
        patch(
          ...[odd, "dos", "endless", "link"].flatMap((name) => [
            `*** Update File: ${name}`,
            "@@",
            "-one",
            "+ONE",
          ]),
          `*** Add File: ${odd}.d/${odd}`,
          "+new",
        ),
      )
      assert.match(text, /Success/)
      assert.equal(readFileSync(at(odd), "utf8"), "ONE\n")
      assert.match(readFileSync(at("dos"), "utf8"), /^ONE\r?\ntwo\r\n$/)
      assert.match(readFileSync(at("endless"), "utf8"), /^ONE\ntwo\n?$/)
      assert.equal(readFileSync(at("real"), "utf8"), "ONE\n")
      assert.ok(lstatSync(at("link")).isSymbolicLink())
      assert.equal(readFileSync(at(`${odd}.d/${odd}`), "utf8"), "new\n")
    },
  },

  "apply-patch-big": {
    says: "A line in the middle of a file of three megabytes is changed, and only that.",
    run: async (t) => {
      const lines = Array.from({ length: 100_000 }, (_, n) => `line ${n} with some words in it`)
      writeFileSync(join(t.folder, "big"), `${lines.join("\n")}\n`)
      await t.begin()
      const text = await t.call(
        "apply_patch",
        patch(
          "*** Update File: big",
          "@@",
          ` ${lines[49_999]}`,
          `-${lines[50_000]}`,
          "+changed",
          ` ${lines[50_001]}`,
        ),
      )
      assert.match(text, /Success/)
      lines[50_000] = "changed"
      assert.ok(readFileSync(join(t.folder, "big"), "utf8") === `${lines.join("\n")}\n`)
    },
  },

  "apply-patch-by-shell": {
    says: "A patch that the model hands to its shell is applied the same way.",
    run: async (t) => {
      await t.begin()
      const { text } = await t.exec(
        `apply_patch <<'EOF'\n${patch("*** Add File: made/here", "+by shell")}EOF`,
      )
      assert.match(text, /Success/)
      assert.equal(readFileSync(join(t.folder, "made/here"), "utf8"), "by shell\n")
    },
  },

  instructions: {
    says: "AGENTS.md of the repository, what overrides it, and skills behind a link are read through the server.",
    run: async (t) => {
      const inner = join(t.folder, "inner")
      mkdirSync(join(t.folder, ".git"))
      mkdirSync(inner)
      writeFileSync(join(t.folder, "AGENTS.md"), "Outer instruction.\n")
      writeFileSync(join(inner, "AGENTS.md"), "Overridden instruction.\n")
      writeFileSync(join(inner, "AGENTS.override.md"), "Inner instruction 漢.\n")
      mkdirSync(join(t.folder, "shelf/greet"), { recursive: true })
      writeFileSync(
        join(t.folder, "shelf/greet/SKILL.md"),
        "---\nname: greet\ndescription: Greets in a peculiar way.\n---\nSay hello.\n",
      )
      mkdirSync(join(t.folder, ".agents"))
      symlinkSync("../shelf", join(t.folder, ".agents/skills"))
      await t.begin({ args: ["-C", inner], prompt: "$greet" })
      const told = JSON.stringify(t.input())
      for (const words of [
        "Outer instruction.",
        "Inner instruction 漢.",
        "Greets in a peculiar way.",
        "Say hello.",
      ])
        assert.ok(told.includes(words), words)
      assert.ok(!told.includes("Overridden instruction."))
      assert.equal((await t.exec("pwd")).output, `${inner}\n`)
    },
  },

  "view-image": {
    says: "An image is read through the server, also of megabytes; a missing one is an error for the model.",
    run: async (t) => {
      writeFileSync(join(t.folder, "dot.png"), png)
      await t.begin()
      const seen = await t.call("view_image", { path: "dot.png" })
      assert.match(seen, /data:image\/png;base64,/)
      writeFileSync(join(t.folder, "big.png"), Buffer.concat([png, Buffer.alloc(5_000_000)]))
      const big = await t.call("view_image", { path: "big.png" })
      assert.ok(big.includes(png.toString("base64", 0, 60)), big.slice(0, 200))
      assert.match(
        await t.call("view_image", { path: "none.png" }),
        /unable to (locate|read) image|No such file/,
      )
      assert.match(await t.call("view_image", { path: "." }), /is not a file/)
    },
  },
}
