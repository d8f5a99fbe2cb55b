import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { FileSystem, type WatchEvent } from "effect/FileSystem"
import * as Option from "effect/Option"
import type { PlatformError } from "effect/PlatformError"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { expect, it } from "vitest"
import * as Folder from "../testing/Folder.ts"
import { onEachServer } from "../testing/PlatformServices.ts"

const utf8 = new TextEncoder()

const failing = <A, R>(effect: Effect.Effect<A, PlatformError, R>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => `${reason._tag} ${reason.module}.${reason.method}`)

onEachServer("FileSystem", (run) => {
  /** Runs a program with the service. */
  const using = <A, E>(use: (fs: FileSystem) => Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
    run(Effect.flatMap(FileSystem, use))

  it("reads, writes and tells about files", async () => {
    const { at, sh } = Folder.make("mkdir d")
    const found = await using((fs) =>
      Effect.gen(function* () {
        yield* fs.writeFileString(at("a"), "héllo")
        yield* fs.writeFile(at("b"), Uint8Array.of(0, 255))
        expect(yield* fs.readFileString(at("a"))).toBe("héllo")
        expect(yield* fs.readFile(at("b"))).toEqual(Uint8Array.of(0, 255))
        expect(yield* fs.exists(at("none"))).toBe(false)
        expect(yield* fs.exists(at("a"))).toBe(true)
        yield* fs.access(at("a"), { readable: true })
        yield* fs.access(at("d"), { readable: true })
        return [yield* fs.stat(at("a")), yield* fs.stat(at("d"))]
      }),
    )
    expect(sh("cat a")).toBe("héllo")
    expect(found.map(({ type }) => type)).toEqual(["File", "Directory"])
    expect(found[0]?.size).toBe(6n)
    const seconds = Number(sh("stat -c %Y a"))
    expect(Math.floor(Option.getOrThrow(found[0]?.mtime ?? Option.none()).getTime() / 1000)).toBe(seconds)
  })

  it("makes, lists, copies and removes folders", async () => {
    const { at, path, sh } = Folder.make(
      "mkdir -p s/deep; echo new > s/x; echo new > s/y; ln -s .. s/deep/up",
    )
    await using((fs) =>
      Effect.gen(function* () {
        yield* fs.makeDirectory(at("one/two"), { recursive: true })
        expect(yield* failing(fs.makeDirectory(at("one")))).toBe("AlreadyExists FileSystem.makeDirectory")
        expect((yield* fs.readDirectory(path)).sort()).toEqual(["one", "s"])
        const all = yield* fs.readDirectory(at("s"), { recursive: true })
        expect(all.sort()).toEqual(["deep", "deep/up", "x", "y"])
        yield* fs.makeDirectory(at("t"))
        yield* fs.writeFileString(at("t/x"), "old\n")
        yield* fs.copy(at("s"), at("t"))
        expect(sh("cat t/x t/y")).toBe("old\nnew\n")
        yield* fs.copy(at("s/x"), at("t/x"), { overwrite: true })
        yield* fs.copyFile(at("s/x"), at("z"))
        expect(sh("cat t/x z")).toBe("new\nnew\n")
        expect(yield* fs.realPath(at("s/deep/up"))).toBe(at("s"))
        expect(yield* failing(fs.remove(at("none")))).toBe("NotFound FileSystem.remove")
        expect(yield* failing(fs.remove(at("s")))).toMatch(/FileSystem.remove$/)
        yield* fs.remove(at("none"), { force: true })
        yield* fs.remove(at("s"), { recursive: true })
        yield* fs.truncate(at("z"))
        expect(yield* failing(fs.truncate(at("none")))).toBe("NotFound FileSystem.truncate")
      }),
    )
    expect(sh("ls; wc -c < z")).toBe("one\nt\nz\n0\n")
  })

  it("reads and writes open files at a position", async () => {
    const { at, sh } = Folder.make("printf 0123456789 > a")
    await using((fs) =>
      Effect.gen(function* () {
        const file = yield* fs.open(at("a"))
        const buffer = new Uint8Array(4)
        expect(yield* file.read(buffer)).toBe(4)
        expect(buffer).toEqual(utf8.encode("0123"))
        yield* file.seek(2n, "current")
        expect(Option.getOrThrow(yield* file.readAlloc(2))).toEqual(utf8.encode("67"))
        expect(yield* file.read(buffer, { position: 6n })).toBe(4)
        expect(buffer).toEqual(utf8.encode("6789"))
        expect(Option.getOrThrow(yield* file.readAlloc(1, { position: 0n }))).toEqual(utf8.encode("0"))
        expect(Option.getOrThrow(yield* file.readAlloc(1))).toEqual(utf8.encode("8"))
        expect(yield* failing(file.seek(-1n, "start"))).toBe("BadArgument FileSystem.seek")
        expect(yield* failing(file.read(buffer, { position: -1n }))).toBe("BadArgument FileSystem.read")
        expect(yield* file.seek(9n, "start")).toBe(9n)
        expect(Option.getOrThrow(yield* file.readAlloc(5))).toEqual(utf8.encode("9"))
        expect(yield* file.readAlloc(5)).toEqual(Option.none())
        expect((yield* file.stat).size).toBe(10n)
        const written = yield* fs.open(at("b"), { flag: "w" })
        expect(yield* written.write(utf8.encode("abcdef"))).toBe(6)
        yield* written.seek(2n, "start")
        yield* written.writeAll(utf8.encode("CD"))
        const part = fs.stream(at("a"), { offset: 3, bytesToRead: 4, chunkSize: 3 })
        expect([...(yield* Stream.runCollect(part))].map((bytes) => bytes.length)).toEqual([3, 1])
        yield* Stream.run(Stream.make(utf8.encode("x"), utf8.encode("y")), fs.sink(at("c")))
      }),
    )
    expect(sh("cat b c")).toBe("abCDefxy")
  })

  it("tells links from what they lead to, and finds files by a pattern", async () => {
    const { at, path } = Folder.make(
      "mkdir -p d/deep; touch d/a.txt d/deep/b.txt d/c; ln -s deep d/up; ln -s none d/lost; mkfifo d/pipe",
    )
    await using((fs) =>
      Effect.gen(function* () {
        const found = yield* fs.readDirectoryEntries(at("d"))
        expect(found.map(({ name, type }) => `${name} ${type}`).sort()).toEqual([
          "a.txt File",
          "c File",
          "deep Directory",
          "lost SymbolicLink",
          "pipe Unknown",
          "up SymbolicLink",
        ])
        expect((yield* fs.lstat(at("d/up"))).type).toBe("SymbolicLink")
        expect((yield* fs.stat(at("d/up"))).type).toBe("Directory")
        expect((yield* fs.lstat(at("d/c"))).type).toBe("File")
        const glob = (pattern: string) =>
          Effect.map(fs.glob(pattern, { root: path }), (names) => names.sort())
        expect(yield* glob("d/**/*.txt")).toEqual(["d/a.txt", "d/deep/b.txt"])
        expect(yield* glob("d/up/*.txt")).toEqual(["d/up/b.txt"])
        expect(yield* glob("none/*.txt")).toEqual([])
        expect(yield* glob("d/none")).toEqual([])
        expect(yield* glob("d/p*")).toEqual(["d/pipe"])
      }),
    )
  })

  it("makes temporary files and folders on the host, and removes those of a scope", async () => {
    const { path, sh } = Folder.make()
    await using((fs) =>
      Effect.gen(function* () {
        const kept = yield* fs.makeTempDirectory({ directory: path, prefix: "kept-" })
        const file = yield* fs.makeTempFile({ directory: kept, suffix: ".txt" })
        expect(yield* fs.readFileString(file)).toBe("")
        expect(file.startsWith(`${kept}/`) && file.endsWith(".txt")).toBe(true)
        const scope = yield* Scope.make()
        const made = yield* Scope.provide(fs.makeTempDirectoryScoped(), scope)
        const inner = yield* Scope.provide(fs.makeTempFileScoped({ directory: made }), scope)
        expect(yield* fs.exists(inner)).toBe(true)
        yield* Scope.close(scope, Exit.void)
        expect(yield* fs.exists(made)).toBe(false)
      }),
    )
    expect(sh("ls | cut -c 1-5")).toBe("kept-\n")
  })

  it("watches what appears, changes and vanishes", async () => {
    const { at, path } = Folder.make("mkdir d")
    /** The first event of a watch, while `change` is made with another number again and again. */
    const seen = (
      watched: string,
      recursive: boolean,
      change: (fs: FileSystem, n: number) => Effect.Effect<void, PlatformError>,
    ) =>
      using((fs) => {
        let n = 0
        const changing = Effect.forever(
          Effect.andThen(
            Effect.suspend(() => change(fs, (n += 1))),
            Effect.sleep(1),
          ),
        )
        const first = Stream.runHead(fs.watch(watched, { recursive }))
        return Effect.map(Effect.raceFirst(first, changing), (event): WatchEvent => Option.getOrThrow(event))
      })
    const created = await seen(path, true, (fs, n) => fs.writeFileString(at(`d/${n}`), ""))
    expect(created._tag).toBe("Create")
    expect(created.path.startsWith(at("d/"))).toBe(true)
    await using((fs) => fs.writeFileString(at("f"), ""))
    const grown = await seen(at("f"), false, (fs, n) => fs.writeFileString(at("f"), "x".repeat(n)))
    expect(grown).toEqual({ _tag: "Update", path: at("f") })
    const gone = await seen(at("d"), false, (fs, n) => fs.remove(at(`d/${n}`), { force: true }))
    expect(gone._tag).toBe("Remove")
    const ready = await using((fs) => {
      const installed = Deferred.makeUnsafe<void>()
      const onReady = () => Deferred.doneUnsafe(installed, Exit.void)
      const watching = Stream.runHead(fs.watch(path, { onReady }))
      return Effect.gen(function* () {
        const first = yield* Effect.forkChild(watching)
        yield* Deferred.await(installed)
        yield* fs.writeFileString(at("after"), "")
        return Option.getOrThrow(yield* Fiber.join(first))
      })
    })
    expect(ready).toEqual({ _tag: "Create", path: at("after") })
    const none = await using((fs) => failing(Stream.runDrain(fs.watch(at("none")))))
    expect(none).toBe("NotFound FileSystem.watch")
  })

  it("fails with the errors of the platform", async () => {
    const { at, path } = Folder.make("touch f")
    await using((fs) =>
      Effect.gen(function* () {
        expect(yield* failing(fs.readFile(at("none")))).toBe("NotFound FileSystem.readFile")
        expect(yield* failing(fs.open(at("none")))).toBe("NotFound FileSystem.open")
        expect(yield* failing(fs.readFile(path))).toMatch(/^BadResource/)
        expect(yield* failing(fs.readDirectory(at("f")))).toBe("BadResource FileSystem.readDirectory")
        expect(yield* failing(fs.stat(at("f/x")))).toMatch(/^BadResource/)
      }),
    )
  })

  it("renames, sets modes and makes links", async () => {
    const { at, sh } = Folder.make("echo a > a; echo b > b")
    await using((fs) =>
      Effect.gen(function* () {
        yield* fs.rename(at("a"), at("b"))
        yield* fs.chmod(at("b"), 0o751)
        yield* fs.symlink("b", at("l"))
        expect(yield* failing(fs.symlink("b", at("l")))).toBe("AlreadyExists FileSystem.symlink")
        expect(yield* failing(fs.rename(at("none"), at("x")))).toBe("NotFound FileSystem.rename")
      }),
    )
    expect(sh("ls; cat l; stat -c %a b")).toBe("b\nl\na\n751\n")
  })

  it("refuses by name what the wire lacks", async () => {
    const { at, sh } = Folder.make("echo kept > f; ln -s f l")
    const f = at("f")
    const bytes = utf8.encode("x")
    const refused = await using((fs) =>
      Effect.forEach(
        [
          fs.chown(f, 0, 0),
          fs.link(f, at("h")),
          fs.readLink(at("l")),
          fs.utimes(f, 0, 0),
          fs.truncate(f, 2),
          fs.access(f, { writable: true }),
          fs.makeDirectory(at("d"), { mode: 0o700 }),
          fs.copy(f, at("g"), { preserveTimestamps: true }),
          fs.writeFile(f, bytes, { flag: "a" }),
          fs.writeFile(f, bytes, { mode: 0o600 }),
          fs.open(f, { flag: "r+" }),
          fs.open(f, { noFollow: true }),
          Effect.flatMap(fs.open(f), ({ sync }) => sync),
          Effect.flatMap(fs.open(f), ({ truncate }) => truncate(1)),
        ],
        (effect) => failing<unknown, Scope.Scope>(effect),
      ),
    )
    const methods =
      "chown link readLink utimes truncate access makeDirectory copy writeFile writeFile open open sync truncate"
    expect(refused).toEqual(methods.split(" ").map((method) => `BadArgument FileSystem.${method}`))
    expect(sh("ls; cat f")).toBe("f\nl\nkept\n")
  })
})
