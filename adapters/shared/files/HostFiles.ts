/**
 * The file system of this host, over the system calls that the runtime provides.
 *
 * On Linux a folder is held open and named `/proc/self/fd/N`, so a path without links is walked without a race.
 * Elsewhere each folder is checked before it is used; if somebody swaps it for a link in between, that is not
 * noticed.
 */
import * as fs from "node:fs"
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Layer from "effect/Layer"
import { FileError, type FileReason, invalid } from "../../../core/files/FileError.ts"
import { Files, type FilesService, type OpenFile } from "../../../core/files/Files.ts"
import * as ErrorText from "../../../core/protocol/ErrorText.ts"
import * as NativePath from "../../../core/protocol/NativePath.ts"
import * as OsError from "../host/OsError.ts"
import type { Ffi } from "../process/posix/Ffi.ts"
import type { Calls, Stat } from "./Calls.ts"
import * as LibcCalls from "./LibcCalls.ts"
import * as NodeCalls from "./NodeCalls.ts"
import * as RenameNew from "./RenameNew.ts"
import * as Save from "./Save.ts"
import { promisify } from "node:util"

export const layer: Layer.Layer<Files> = Layer.sync(Files, () => make(NodeCalls.make()))

/** Files through the C library if it can be called, else through `node:fs`. */
export const layerLibc = (ffi: () => Ffi): Layer.Layer<Files> => {
  if (process.platform !== "linux" || !process.arch.endsWith("64")) return layer
  return Layer.sync(Files, () =>
    make(
      Result.getOrElse(
        Result.try(() => LibcCalls.make(ffi())),
        NodeCalls.make,
      ),
    ),
  )
}

const { O_RDONLY, O_WRONLY, O_CREAT } = fs.constants
/** Not on Windows. */
const O_NONBLOCK = fs.constants.O_NONBLOCK ?? 0
const O_NOFOLLOW = fs.constants.O_NOFOLLOW ?? 0
const O_DIRECTORY = fs.constants.O_DIRECTORY ?? 0
/** Linux only: opens a folder without the permission to read it. */
const O_PATH = 0o10000000

export const make = (calls: Calls): FilesService => ({
  available: true,
  watches: true,
  info: (path, { follow }) => attempt(() => calls.stat(path, follow)),
  list: (folder) => attempt(() => calls.list(folder)),
  canonicalize: (path) => attempt(() => calls.realPath(path)),
  makeFolder: (path) => attempt(() => calls.makeFolder(path)),
  removeFolder: (path) => attempt(() => calls.removeFolder(path)),
  removeFile: (path) => attempt(() => calls.removeFile(path)),
  rename: (source, destination, { overwrite }) =>
    attempt(() =>
      overwrite ? calls.rename(source, destination) : RenameNew.renameNew(calls, source, destination),
    ),
  setMode: (path, mode, { follow }) =>
    attempt(() => (follow ? calls.chmodAt(path, mode) : setModeOf(calls, path, mode))),
  readLink: (path) => attempt(() => calls.readLink(path)),
  makeLink: (target, path) => attempt(() => calls.makeLink(target, path)),
  save: (path, bytes, { follow }) => attempt(() => Save.save(calls, path, bytes, follow)),
  open: (path, { access, create, follow }) => {
    const flags =
      (access === "read" ? O_RDONLY : O_WRONLY) |
      (create === undefined ? 0 : O_CREAT) |
      (follow ? 0 : O_NOFOLLOW) |
      O_NONBLOCK
    return Effect.map(
      Effect.acquireRelease(
        attempt(async () => toOpenFile(calls, await calls.open(path, flags, create))),
        ({ close }) => close,
      ),
      ({ file }) => file,
    )
  },
  hold: hold(calls),
  watch: watch(calls),
})

/** Uninterruptible, so that no descriptor is lost, and none is closed while a call uses it. */
const attempt = <A>(call: () => Promise<A>): Effect.Effect<A, FileError> =>
  Effect.uninterruptible(Effect.tryPromise({ try: call, catch: toFileError }))

const reasons: Readonly<Record<string, FileReason>> = {
  ENOENT: "NotFound",
  EACCES: "PermissionDenied",
  EPERM: "PermissionDenied",
  EINVAL: "InvalidInput",
  EEXIST: "AlreadyExists",
  ENOTDIR: "NotADirectory",
  EISDIR: "IsADirectory",
}

const toFileError = (cause: unknown): FileError => {
  if (cause instanceof FileError) return cause
  const errno = OsError.errnoOf(cause)
  if (errno !== 0) {
    return new FileError({
      reason: reasons[OsError.nameOf(errno)] ?? "Other",
      message: OsError.textOf(errno),
      cause,
    })
  }
  const message = cause instanceof Error ? cause.message : String(cause)
  return new FileError({ reason: "Other", message, cause })
}

/** An open file. `close` waits for calls that still use the descriptor: its number may soon be that of another file. */
const toOpenFile = (calls: Calls, fd: number) => {
  let using = 0
  let closed: (() => void) | undefined
  const use = <A>(work: () => Promise<A>) =>
    attempt(async () => {
      using += 1
      try {
        return await work()
      } finally {
        using -= 1
        if (using === 0) closed?.()
      }
    })
  const file: OpenFile = {
    info: use(() => calls.statOf(fd)),
    read: (offset, length) => use(() => readFully(calls, fd, offset, length)),
    write: (offset, bytes) => use(() => Save.writeAll(calls, fd, bytes, offset)),
    empty: use(() => calls.empty(fd)),
    setMode: (mode) => use(() => calls.chmod(fd, mode)),
  }
  const idle = Effect.callback<void>((resume) => {
    if (using === 0) return resume(Effect.void)
    closed = () => resume(Effect.void)
  })
  const close = Effect.ignore(
    Effect.andThen(
      idle,
      attempt(() => calls.close(fd)),
    ),
  )
  return { file, close }
}

/** The highest offset that the kernel takes: `off_t` has 64 bits and a sign. */
const lastOffset = 2n ** 63n - 1n

const readFully = async (calls: Calls, fd: number, offset: bigint, length: number): Promise<Uint8Array> => {
  if (offset > lastOffset) throw OsError.coded("EINVAL")
  const beyond = offset + BigInt(length) - lastOffset
  if (beyond > -8n) {
    // No file is that long, and a runtime may refuse the range. Read one byte, to see the errors of the descriptor.
    await calls.read(fd, new Uint8Array(1), 0n)
    if (beyond > 0n) throw OsError.coded("EINVAL")
    return new Uint8Array()
  }
  const buffer = new Uint8Array(length)
  let at = 0
  while (at < length) {
    const piece = buffer.subarray(at, at + Save.pieceBytes)
    const count = await calls.read(fd, piece, offset + BigInt(at))
    if (count === 0) return buffer.subarray(0, at)
    at += count
  }
  return buffer
}

/** True if an open file has a path by its descriptor. */
const isNamed = (calls: Calls): Promise<boolean> =>
  process.platform === "linux" ? isFolder(calls, "/proc/self/fd") : Promise.resolve(false)

const hold = (calls: Calls): FilesService["hold"] => {
  let named: Promise<boolean> | undefined
  const hasNames = Effect.promise(() => (named ??= isNamed(calls)))
  const held = (folder: string) =>
    Effect.acquireRelease(
      attempt(() => calls.open(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW)),
      (fd) => Effect.ignore(attempt(() => calls.close(fd))),
    ).pipe(Effect.map((fd) => `/proc/self/fd/${fd}`))
  const looked = (folder: string) =>
    attempt(async () => {
      const { kind } = await calls.stat(folder, false)
      if (kind !== "directory") throw OsError.coded("ENOTDIR")
      return folder
    })
  return (folder) => Effect.flatMap(hasNames, (named) => (named ? held(folder) : looked(folder)))
}

const isFolder = (calls: Calls, path: string) =>
  calls.stat(path, true).then(
    ({ kind }) => kind === "directory",
    () => false,
  )

/** `chmod` of anything but a link. On Linux the checked file is changed, also if another takes its place meanwhile. */
const setModeOf = async (calls: Calls, path: string, mode: number): Promise<void> => {
  const check = ({ kind }: Stat) => {
    if (kind === "link") throw invalid(ErrorText.of("containsLink"))
  }
  if (!(await isNamed(calls))) {
    check(await calls.stat(path, false))
    return calls.chmodAt(path, mode)
  }
  const fd = await calls.open(path, O_PATH | O_NOFOLLOW)
  try {
    check(await calls.statOf(fd))
    await calls.chmodAt(`/proc/self/fd/${fd}`, mode)
  } finally {
    await calls.close(fd)
  }
}

const watch =
  (calls: Calls): FilesService["watch"] =>
  (folder, changed) =>
    Effect.gen(function* () {
      // Deno reports no error for a folder that does not exist.
      const { kind } = yield* attempt(() => calls.stat(folder, true))
      if (kind !== "directory") return yield* Effect.fail(toFileError(OsError.coded("ENOTDIR")))
      if (yield* attempt(() => isSilent(folder))) return yield* Effect.fail(unwatchable)
      yield* Effect.acquireRelease(
        Effect.try({ try: () => begin(folder, changed), catch: toFileError }),
        (watcher) => Effect.sync(() => watcher.close()),
      )
    })

const unwatchable = new FileError({
  reason: "Unsupported",
  message: "the system does not tell of changes in this file system",
})

const begin = (folder: string, changed: (name: string | undefined) => void): fs.FSWatcher => {
  // All runtimes deliver the changed names as text, and Deno takes only text as the folder.
  if (!NativePath.isText(folder)) throw OsError.coded("EINVAL")
  const watcher = fs.watch(folder, { persistent: false }, (_, name) => changed(name ?? undefined))
  watcher.unref() // Deno does not know `persistent`.
  // The folder may be gone: report a change, so that the caller looks.
  watcher.on("error", () => changed(undefined))
  return watcher
}

/**
 * True if a watch of this folder, a path without links, could miss changes: those of files that the kernel makes up,
 * and of file systems of other machines. Only /proc and /sys are known if the runtime cannot ask for the kind.
 */
const isSilent = async (folder: string): Promise<boolean> => {
  if (process.platform !== "linux") return false
  if (/^\/(?:proc|sys)(?:\/|$)/.test(folder)) return true
  if (typeof fs.statfs !== "function") return false
  const asked = promisify<string, fs.StatsFs>(fs.statfs)(folder)
  // Deno lets only programs with all permissions ask.
  return asked.then(
    ({ type }) => silent.has(type >>> 0),
    () => false,
  )
}

/** The magic numbers of `statfs`. */
const silent = new Set([
  0x9fa0, // proc
  0x62656572, // sysfs
  0x27e0eb, // cgroup
  0x63677270, // cgroup2
  0x1cd1, // devpts
  0x64626720, // debugfs
  0x74726163, // tracefs
  0x73636673, // securityfs
  0x6969, // NFS
  0xff534d42, // CIFS
  0xfe534d42, // SMB 2
  0x01021997, // 9P
  0x00c36400, // Ceph
])
