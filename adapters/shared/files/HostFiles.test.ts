import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import type { FileError } from "../../../core/files/FileError.ts"
import { Files } from "../../../core/files/Files.ts"
import * as Paths from "../../../core/files/Paths.ts"
import { name, platform } from "../../testing/Runtime.ts"
import * as Folder from "../testing/Folder.ts"
import { until } from "../testing/TestChild.ts"

const files = Context.get(
  Effect.runSync(Layer.buildWithScope(platform.layerFiles, Effect.runSync(Scope.make()))),
  Files,
)
const run = <A>(effect: Effect.Effect<A, FileError, Scope.Scope>) => Effect.runPromise(Effect.scoped(effect))
const fails = async (effect: Effect.Effect<unknown, FileError, Scope.Scope>) => {
  const { reason, message } = await run(Effect.flip(Effect.scoped(effect)) as Effect.Effect<FileError>)
  return `${reason}: ${message}`
}
const bytes = (text: string) => new TextEncoder().encode(text)
const text = (content: Uint8Array) => new TextDecoder().decode(content)
const save = (path: string, content: string, follow = true) =>
  run(files.save(path, bytes(content), { follow }))
const read = (path: string, follow = true) =>
  run(Effect.flatMap(files.open(path, { access: "read", follow }), (file) => file.read(0n, 1000))).then(text)

describe(`the files of ${name}`, () => {
  it("names what the system refuses with its text and number", async () => {
    const { at } = Folder.make(": >a; mkdir d; : >d/x; ln -s l l; ln -s a la")
    const info = (path: string) => files.info(at(path), { follow: true })
    expect(await fails(info("none"))).toBe("NotFound: No such file or directory (os error 2)")
    expect(await fails(info("a/x"))).toBe("NotADirectory: Not a directory (os error 20)")
    expect(await fails(info("l"))).toBe("Other: Symbolic link loop (os error 40)")
    expect(await fails(info("x".repeat(300)))).toBe("Other: Filename too long (os error 36)")
    expect(await fails(files.makeFolder(at("d")))).toBe("AlreadyExists: File exists (os error 17)")
    expect(await fails(files.removeFolder(at("d")))).toBe("Other: Directory not empty (os error 39)")
    expect(await fails(files.open(at("d"), { access: "write", follow: true }))).toBe(
      "IsADirectory: Is a directory (os error 21)",
    )
    expect(await fails(files.open(at("la"), { access: "read", follow: false }))).toBe(
      "Other: Symbolic link loop (os error 40)",
    )
  })

  it("takes and gives names that are no UTF-8", async () => {
    const { at, sh } = Folder.make(`printf 5 >"$(printf 'x\\377\\376')"; ln -s "$(printf 'x\\377\\376')" l`)
    const strange = at("x\udcff\udcfe")
    expect(await read(strange)).toBe("5")
    expect(await run(files.list(at("")))).toEqual(
      expect.arrayContaining([
        { name: "x\udcff\udcfe", kind: "file" },
        { name: "l", kind: "link" },
      ]),
    )
    expect(await run(files.readLink(at("l")))).toBe("x\udcff\udcfe")
    expect(await run(files.canonicalize(at("l")))).toBe(strange)
    await save(strange, "new")
    await run(files.makeFolder(at("d\udcff")))
    await save(at("d\udcff/a"), "in")
    expect(sh("cat x*; cat d*/a")).toBe("newin")
    await run(files.removeFile(at("d\udcff/a")))
    await run(files.removeFolder(at("d\udcff")))
    await run(files.removeFile(strange))
    expect(sh("ls")).toBe("l\n")
  })

  it("tells kinds, sizes, modes, times and identity", async () => {
    const { at } = Folder.make(
      "printf abc >a; chmod 640 a; ln a b; ln -s a l; mkfifo p; TZ=UTC touch -t 196001010000.05 a",
    )
    const info = (path: string, follow = true) => run(files.info(at(path), { follow }))
    const a = await info("a")
    expect(a).toMatchObject({ kind: "file", size: 3, mode: 0o640, modifiedMs: Date.UTC(1960, 0, 1, 0, 0, 5) })
    expect(Math.abs(a.createdMs - Date.now())).toBeLessThan(60_000)
    expect((await info("b")).identity).toBe(a.identity)
    expect((await info("l")).identity).toBe(a.identity)
    expect((await info("l", false)).kind).toBe("link")
    expect((await info("p")).kind).toBe("other")
    const { version } = a
    await save(at("b"), "abd")
    expect((await info("a")).version).not.toBe(version)
  })

  it("reads and writes anywhere in an open file, also while it is being closed", async () => {
    const { at, sh } = Folder.make()
    const scope = Effect.runSync(Scope.make())
    const file = await run(
      Scope.provide(files.open(at("a"), { access: "write", create: 0o600, follow: true }), scope),
    )
    await run(file.write(5n, bytes("end")))
    await run(file.write(0n, bytes("abc")))
    const late = run(file.write(8n, new Uint8Array(5_000_000)))
    await run(Scope.close(scope, Exit.void))
    await late
    expect(sh("head -c 8 a | od -c | head -1; wc -c <a")).toContain("a   b   c  \\0  \\0   e   n   d")
    expect(sh("wc -c <a").trim()).toBe("5000008")
    const reader = files.open(at("a"), { access: "read", follow: true })
    expect((await run(Effect.flatMap(reader, (file) => file.read(5n, 3)))).length).toBe(3)
    expect(await run(Effect.flatMap(reader, (file) => file.read(2n ** 62n, 3)))).toEqual(new Uint8Array())
    expect(await fails(Effect.flatMap(reader, (file) => file.read(2n ** 64n - 1n, 3)))).toBe(
      "InvalidInput: Invalid argument (os error 22)",
    )
    expect(await fails(Effect.flatMap(reader, (file) => file.write(0n, bytes("x"))))).toBe(
      "Other: Bad file descriptor (os error 9)",
    )
  })

  it("opens a pipe without waiting for its other end", async () => {
    const { at } = Folder.make("mkfifo p")
    await run(files.open(at("p"), { access: "read", follow: true }))
    expect(await fails(files.open(at("p"), { access: "write", follow: true }))).toContain("(os error 6)")
  })

  it("goes no way over a link, whenever it is put there", async () => {
    const { at, sh } = Folder.make("mkdir -p d/e out; printf in >d/e/a; printf out >out/a; ln -s d/e l")
    expect(await fails(Paths.pin(files, at("l/a")))).toBe("NotADirectory: Not a directory (os error 20)")
    const content = Effect.flatMap(Paths.pin(files, at("d/e/a")), (pinned) => {
      sh("mv d/e d/f; ln -s ../out d/e")
      return Effect.map(
        Effect.flatMap(files.open(pinned, { access: "read", follow: false }), (file) => file.read(0n, 9)),
        text,
      )
    })
    expect(await run(content)).toBe("in")
  })

  it("renames, and replaces only what it is told to", async () => {
    const { at, sh } = Folder.make("printf a >a; printf b >b; mkdir d e f; : >d/x; : >f/y; ln -s a l")
    const rename = (from: string, to: string, overwrite: boolean) =>
      files.rename(at(from), at(to), { overwrite })
    const exists = "AlreadyExists: File exists (os error 17)"
    for (const [from, to] of [
      ["a", "b"],
      ["a", "l"],
      ["a", "d"],
      ["d", "e"],
      ["d", "b"],
      ["a", "a"],
    ] as const)
      expect(await fails(rename(from, to, false))).toBe(exists)
    expect(sh("cat a b; ls; ls d e f")).toBe("aba\nb\nd\ne\nf\nl\nd:\nx\n\ne:\n\nf:\ny\n")
    await run(rename("a", "l", true))
    await run(rename("d", "e", true))
    expect(sh("test ! -L l; cat l; ls; ls e")).toBe("ab\ne\nf\nl\nx\n")
    await run(rename("b", "c\udcff", false))
    await run(rename("c\udcff", "b", false))
    expect(await fails(rename("e", "f", true))).toBe("Other: Directory not empty (os error 39)")
    expect(await fails(rename("b", "f", true))).toBe("IsADirectory: Is a directory (os error 21)")
    expect(await fails(rename("e", "b", true))).toBe("NotADirectory: Not a directory (os error 20)")
    expect(await fails(rename("e", "e/in", false))).toBe("InvalidInput: Invalid argument (os error 22)")
    expect(await fails(rename("e", "e/in", true))).toBe("InvalidInput: Invalid argument (os error 22)")
    const gone = "NotFound: No such file or directory (os error 2)"
    for (const overwrite of [false, true]) {
      expect(await fails(rename("none", "x", overwrite))).toBe(gone)
      expect(await fails(rename("b", "none/x", overwrite))).toBe(gone)
      // No name can be moved into /proc, which is another file system.
      const away = files.rename(at("b"), "/proc/b", { overwrite })
      expect(await fails(away)).toBe("Other: Cross-device link (os error 18)")
    }
    expect(sh("ls")).toBe("b\ne\nf\nl\n")
  })

  it("sets modes of files and folders, and of what a link leads to", async () => {
    const { at, sh } = Folder.make(": >a; mkdir d; ln -s a l")
    await run(files.setMode(at("l"), 0o4751, { follow: true }))
    await run(files.setMode(at("d"), 0o1700, { follow: false }))
    expect(sh("stat -c %a a d")).toBe("4751\n1700\n")
    expect(await fails(files.setMode(at("l"), 0o600, { follow: false }))).toBe(
      "InvalidInput: path contains a symbolic link",
    )
    await run(files.setMode(at("a"), 0, { follow: false }))
    expect(sh("stat -c %a a")).toBe("0\n")
    expect(await fails(files.setMode(at("none"), 0, { follow: true }))).toContain("NotFound")
  })

  it("watches a folder", async () => {
    const { at, sh } = Folder.make()
    let changes = 0
    const changed = () => {
      sh(": >a; rm a")
      return changes > 0
    }
    const seen = Effect.promise(() => until(changed, "a change"))
    await run(
      Effect.andThen(
        files.watch(at(""), () => void changes++),
        seen,
      ),
    )
    expect(await fails(files.watch(at("none"), () => {}))).toContain("NotFound")
  })
})
