/**
 * Replaces the content of a file as a whole: a reader, or whoever finds it after a crash, has the old or the new one.
 *
 * The bytes are written to a temporary file beside it and synced to the disk; then it is renamed over the old one.
 * The new file has another inode, so it is made only where no reader can tell: for a new file, and for a regular file
 * with a single name whose mode and owner can be given to the new one. A file with several names, one that is not
 * regular, or one in a folder that cannot be written is written in place. A link stays a link; its target is replaced.
 */
import { randomBytes } from "node:crypto"
import { constants } from "node:fs"
import { invalid } from "../../../core/files/FileError.ts"
import { join, split } from "../../../core/files/Paths.ts"
import * as ErrorText from "../../../core/protocol/ErrorText.ts"
import * as OsError from "../host/OsError.ts"
import type { Calls, Stat } from "./Calls.ts"

/** The names of temporary files start with this. A crash leaves such a file behind. */
export const prefix = ".procwire-"

const { O_WRONLY, O_CREAT, O_EXCL } = constants
/** Not on Windows. */
const O_NONBLOCK = constants.O_NONBLOCK ?? 0
const O_NOFOLLOW = constants.O_NOFOLLOW ?? 0

/** Makes or replaces the file at `path`; if `follow` is false, anything there but a regular file is an error. */
export const save = async (calls: Calls, path: string, bytes: Uint8Array, follow: boolean): Promise<void> => {
  let fd: number
  try {
    // Opened to check that the file itself may be written, even if its folder would allow a rename.
    fd = await calls.open(path, O_WRONLY | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW))
  } catch (error) {
    if (OsError.isOne(error, "ENOENT")) return create(calls, follow ? await target(calls, path) : path, bytes)
    throw error
  }
  try {
    const old = await calls.statOf(fd)
    if (!follow && old.kind !== "file") throw invalid(ErrorText.of("notRegular"))
    const real = await onlyName(calls, path, old, follow)
    if (real !== undefined && (await replace(calls, real, bytes, old))) return
    await calls.empty(fd).catch((error: unknown) => {
      if (old.kind === "file") throw error // a device cannot be truncated
    })
    await writeAll(calls, fd, bytes)
  } finally {
    await calls.close(fd)
  }
}

/** Writes all bytes, from an offset on, or where the descriptor is: a FIFO and some devices have no offsets. */
export const writeAll = async (calls: Calls, fd: number, bytes: Uint8Array, from?: bigint): Promise<void> => {
  for (let at = 0; at < bytes.length;) {
    const piece = bytes.subarray(at, at + pieceBytes)
    at += await calls.write(fd, piece, from === undefined ? from : from + BigInt(at))
  }
}

/** The most bytes that one call reads or writes, so that none takes long. */
export const pieceBytes = 1024 * 1024

/** The target of a dangling link; any other path that does not exist is its own. */
const target = async (calls: Calls, path: string): Promise<string> => {
  let found = path
  for (let links = 0; links < 40; links += 1) {
    const next = await calls.readLink(found).catch(() => undefined)
    if (next === undefined) return found
    found = next.startsWith("/") ? next : join(split(found)[0], next)
  }
  return found
}

/** The path of a regular file without links, if the file has no other name. */
const onlyName = async (calls: Calls, path: string, old: Stat, follow: boolean) => {
  if (old.kind !== "file" || old.links !== 1) return undefined
  const real = follow ? await calls.realPath(path).catch(() => undefined) : path
  const found = real === undefined ? undefined : await calls.stat(real, false).catch(() => undefined)
  return found?.identity === old.identity ? real : undefined
}

const create = async (calls: Calls, path: string, bytes: Uint8Array) => {
  const [folder] = split(path)
  await viaTemporary(calls, folder, path, 0o666, (fd) => writeAll(calls, fd, bytes))
}

/** Replaces a file by another one; false if the system does not allow that, and nothing has changed. */
const replace = async (calls: Calls, path: string, bytes: Uint8Array, old: Stat): Promise<boolean> => {
  try {
    await viaTemporary(calls, split(path)[0], path, 0o600, async (fd) => {
      const { uid, gid } = await calls.statOf(fd)
      if (uid !== old.uid || gid !== old.gid) await calls.chown(fd, old.uid, old.gid)
      await calls.chmod(fd, old.mode)
      await writeAll(calls, fd, bytes)
    })
    return true
  } catch (error) {
    // The folder or the owner does not allow it, the file is a mount point, or the folder has no files of ours: /proc.
    if (OsError.isOne(error, "EACCES", "EPERM", "EROFS", "EBUSY", "EXDEV", "ENOENT")) return false
    throw error
  }
}

/** Fills a temporary file in `folder` and renames it to `path`. On a failure the temporary file is removed. */
const viaTemporary = async (
  calls: Calls,
  folder: string,
  path: string,
  mode: number,
  fill: (fd: number) => Promise<void>,
) => {
  const other = join(folder, `${prefix}${randomBytes(8).toString("hex")}`)
  const fd = await calls.open(other, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode)
  try {
    try {
      await fill(fd)
      await calls.sync(fd)
    } finally {
      await calls.close(fd)
    }
    await calls.rename(other, path)
  } catch (error) {
    await calls.removeFile(other).catch(() => undefined)
    throw error
  }
}
