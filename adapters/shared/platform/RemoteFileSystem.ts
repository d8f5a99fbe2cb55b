/**
 * `FileSystem` of `@effect/platform` over the files of a client.
 *
 * What the wire has works as on the local host; what it lacks is a `BadArgument` that names the method, and the command
 * that does the same. Of `stat`, what the wire does not tell is none, or 0.
 */
import * as PlatformFileSystem from "@effect/platform/FileSystem"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { ExecClient } from "../../../core/client/ExecClient.ts"
import type { Metadata } from "../../../core/protocol/FileSystem.ts"
import { at, lacking } from "./Failure.ts"
import * as FileTree from "./FileTree.ts"
import * as FileWatcher from "./FileWatcher.ts"
import * as RemoteFileHandle from "./RemoteFileHandle.ts"
import * as TemporaryFiles from "./TemporaryFiles.ts"

const module = "FileSystem"

/** The shortest time between two looks of a watch. */
const shortest = Duration.millis(10)

/** The files of the server of `client`; a watch looks at them every `watchInterval`. */
export const make = (
  client: ExecClient,
  watchInterval: Duration.DurationInput,
): PlatformFileSystem.FileSystem => {
  const { fs } = client
  const place = (method: string, path: string) => at({ module, method, pathOrDescriptor: path })
  const changes = client.environmentInfo.capabilities?.fsChange === true
  let opened = 0

  const stat = (method: string, path: string) => place(method, path)(fs.stat(path))
  const info = (path: string) => Effect.map(stat("stat", path), toInfo)
  const entries = (method: string, path: string) => place(method, path)(fs.readDirectory(path))

  const { list, copyMissing } = FileTree.make(fs)

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
    ...TemporaryFiles.make(client),
    open: (path, options = {}) =>
      Effect.suspend(() => RemoteFileHandle.open(fs, path, options, (opened += 1), info(path))),
    readDirectory: (path, { recursive = false } = {}) =>
      Effect.map(list(path, "", recursive), (paths) => [...paths]),
    readFile: (path) => place("readFile", path)(fs.readFile(path)),
    realPath: (path) => place("realPath", path)(fs.canonicalize(path)),
    remove: (path, { recursive = false, force = false } = {}) =>
      place("remove", path)(fs.remove(path, { recursive, force })),
    stat: info,
    truncate: (path, length = 0) =>
      Number(length) === 0
        ? Effect.zipRight(
            stat("truncate", path),
            Effect.scoped(Effect.asVoid(place("truncate", path)(fs.open(path, "replace")))),
          )
        : lacks("truncate", "cut a file anywhere but at its begin", "truncate -s"),
    watch: (path, { recursive = false } = {}) => {
      const within = (folder: string, deep: boolean) =>
        Effect.map(list(folder, "", deep), (names) => names.map((name) => FileTree.join(folder, name)))
      const interval = Duration.max(watchInterval, shortest)
      return Stream.suspend(() => FileWatcher.watch(fs, within, path, recursive, interval))
    },
    writeFile: (path, data, { flag = "w", mode } = {}) => {
      const refusal = RemoteFileHandle.refusalOf("writeFile", flag === "r" ? "r+" : flag, mode)
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

/** What the wire lacks altogether. */
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
