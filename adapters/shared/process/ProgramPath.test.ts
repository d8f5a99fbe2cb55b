import { constants } from "node:os"
import { expect, test } from "vitest"
import type * as Spawner from "../../../core/spawn/Spawner.ts"
import { Errno, search, toSpawnError } from "./ProgramPath.ts"

const { E2BIG, EACCES, ENAMETOOLONG, ENOENT, ENOTDIR } = constants.errno

/** The result of a search and the paths that it checked, on a system with these answers. */
const find = (
  program: string,
  path: string | undefined,
  answers: Record<string, number> = {},
  more: Partial<Spawner.SpawnSpec> = {},
) => {
  const spec: Spawner.SpawnSpec = {
    argv: [program],
    cwd: "/home",
    env: path === undefined ? {} : { PATH: path },
    stdio: { kind: "pipe", stdin: false },
    ...more,
  }
  const looked: Array<string> = []
  const access = (place: string) => {
    looked.push(place)
    return answers[place] ?? (place === "/home/." ? 0 : ENOENT)
  }
  const result = search(spec, access, (place) =>
    answers[`exec ${place}`] ? new Errno(answers[`exec ${place}`] ?? 0) : place,
  )
  return {
    looked,
    result: result instanceof Errno ? result.errno : result,
    ...(more.arg0 !== undefined && result instanceof Errno && { text: toSpawnError(result).message }),
  }
}

/** The same on a PTY with an `arg0`. */
const findOnPty = (program: string, path: string | undefined, answers?: Record<string, number>) => {
  const stdio = { kind: "pty", size: { rows: 24, columns: 80 } } as const
  const { looked: _, ...found } = find(program, path, answers, { arg0: "zero", stdio })
  return found
}

test("a name with a slash is not searched for", () => {
  expect(find("./a", "/bin")).toEqual({ looked: [], result: "./a" })
})

test("the first place that may be executed wins, and places may be relative to the directory", () => {
  expect(find("a", "/x:b::/y", { "/home/b/a": 0 })).toEqual({ looked: ["/x/a", "/home/b/a"], result: "b/a" })
  expect(find("a", ":/y", { "/home/a": 0 }).result).toBe("a")
})

test("without a PATH the places are those of musl", () => {
  const looked = ["/usr/local/bin/a", "/bin/a", "/usr/bin/a", "/home/."]
  expect(find("a", undefined)).toEqual({ looked, result: ENOENT })
})

test("an empty PATH is the directory, and nothing else", () => {
  expect(find("a", "", { "/home/a": 0, "/bin/a": 0 })).toEqual({ looked: ["/home/a"], result: "a" })
  expect(find("a", "", { "/bin/a": 0 })).toEqual({ looked: ["/home/a", "/home/."], result: ENOENT })
})

test("a name that no folder can hold is not searched for, and a place that no path can have is passed over", () => {
  const long = "x".repeat(256)
  expect(find(long, "/x")).toEqual({ looked: ["/home/."], result: ENAMETOOLONG })
  expect(find("ä".repeat(128), "/x").result).toBe(ENAMETOOLONG)
  expect(find("x".repeat(255), "/x").result).toBe(ENOENT)
  expect(find("a", `/${"x".repeat(4096)}:/y`, { "/y/a": 0 })).toEqual({ looked: ["/y/a"], result: "/y/a" })
})

test("a place that is denied is passed over, and reported if there is no other", () => {
  expect(find("a", "/x:/y", { "/x/a": EACCES, "/y/a": 0 }).result).toBe("/y/a")
  expect(find("a", "/x:/y", { "/x/a": EACCES }).result).toBe(EACCES)
  expect(find("a", "/x:/y", { "/x/a": 0, "exec /x/a": ENOENT, "/y/a": 0 }).result).toBe("/y/a")
})

test("a failure that another place cannot mend ends the search", () => {
  expect(find("a", "/x:/y", { "/x/a": 0, "exec /x/a": E2BIG, "/y/a": 0 }).result).toBe(E2BIG)
})

test("a directory that cannot be entered is reported before a missing program", () => {
  expect(find("a", "/x", { "/home/.": ENOTDIR }).result).toBe(ENOTDIR)
  expect(find("a", "/x", { "/home/.": ENOTDIR, "/x/a": 0, "exec /x/a": E2BIG }).result).toBe(ENOTDIR)
  expect(find("x".repeat(256), "/x", { "/home/.": ENOTDIR }).result).toBe(ENOTDIR)
})

test("on a PTY with an arg0, a path is absolute or begins with a dot, and fails as it does", () => {
  for (const program of ["/x/a", "./a", "../a", ".", ".."]) {
    expect(findOnPty(program, undefined)).toEqual({ result: program })
    expect(findOnPty(program, "/x", { [`exec ${program}`]: EACCES }).result).toBe(EACCES)
  }
  const noFolder = { "exec ./a": ENOTDIR, "exec /x/a": ENOTDIR, "/home/.": ENOTDIR }
  expect(findOnPty("./a", "/x", noFolder).result).toBe(ENOENT)
  expect(findOnPty("/x/a", "/x", noFolder).result).toBe(ENOTDIR)
  expect(findOnPty("./a", "/x", { "exec ./a": ENOTDIR }).result).toBe(ENOTDIR)
})

test("on a PTY with an arg0, the first file in the PATH is the program, whatever its start says", () => {
  expect(findOnPty("b/a", "/x:/y:/z", { "/y/b/a": 0, "/z/b/a": 0 })).toEqual({ result: "/y/b/a" })
  expect(findOnPty("a", "/x:/y", { "/x/a": 0, "exec /x/a": ENOENT, "/y/a": 0 }).result).toBe(ENOENT)
  expect(findOnPty("a", "/x:/y", { "/x/a": 0, "/x/a/.": 0, "/y/a": 0 })).toEqual({ result: "/y/a" })
  expect(findOnPty("a", "/x:", { "/x/a": EACCES, "/home/a": 0 })).toEqual({ result: "/home/a" })
  expect(findOnPty("a", "b", { "/home/b/a": 0 })).toEqual({ result: "/home/b/a" })
})

test("on a PTY with an arg0, a program that is not in the PATH is told so, and so is a missing PATH", () => {
  for (const program of ["a", "b/a", ".a", "x".repeat(300)])
    expect(findOnPty(program, "/x:").text).toBe(`Unable to find executable ${program} in PTY PATH`)
  expect(findOnPty("a", undefined).text).toBe("Unable to resolve the PATH")
})
