import { describe, expect, it } from "vitest"
import { name } from "../../testing/Runtime.ts"
import * as OsError from "../host/OsError.ts"
import * as Folder from "../testing/Folder.ts"
import type { Calls } from "./Calls.ts"
import * as NodeCalls from "./NodeCalls.ts"
import { renameNew } from "./RenameNew.ts"

const setup = "printf a >a; printf b >b; mkdir d e; : >d/x; ln -s a l; ln -s none gone; mkfifo p"

/** The error that a promise rejects with, by its code. */
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code,
  )

/** The calls of this runtime without the one of Linux, and others instead of some. */
const calls = (change: Partial<Calls> = {}): Calls => ({ ...NodeCalls.make(), ...change })
const refuses = (code: string) => () => Promise.reject(OsError.coded(code))

describe(`rename to a new name on ${name}, without the system call for it`, () => {
  it("moves a file, a folder, a pipe and links as they are", async () => {
    const { at, sh } = Folder.make(setup)
    const inode = sh("stat -c %i a d p")
    for (const from of ["a", "d", "p", "l", "gone"]) await renameNew(calls(), at(from), at(`new-${from}`))
    expect(sh("stat -c %i new-a new-d new-p")).toBe(inode)
    expect(sh("readlink new-l new-gone; ls -A; ls new-d")).toBe(
      "a\nnone\nb\ne\nnew-a\nnew-d\nnew-gone\nnew-l\nnew-p\nx\n",
    )
  })

  it("replaces nothing, whatever is there", async () => {
    const { at, sh } = Folder.make(setup)
    for (const from of ["a", "d", "p", "l"])
      for (const to of ["b", "e", "gone", from])
        expect([from, to, await codeOf(renameNew(calls(), at(from), at(to)))]).toEqual([from, to, "EEXIST"])
    expect(await codeOf(renameNew(calls(), at("none"), at("b")))).toBe("ENOENT")
    expect(sh("cat a b; ls -A; ls e")).toBe("aba\nb\nd\ne\ngone\nl\np\n")
  })

  it("leaves everything as it was if the old name cannot be removed", async () => {
    const { at, sh } = Folder.make(setup)
    const removed: Array<string> = []
    const sticky = calls({
      removeFile: (path) => {
        removed.push(path)
        return path === at("a") ? refuses("EPERM")() : NodeCalls.make().removeFile(path)
      },
      rename: refuses("EXDEV"),
    })
    expect(await codeOf(renameNew(sticky, at("a"), at("new")))).toBe("EPERM")
    expect(removed).toEqual([at("a"), at("new")])
    expect(await codeOf(renameNew(sticky, at("d"), at("new")))).toBe("EXDEV")
    expect(sh("ls -A")).toBe("a\nb\nd\ne\ngone\nl\np\n")
  })

  it("looks before it renames where a file can have no second name", async () => {
    const { at, sh } = Folder.make(setup)
    const fat = calls({ linkFile: refuses("EPERM") })
    expect(await codeOf(renameNew(fat, at("a"), at("b")))).toBe("EEXIST")
    await renameNew(fat, at("a"), at("c"))
    expect(sh("cat b c; ls -A")).toBe("bab\nc\nd\ne\ngone\nl\np\n")
  })

  it("goes on where the file system lacks the call, and not if the call says what is wrong", async () => {
    const { at, sh } = Folder.make(setup)
    await renameNew(calls({ renameNew: refuses("EINVAL") }), at("a"), at("c"))
    expect(await codeOf(renameNew(calls({ renameNew: refuses("EEXIST") }), at("b"), at("z")))).toBe("EEXIST")
    expect(await codeOf(renameNew(calls(), at("d"), at("d/new")))).toBe("EINVAL")
    expect(sh("ls -A; ls d")).toBe("b\nc\nd\ne\ngone\nl\np\nx\n")
  })
})
