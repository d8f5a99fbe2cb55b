/**
 * `FileSystem` of Effect over the files of a client.
 *
 * Methods of the wire work as on the local host; any other is a `BadArgument` that names the method, and the command
 * that does the same. Of `stat`, what the wire does not tell is none, or 0.
 */
import * as ByteSize from "effect/ByteSize"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as PlatformFileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as PlatformError from "effect/PlatformError"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ExecClient } from "../../../core/client/ExecClient.ts"
import type { RemoteFile } from "../../../core/client/FileBlocks.ts"
import type { RemoteFiles } from "../../../core/client/RemoteFiles.ts"
import * as RemotePath from "../../../core/client/RemotePath.ts"
import { maxBlockBytes } from "../../../core/features/fs/FileBounds.ts"
import type { Metadata } from "../../../core/features/fs/wire.ts"
import { concat } from "../../../core/protocol/Bytes.ts"
import * as Turn from "../../../core/protocol/Turn.ts"
import { at, isMissing, lacking } from "./Failure.ts"

const module = "FileSystem"

/** The shortest time between two looks of a watch. */
const shortest = Duration.millis(10)

/** The files of the server of `client`; a watch looks at them every `watchInterval`. */
export const make = (client: ExecClient, watchInterval: Duration.Input): PlatformFileSystem.FileSystem => {
  const { fs } = client
  const { place, stat, entries } = makeCalls(fs)
  const changes = client.environmentInfo.capabilities?.fsChange === true

  const info = (path: string) => Effect.map(stat("stat", path), toInfo)

  const { list, copyMissing } = makeTree(fs)

  const access: PlatformFileSystem.FileSystem["access"] = (path, options = {}) =>
    Effect.gen(function* () {
      const { isDirectory } = yield* stat("access", path)
      if (options.writable === true)
        return yield* lacks("access", "ask whether a file is writable", "test -w")
      if (options.readable !== true) return
      yield* isDirectory ? entries("access", path) : Effect.scoped(place("access", path)(fs.open(path)))
    })

  return PlatformFileSystem.make({
    access,
    copy: (from, to, { overwrite = false, preserveTimestamps = false } = {}) => {
      if (preserveTimestamps) return lacks("copy", "preserve timestamps", "cp -pr")
      return overwrite ? place("copy", from)(fs.copy(from, to)) : copyMissing(from, to)
    },
    copyFile: (from, to) => place("copyFile", from)(fs.copy(from, to, { recursive: false })),
    makeDirectory: (path, { recursive = false, mode } = {}) =>
      mode === undefined
        ? place("makeDirectory", path)(fs.createDirectory(path, { recursive }))
        : lacks("makeDirectory", "set the mode of a folder", "mkdir -m"),
    ...makeTemporary(client),
    lstat: (path) => Effect.map(stat("lstat", path), toLinkInfo),
    open: (path, options = {}) => openHandle(fs, path, options, info(path)),
    readDirectory: (path, { recursive = false } = {}) =>
      Effect.map(list(path, "", recursive), (paths) => [...paths]),
    readDirectoryEntries: (path) => {
      const method = "readDirectoryEntries"
      const typeOf = (name: string) => Effect.map(stat(method, joinPath(path, name)), toLinkType)
      return Effect.flatMap(entries(method, path), (found) =>
        Effect.forEach(
          found,
          // A name that leads nowhere is that of a link.
          ({ fileName: name }) =>
            Effect.map(orMissing(typeOf(name), "SymbolicLink" as const), (type) => ({ name, type })),
          { concurrency },
        ),
      )
    },
    readLink: (path) =>
      Effect.flatMap(stat("readLink", path), ({ isSymlink }) =>
        isSymlink ? lacks("readLink", "read links", "readlink") : Effect.fail(noLink(path)),
      ),
    readFile: (path) => place("readFile", path)(fs.readFile(path)),
    realPath: (path) => place("realPath", path)(fs.canonicalize(path)),
    remove: (path, { recursive = false, force = false } = {}) =>
      place("remove", path)(fs.remove(path, { recursive, force })),
    stat: info,
    truncate: (path, length = 0) =>
      Number(length) === 0
        ? Effect.andThen(
            stat("truncate", path),
            Effect.scoped(Effect.asVoid(place("truncate", path)(fs.open(path, "replace")))),
          )
        : lacks("truncate", "cut a file anywhere but at its begin", "truncate -s"),
    watch: (path, { recursive = false, onReady } = {}) => {
      const within = (folder: string, deep: boolean) =>
        Effect.map(list(folder, "", deep), (names) => names.map((name) => joinPath(folder, name)))
      const interval = Duration.max(Duration.fromInputUnsafe(watchInterval), shortest)
      return watch(fs, within, path, recursive, interval, onReady)
    },
    writeFile: (path, data, { flag = "w", mode } = {}) => {
      const refusal = refusalOf("writeFile", flag === "r" ? "r+" : flag, mode)
      return refusal ?? place("writeFile", path)(fs.writeFile(path, data))
    },
    rename: (from, to) =>
      changes
        ? place("rename", from)(fs.rename(from, to, { overwrite: true }))
        : lacks("rename", "rename files", "mv"),
    chmod: (path, mode) =>
      changes
        ? place("chmod", path)(fs.chmod(path, mode))
        : lacks("chmod", "change the mode of a file", "chmod"),
    symlink: (target, path) =>
      changes ? place("symlink", path)(fs.symlink(target, path)) : lacks("symlink", "make links", "ln -s"),
    ...absent,
  })
}

const lacks = (method: string, what: string, command: string) =>
  lacking(module, method, `the wire cannot ${what}: run the command ${command}`)

/** Methods that the wire lacks altogether. */
const absent = {
  chown: () => lacks("chown", "change the owner of a file", "chown"),
  link: () => lacks("link", "make links", "ln"),
  utimes: () => lacks("utimes", "change the times of a file", "touch"),
}

const noLink = (path: string) =>
  PlatformError.systemError({
    module,
    method: "readLink",
    _tag: "Unknown",
    pathOrDescriptor: path,
    description: "this is no symbolic link",
  })

const toType = ({ isDirectory, isFile }: Metadata) =>
  isDirectory ? "Directory" : isFile ? "File" : "Unknown"

const toLinkType = (found: Metadata) => (found.isSymlink ? "SymbolicLink" : toType(found))

/** Of a link itself the wire tells that it is one. */
const toLinkInfo = (found: Metadata): PlatformFileSystem.File.Info =>
  found.isSymlink
    ? { ...toInfo({ ...found, size: 0, modifiedAtMs: 0, createdAtMs: 0 }), type: "SymbolicLink" }
    : toInfo(found)

const toInfo = (found: Metadata): PlatformFileSystem.File.Info => ({
  type: toType(found),
  size: ByteSize.bytes(found.size),
  mtime: toDate(found.modifiedAtMs),
  birthtime: toDate(found.createdAtMs),
  atime: Option.none(),
  dev: 0n,
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

type Failure = PlatformError.PlatformError

type Done<A = void> = Effect.Effect<A, Failure>

interface FileTree {
  /** Paths below `folder`, relative to it and each behind `below`; no link is followed. */
  readonly list: (folder: string, below: string, recursive: boolean) => Done<ReadonlyArray<string>>
  /** Copies missing files; others stay as they are. */
  readonly copyMissing: (from: string, to: string) => Done
}

/** A name in a folder; without a name the folder, without a folder the name. */
const joinPath = (folder: string, name: string): string =>
  name === "" || folder === "" ? `${folder}${name}` : `${folder.replace(/\/$/, "")}/${name}`

/** Calls whose errors name a method and a path. */
const makeCalls = (fs: RemoteFiles) => {
  const place = (method: string, path: string) => at({ module, method, pathOrDescriptor: path })
  return {
    place,
    stat: (method: string, path: string) => place(method, path)(fs.stat(path)),
    entries: (method: string, path: string) => place(method, path)(fs.readDirectory(path)),
  }
}

const makeTree = (fs: RemoteFiles): FileTree => {
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
      if (there === undefined) return yield* place("copy", from)(fs.copy(from, to))
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

type List = (path: string, recursive: boolean) => Effect.Effect<ReadonlyArray<string>, Failure>

/** Paths that are looked at together. */
const concurrency = 16

/** The changes after the first look, which fails if there is nothing at the path. */
const watch = (
  fs: RemoteFiles,
  list: List,
  path: string,
  recursive: boolean,
  interval: Duration.Duration,
  onReady: () => void = () => undefined,
): Stream.Stream<PlatformFileSystem.WatchEvent, Failure> => {
  const { stat } = makeCalls(fs)
  const lookAt = (path: string) =>
    Effect.map(stat("watch", path), (found): readonly [string, string] => [path, stampOf(found)])

  const look: Effect.Effect<Seen, Failure> = Effect.gen(function* () {
    const found = yield* stat("watch", path)
    if (!found.isDirectory) return new Map([[path, stampOf(found)]])
    const paths = yield* list(path, recursive)
    const each = (path: string) => orMissing(Effect.map(lookAt(path), Option.some), Option.none())
    const all = yield* Effect.forEach(paths, each, { concurrency })
    return new Map(all.filter(Option.isSome).map(({ value }) => value))
  })

  const again = Effect.andThen(Effect.sleep(interval), orMissing(look, new Map()))
  const first = Effect.tap(look, () => Effect.sync(onReady))
  return Stream.unwrap(
    Effect.map(first, (seen) =>
      Stream.flattenIterable(
        Stream.unfold(seen, (before) => Effect.map(again, (now) => [changes(before, now), now] as const)),
      ),
    ),
  )
}

const orMissing = <A, B>(effect: Effect.Effect<A, Failure>, missing: B) =>
  Effect.catchIf(effect, isMissing, () => Effect.succeed<A | B>(missing))

/** A folder changes with every entry in it, which have events of their own. */
const stampOf = ({ isDirectory, isFile, size, modifiedAtMs }: Metadata): string =>
  isDirectory ? "directory" : `${isFile ? "file" : "other"} ${size} ${modifiedAtMs}`

const changes = (before: Seen, now: Seen): ReadonlyArray<PlatformFileSystem.WatchEvent> => {
  const events: Array<PlatformFileSystem.WatchEvent> = []
  for (const path of before.keys()) {
    if (!now.has(path)) events.push({ _tag: "Remove", path })
  }
  for (const [path, stamp] of now) {
    const earlier = before.get(path)
    if (earlier === undefined) events.push({ _tag: "Create", path })
    else if (earlier !== stamp) events.push({ _tag: "Update", path })
  }
  return events
}

type Names = "makeTempDirectory" | "makeTempDirectoryScoped" | "makeTempFile" | "makeTempFileScoped"

interface TemporaryOptions {
  readonly directory?: string | undefined
  readonly prefix?: string | undefined
  readonly suffix?: string | undefined
}

const makeTemporary = (client: ExecClient): Pick<PlatformFileSystem.FileSystem, Names> => {
  const directory = (method: Names, options: TemporaryOptions = {}) =>
    Effect.suspend(() => {
      const path = `${options.directory ?? folderOf(client)}/${options.prefix ?? ""}${random()}`
      const made = client.fs.createDirectory(path, { recursive: false })
      return Effect.as(at({ module, method, pathOrDescriptor: path })(made), path)
    })

  const file = (method: Names, options: TemporaryOptions = {}) =>
    Effect.flatMap(directory(method, options), (folder) => {
      const path = `${folder}/${random()}${options.suffix ?? ""}`
      const made = client.fs.writeFile(path, "")
      return Effect.as(at({ module, method, pathOrDescriptor: path })(made), { path, folder })
    })

  const removed = <A>(
    make: Effect.Effect<A, Failure>,
    folderOf: (made: A) => string,
  ): Effect.Effect<A, Failure, Scope.Scope> =>
    Effect.acquireRelease(make, (made) => Effect.ignore(client.fs.remove(folderOf(made))))

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

const folderOf = ({ environmentInfo }: ExecClient): string => {
  const { tempDir, temporaryDirectories } = environmentInfo
  return RemotePath.toNative(tempDir ?? temporaryDirectories?.[0] ?? "file:///tmp", environmentInfo)
}

/** The flags of the wire: files to be read, and files to be written from nothing. */
const modes: Readonly<Record<string, "read" | "replace">> = { r: "read", w: "replace" }

type OpenOptions = NonNullable<Parameters<PlatformFileSystem.FileSystem["open"]>[1]>

/** Opens a file until the end of the scope. `stat` is that of its path, which may lead elsewhere by then. */
const openHandle = (
  fs: RemoteFiles,
  path: string,
  { flag = "r", mode, noFollow = false }: OpenOptions,
  stat: PlatformFileSystem.File["stat"],
): Effect.Effect<PlatformFileSystem.File, Failure, Scope.Scope> => {
  if (noFollow)
    return lacking(module, "open", "the wire cannot refuse links when it opens a file: look with lstat")
  const refusal = refusalOf("open", flag, mode)
  const opened = at({ module, method: "open", pathOrDescriptor: path })(fs.open(path, modes[flag]))
  return refusal ?? Effect.map(opened, (file) => toFile(file, path, stat))
}

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
  file: RemoteFile,
  path: string,
  stat: PlatformFileSystem.File["stat"],
): PlatformFileSystem.File => {
  let position = 0
  const one = Turn.make()

  /** Up to `size` bytes from `begin`, fewer at the end of the file alone. */
  const readFrom = (begin: number, size: number) =>
    Effect.gen(function* () {
      const blocks: Array<Uint8Array> = []
      for (let at = begin; at < begin + size;) {
        const block = yield* file.read(at, Math.min(begin + size - at, maxBlockBytes))
        blocks.push(block.chunk)
        at += block.chunk.length
        if (block.eof) break
      }
      return concat(blocks)
    })

  /** From the position, which moves on, or from a given one. */
  const read = (
    method: string,
    size: number,
    { position: given }: PlatformFileSystem.File.ReadOptions = {},
  ) =>
    one(
      Effect.suspend(() => {
        if (given !== undefined && given < 0n) return negative(method)
        const bytes = at({ module, method, pathOrDescriptor: path })(
          readFrom(given === undefined ? position : Number(given), size),
        )
        if (given !== undefined) return bytes
        return Effect.tap(bytes, ({ length }) => Effect.sync(() => (position += length)))
      }),
    )

  const write = (method: string, bytes: Uint8Array) =>
    one(
      Effect.suspend(() => file.write(position, bytes)).pipe(
        Effect.tap(() => Effect.sync(() => (position += bytes.length))),
        at({ module, method, pathOrDescriptor: path }),
      ),
    )

  return {
    [PlatformFileSystem.FileTypeId]: PlatformFileSystem.FileTypeId,
    stat,
    seek: (offset, from) =>
      one(
        Effect.suspend(() => {
          const to = Number(offset) + (from === "start" ? 0 : position)
          if (to < 0) return negative("seek")
          position = to
          return Effect.succeed(BigInt(to))
        }),
      ),
    sync: lacking(module, "sync", "the wire cannot flush a file: run the command sync"),
    read: (buffer, options) =>
      Effect.map(read("read", buffer.length, options), (bytes) => {
        buffer.set(bytes)
        return bytes.length
      }),
    readAlloc: (size, options) =>
      Effect.map(read("readAlloc", size, options), (bytes) =>
        bytes.length === 0 ? Option.none() : Option.some(bytes),
      ),
    truncate: () => lacking(module, "truncate", "the wire cannot cut an open file: run the command truncate"),
    write: (bytes) => Effect.as(write("write", bytes), bytes.length),
    writeAll: (bytes) => write("writeAll", bytes),
  }
}

const negative = (method: string) => lacking(module, method, "there is nothing before the begin of a file")
