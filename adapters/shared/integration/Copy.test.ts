/** cli/: `procwire cp` between this machine and a server: bytes, modes, what is refused, and what is left of a cut. */
import * as fs from "node:fs"
import { describe, expect, it, vi } from "vitest"
import * as Proc from "../testing/Proc.ts"
import * as Program from "../testing/Program.ts"

const ok = { code: 0, stdout: "", stderr: "" }

const open = async () => {
  const program = Program.make()
  const url = (await program.call("up")).stdout.trim()
  await program.call("context", "add", "there", url)
  return program
}

describe("a copy", () => {
  it("has the bytes, modes and links of a file or a folder, both ways", async () => {
    const { call, folder } = await open()
    folder.sh(
      "head -c 3000001 /dev/urandom >a; chmod 751 a; mkdir -p d/e far; cp a d/e/x; ln -s x d/e/l; >'d/-b c'",
    )
    expect(await call("cp", "a", `there:${folder.at("far/b")}`)).toEqual(ok)
    expect(await call("cp", "d", `there:${folder.at("far")}`)).toEqual(ok)
    expect(await call("cp", `:${folder.at("far/b")}`, "back")).toEqual(ok)
    expect(await call("cp", `there:${folder.at("far/d/")}`, "e")).toEqual(ok)
    expect(
      folder.sh(
        "cmp a back; cmp a far/b; stat -c %a back far/b; diff -r --no-dereference d far/d; diff -r d e",
      ),
    ).toBe("751\n751\n")
    // A file that is there is replaced.
    folder.sh("echo new >a")
    expect(await call("cp", "a", `there:${folder.at("far/b")}`)).toEqual(ok)
    expect(fs.readFileSync(folder.at("far/b"), "utf8")).toBe("new\n")
    expect(folder.sh("ls -A far; ls -A | grep procwire- || true")).toBe("b\nd\n")
  })

  it("is of several, into a folder that is there, with -r or without", async () => {
    const { call, folder } = await open()
    folder.sh("echo a >a; echo b >b; mkdir d far near; echo x >d/x")
    const far = folder.at("far")
    expect(await call("cp", "-r", "a", "b", "d", `there:${far}`)).toEqual(ok)
    expect(await call("cp", `there:${far}/a`, `there:${far}/d`, "near")).toEqual(ok)
    expect(folder.sh("cat far/a far/b far/d/x near/a near/d/x")).toBe("a\nb\nx\na\nx\n")
    expect(await call("cp", "a", "b", `there:${far}/none`)).toEqual({
      code: 1,
      stdout: "",
      stderr: `procwire: there:${far}/none: several are copied into a folder that is there\n`,
    })
    expect((await call("cp", ":a", "there:b", ".")).stderr).toMatch(
      /^procwire: ':a' and 'there:b' are on two hosts/,
    )
  })

  it("is from stdin, and to stdout", async () => {
    const { call, feed, folder } = await open()
    const text = "line\n".repeat(300_000)
    expect(await feed(text, "cp", "-", `:${folder.at("new")}`)).toEqual(ok)
    expect(fs.readFileSync(folder.at("new"), "utf8")).toBe(text)
    expect(await call("cp", `there:${folder.at("new")}`, "-")).toEqual({ ...ok, stdout: text })
    expect(await call("cp", `there:${folder.at("none")}`, "-")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining(`procwire: there:${folder.at("none")}: `),
    })
    expect((await call("cp", "-", "a", `:${folder.at("x")}`)).stderr).toMatch(
      /^procwire: - is the only thing/,
    )
  })

  it("is refused with the value that cannot be, and changes nothing", async () => {
    const { call, folder } = await open()
    folder.sh("echo a >a; mkdir d far far/d")
    const far = folder.at("far")
    const cases: ReadonlyArray<readonly [string, string, number, string]> = [
      ["none", `there:${far}`, 1, "procwire: none: there is no such file"],
      [`there:${far}/none`, ".", 1, `procwire: there:${far}/none: there is no such file`],
      [
        "d",
        `there:${far}`,
        1,
        `procwire: there:${far}/d: there is a folder already; remove it, or name another`,
      ],
      ["a", `there:${far}/x/`, 1, `procwire: there:${far}/x/: there is no such folder`],
      ["d", "there:/dev/null", 1, "procwire: there:/dev/null: it is no regular file"],
      [
        "a",
        "b",
        2,
        "procwire: neither of 'a' and 'b' is on a host: exactly one of them is written HOST:PATH, and",
      ],
      ["a", "thre:x", 2, "procwire: invalid value 'thre' for '--host': it is no context and no host of"],
    ]
    for (const [from, to, code, message] of cases) {
      const ended = await call("cp", from, to)
      expect({ code: ended.code, stderr: ended.stderr.slice(0, message.length) }).toEqual({
        code,
        stderr: message,
      })
    }
    expect(folder.sh("ls -A far far/d")).toBe("far:\nd\n\nfar/d:\n")
  })

  it("that is cut off leaves nothing under its name", async () => {
    const { folder, start } = await open()
    folder.sh("mkdir far; truncate -s 3G big")
    const child = start("cp", "big", `there:${folder.at("far/big")}`)
    const ended = Proc.ended(child)
    await vi.waitFor(() => expect(folder.sh("find far -name big")).toContain("big"), { timeout: 60_000 })
    child.kill("SIGINT")
    expect(await ended).toBe(130)
    await vi.waitFor(() => expect(folder.sh("ls -A far")).toBe(""), { timeout: 60_000 })
  })
})
