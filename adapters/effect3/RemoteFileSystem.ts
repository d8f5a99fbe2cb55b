/**
 * `FileSystem` of `@effect/platform` over the files of a client.
 *
 * Methods of the wire work as on the local host; any other is a `BadArgument` that names the method, and the command
 * that does the same. Of `stat`, what the wire does not tell is none, or 0.
 */
import type { PlatformError } from "@effect/platform/Error"
import * as PlatformFileSystem from "@effect/platform/FileSystem"
import * as Chunk from "effect/Chunk"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { maxBlockBytes } from "../../core/features/fs/FileBounds.ts"
import type { Client, ClientFile, ClientFiles } from "../node/index.ts"
import { call, isMissing, lacking } from "./Failure.ts"
import { toPath } from "./Paths.ts"

type Metadata = Awaited<ReturnType<ClientFiles["stat"]>>

const module = "FileSystem"

/** The shortest time between two looks of a watch. */
const shortest = Duration.millis(10)

/** The files of the server of `client`; a watch looks at them every `watchInterval`. */
export const make = (
  client: Client,
  watchInterval: Duration.DurationInput,
): PlatformFileSystem.FileSystem => {
  const { fs } = client
  const { place, stat, entries } = makeCalls(fs)
  const changes = client.environmentInfo.capabilities?.fsChange === true
  let opened = 0

  const info = (path: string) => Effect.map(stat("stat", path), toInfo)

  const { list, copyMissing } = makeTree(fs)

  const access: PlatformFileSystem.FileSystem["access"] = (path, options = {}) =>
    Effect.gen(function* () {
      const { isDirectory } = yield* stat("access", path)
      if (options.writable === true)
        return yield* lacks("access", "ask whether a file is writable", "test -w")
      if (options.readable !== true) return
      yield* isDirectory ? entries("access", path) : Effect.scoped(openFile(fs, "access", path, "read"))
    })

  return PlatformFileSystem.make({
    access,
    copy: (from, to, { overwrite = false, preserveTimestamps = false } = {}) => {
      if (preserveTimestamps) return lacks("copy", "preserve timestamps", "cp -pr")
      return overwrite ? place("copy", from)((how) => fs.copy(from, to, {}, how)) : copyMissing(from, to)
    },
    copyFile: (from, to) => place("copyFile", from)((how) => fs.copy(from, to, { recursive: false }, how)),
    makeDirectory: (path, { recursive = false, mode } = {}) =>
      mode === undefined
        ? place("makeDirectory", path)((how) => fs.createDirectory(path, { recursive }, how))
        : lacks("makeDirectory", "set the mode of a folder", "mkdir -m"),
    ...makeTemporary(client),
    open: (path, options = {}) =>
      Effect.suspend(() => openHandle(fs, path, options, (opened += 1), info(path))),
    readDirectory: (path, { recursive = false } = {}) =>
      Effect.map(list(path, "", recursive), (paths) => [...paths]),
    readFile: (path) => place("readFile", path)((how) => fs.readFile(path, {}, how)),
    realPath: (path) => place("realPath", path)((how) => fs.canonicalize(path, how)),
    remove: (path, { recursive = false, force = false } = {}) =>
      place("remove", path)((how) => fs.remove(path, { recursive, force }, how)),
    stat: info,
    truncate: (path, length = 0) =>
      Number(length) === 0
        ? Effect.zipRight(
            stat("truncate", path),
            Effect.scoped(Effect.asVoid(openFile(fs, "truncate", path, "replace"))),
          )
        : lacks("truncate", "cut a file anywhere but at its begin", "truncate -s"),
    watch: (path, { recursive = false } = {}) => {
      const within = (folder: string, deep: boolean) =>
        Effect.map(list(folder, "", deep), (names) => names.map((name) => joinPath(folder, name)))
      const interval = Duration.max(watchInterval, shortest)
      return Stream.suspend(() => watch(fs, within, path, recursive, interval))
    },
    writeFile: (path, data, { flag = "w", mode } = {}) => {
      const refusal = refusalOf("writeFile", flag === "r" ? "r+" : flag, mode)
      return refusal ?? place("writeFile", path)((how) => fs.writeFile(path, data, {}, how))
    },
    rename: (from, to) =>
      changes
        ? place("rename", from)((how) => fs.rename(from, to, { overwrite: true }, how))
        : lacks("rename", "rename files", "mv"),
    chmod: (path, mode) =>
      changes
        ? place("chmod", path)((how) => fs.chmod(path, mode, {}, how))
        : lacks("chmod", "change the mode of a file", "chmod"),
    symlink: (target, path) =>
      changes
        ? place("symlink", path)((how) => fs.symlink(target, path, {}, how))
        : lacks("symlink", "make links", "ln -s"),
    ...absent,
  })
}

const lacks = (method: string, what: string, command: string) =>
  lacking(module, method, `the wire cannot ${what}: run the command ${command}`)

/** Methods that the wire lacks altogether. */
const absent = {
  chown: () => lacks("chown", "change the owner of a file", "chown"),
  link: () => lacks("link", "make links", "ln"),
  readLink: () => lacks("readLink", "read links", "readlink"),
  utimes: () => lacks("utimes", "change the times of a file", "touch"),
}

const toInfo = (found: Metadata): PlatformFileSystem.File.Info => ({
  type: found.isDirectory ? "Directory" : found.isFile ? "File" : "Unknown",
  size: PlatformFileSystem.Size(found.size),
  mtime: toDate(found.modifiedAtMs),
  birthtime: toDate(found.createdAtMs),
  atime: Option.none(),
  dev: 0,
  mode: 0,
  ino: Option.none(),
  nlink: Option.none(),
  uid: Option.none(),
  gid: Option.none(),
  rdev: Option.none(),
  blksize: Option.none(),
  blocks: Option.none(),
})

/** The wire has 0 for a time that is not known. */
const toDate = (millis: number) => (millis === 0 ? Option.none<Date>() : Option.some(new Date(millis)))

type Done<A = void> = Effect.Effect<A, PlatformError>

interface FileTree {
  /** Paths below `folder`, relative to it and each behind `below`; no link is followed. */
  readonly list: (folder: string, below: string, recursive: boolean) => Done<ReadonlyArray<string>>
  /** Copies missing files; others stay as they are. */
  readonly copyMissing: (from: string, to: string) => Done
}

/** A name in a folder; without a name the folder, without a folder the name. */
const joinPath = (folder: string, name: string): string =>
  name === "" || folder === "" ? `${folder}${name}` : `${folder.replace(/\/$/, "")}/${name}`

const place = (method: string, path: string) => call({ module, method, pathOrDescriptor: path })

/** A file that is open until the end of the scope. */
const openFile = (fs: ClientFiles, method: string, path: string, mode: "read" | "replace" | undefined) =>
  Effect.acquireRelease(
    place(method, path)((how) => fs.open(path, mode, how)),
    (file) => Effect.promise(() => file.close().catch(() => {})),
  )

/** Calls whose errors name a method and a path. */
const makeCalls = (fs: ClientFiles) => {
  return {
    place,
    stat: (method: string, path: string) => place(method, path)((how) => fs.stat(path, {}, how)),
    entries: (method: string, path: string) => place(method, path)((how) => fs.readDirectory(path, how)),
  }
}

const makeTree = (fs: ClientFiles): FileTree => {
  const { place, stat, entries } = makeCalls(fs)

  const list = (folder: string, below: string, recursive: boolean): Done<ReadonlyArray<string>> =>
    Effect.flatMap(entries("readDirectory", joinPath(folder, below)), (found) =>
      Effect.map(
        Effect.forEach(found, ({ fileName, isDirectory }) => {
          const path = joinPath(below, fileName)
          const itself = Effect.succeed([path])
          if (!recursive || !isDirectory) return itself
          const inner = Effect.flatMap(stat("readDirectory", joinPath(folder, path)), ({ isSymlink }) =>
            isSymlink ? Effect.succeed([]) : list(folder, path, true),
          )
          return Effect.zipWith(itself, inner, (one, rest) => [...one, ...rest])
        }),
        (lists) => lists.flat(),
      ),
    )

  const copyMissing = (from: string, to: string): Done =>
    Effect.gen(function* () {
      const there = yield* Effect.catchIf(stat("copy", to), isMissing, () => Effect.succeed(undefined))
      if (there === undefined) return yield* place("copy", from)((how) => fs.copy(from, to, {}, how))
      const source = yield* stat("copy", from)
      if (!source.isDirectory || !there.isDirectory) return
      for (const { fileName } of yield* entries("copy", from)) {
        yield* copyMissing(joinPath(from, fileName), joinPath(to, fileName))
      }
    })

  return { list, copyMissing }
}

/** The result of a look: the state of each path. */
type Seen = ReadonlyMap<string, string>

type List = (path: string, recursive: boolean) => Effect.Effect<ReadonlyArray<string>, PlatformError>

/** Paths that are looked at together. */
const concurrency = 16

/** The changes after the first look, which fails if there is nothing at the path. */
const watch = (
  fs: ClientFiles,
  list: List,
  path: string,
  recursive: boolean,
  interval: Duration.DurationInput,
): Stream.Stream<PlatformFileSystem.WatchEvent, PlatformError> => {
  const { stat } = makeCalls(fs)
  const lookAt = (path: string) =>
    Effect.map(stat("watch", path), (found): readonly [string, string] => [path, stampOf(found)])

  const look: Effect.Effect<Seen, PlatformError> = Effect.gen(function* () {
    const found = yield* stat("watch", path)
    if (!found.isDirectory) return new Map([[path, stampOf(found)]])
    const paths = yield* list(path, recursive)
    const each = (path: string) => orMissing(Effect.map(lookAt(path), Option.some), Option.none())
    const all = yield* Effect.forEach(paths, each, { concurrency })
    return new Map(all.filter(Option.isSome).map(({ value }) => value))
  })

  const again = Effect.zipRight(Effect.sleep(interval), orMissing(look, new Map()))
  return Stream.unwrap(
    Effect.map(look, (first) =>
      Stream.unfoldChunkEffect(first, (before: Seen) =>
        Effect.map(again, (now) => Option.some([Chunk.fromIterable(changes(before, now)), now] as const)),
      ),
    ),
  )
}

const orMissing = <A, B>(effect: Effect.Effect<A, PlatformError>, missing: B) =>
  Effect.catchIf(effect, isMissing, () => Effect.succeed<A | B>(missing))

/** A folder changes with every entry in it, which have events of their own. */
const stampOf = ({ isDirectory, isFile, size, modifiedAtMs }: Metadata): string =>
  isDirectory ? "directory" : `${isFile ? "file" : "other"} ${size} ${modifiedAtMs}`

const changes = (before: Seen, now: Seen): ReadonlyArray<PlatformFileSystem.WatchEvent> => {
  const events: Array<PlatformFileSystem.WatchEvent> = []
  for (const path of before.keys()) {
    if (!now.has(path)) events.push(PlatformFileSystem.WatchEventRemove({ path }))
  }
  for (const [path, stamp] of now) {
    const earlier = before.get(path)
    if (earlier === undefined) events.push(PlatformFileSystem.WatchEventCreate({ path }))
    else if (earlier !== stamp) events.push(PlatformFileSystem.WatchEventUpdate({ path }))
  }
  return events
}

type Names = "makeTempDirectory" | "makeTempDirectoryScoped" | "makeTempFile" | "makeTempFileScoped"

const makeTemporary = (client: Client): Pick<PlatformFileSystem.FileSystem, Names> => {
  const directory = (method: Names, options: PlatformFileSystem.MakeTempDirectoryOptions = {}) =>
    Effect.suspend(() => {
      const path = `${options.directory ?? folderOf(client)}/${options.prefix ?? ""}${random()}`
      const made = place(method, path)((how) => client.fs.createDirectory(path, { recursive: false }, how))
      return Effect.as(made, path)
    })

  const file = (method: Names, options: PlatformFileSystem.MakeTempFileOptions = {}) =>
    Effect.flatMap(directory(method, options), (folder) => {
      const path = `${folder}/${random()}${options.suffix ?? ""}`
      const made = place(method, path)((how) => client.fs.writeFile(path, "", {}, how))
      return Effect.as(made, { path, folder })
    })

  const removed = <A>(
    make: Effect.Effect<A, PlatformError>,
    folderOf: (made: A) => string,
  ): Effect.Effect<A, PlatformError, Scope.Scope> =>
    Effect.acquireRelease(make, (made) =>
      Effect.promise(() => client.fs.remove(folderOf(made)).catch(() => {})),
    )

  return {
    makeTempDirectory: (options) => directory("makeTempDirectory", options),
    makeTempDirectoryScoped: (options) =>
      removed(directory("makeTempDirectoryScoped", options), (path) => path),
    makeTempFile: (options) => Effect.map(file("makeTempFile", options), ({ path }) => path),
    makeTempFileScoped: (options) =>
      Effect.map(
        removed(file("makeTempFileScoped", options), ({ folder }) => folder),
        ({ path }) => path,
      ),
  }
}

const random = () => globalThis.crypto.randomUUID()

const folderOf = ({ environmentInfo: { tempDir, temporaryDirectories } }: Client): string =>
  toPath(tempDir ?? temporaryDirectories?.[0] ?? "file:///tmp")

/** The flags of the wire: files to be read, and files to be written from nothing. */
const modes: Readonly<Record<string, "read" | "replace">> = { r: "read", w: "replace" }

/** Opens a file until the end of the scope. `stat` is that of its path, which may lead elsewhere by then. */
const openHandle = (
  fs: ClientFiles,
  path: string,
  { flag = "r", mode }: PlatformFileSystem.OpenFileOptions,
  fd: number,
  stat: PlatformFileSystem.File["stat"],
): Effect.Effect<PlatformFileSystem.File, PlatformError, Scope.Scope> =>
  Effect.gen(function* () {
    const refusal = refusalOf("open", flag, mode)
    if (refusal !== undefined) return yield* refusal
    return toFile(yield* openFile(fs, "open", path, modes[flag]), path, fd, stat)
  })

/** The error for flags with which no file can be opened; undefined for others. */
const refusalOf = (method: string, flag: string, mode: number | undefined) => {
  if (mode !== undefined) {
    return lacking(module, method, "the wire has no mode of files: run the command chmod afterwards")
  }
  return flag in modes
    ? undefined
    : lacking(module, method, `the wire opens files with the flags r and w, and not with ${flag}`)
}

const toFile = (
  file: ClientFile,
  path: string,
  fd: number,
  stat: PlatformFileSystem.File["stat"],
): PlatformFileSystem.File => {
  let position = 0
  const one = Effect.unsafeMakeSemaphore(1).withPermits(1)

  /** Up to `size` bytes from the position, fewer at the end of the file alone. */
  const read = (method: string, size: number) =>
    one(
      Effect.gen(function* () {
        const asked = place(method, path)
        const blocks: Array<Uint8Array> = []
        for (let left = size; left > 0;) {
          const block = yield* asked((how) => file.read(position, Math.min(left, maxBlockBytes), how))
          blocks.push(block.chunk)
          position += block.chunk.length
          left -= block.chunk.length
          if (block.eof) break
        }
        return concat(blocks)
      }),
    )

  const write = (method: string, bytes: Uint8Array) =>
    one(
      Effect.map(
        place(method, path)((how) => file.write(position, bytes, how)),
        () => void (position += bytes.length),
      ),
    )

  return {
    [PlatformFileSystem.FileTypeId]: PlatformFileSystem.FileTypeId,
    fd: PlatformFileSystem.FileDescriptor(fd),
    stat,
    seek: (offset, from) =>
      one(Effect.sync(() => void (position = Number(offset) + (from === "start" ? 0 : position)))),
    sync: lacking(module, "sync", "the wire cannot flush a file: run the command sync"),
    read: (buffer) =>
      Effect.map(read("read", buffer.length), (bytes) => {
        buffer.set(bytes)
        return PlatformFileSystem.Size(bytes.length)
      }),
    readAlloc: (size) =>
      Effect.map(read("readAlloc", Number(size)), (bytes) =>
        bytes.length === 0 ? Option.none() : Option.some(bytes),
      ),
    truncate: () => lacking(module, "truncate", "the wire cannot cut an open file: run the command truncate"),
    write: (bytes) => Effect.as(write("write", bytes), PlatformFileSystem.Size(bytes.length)),
    writeAll: (bytes) => write("writeAll", bytes),
  }
}

const concat = (blocks: ReadonlyArray<Uint8Array>): Uint8Array => {
  const all = new Uint8Array(blocks.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const block of blocks) {
    all.set(block, at)
    at += block.length
  }
  return all
}
