/**
 * The content of a file, replaced as a whole: whoever reads it, or finds it after a crash, has the old or the new.
 *
 * The bytes are written to a file beside it, brought to the disk, and the name is moved over. That makes another file,
 * so it is done only where nobody can tell: for a new file, and for a regular one with a single name whose mode and
 * owner can be given to the other. What has several names, is no regular file, or lies in a folder that cannot be
 * written is written in place. A link stays a link; what it leads to is replaced.
 */
import { randomBytes } from "node:crypto"
import { constants } from "node:fs"
import { join, split } from "../../../core/files/Paths.ts"
import * as OsError from "../host/OsError.ts"
import type { Calls, Stat } from "./Calls.ts"

/** What files that are being written are called; one that is left behind tells of a crash. */
export const prefix = ".procwire-"

const { O_WRONLY, O_CREAT, O_EXCL } = constants
/** Not on Windows. */
const O_NONBLOCK = constants.O_NONBLOCK ?? 0
const O_NOFOLLOW = constants.O_NOFOLLOW ?? 0

export const save = async (calls: Calls, path: string, bytes: Uint8Array, follow: boolean): Promise<void> => {
  let fd: number
  try {
    // Says whether the file may be written at all, which the folder does not.
    fd = await calls.open(path, O_WRONLY | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW))
  } catch (error) {
    if (isOne(error, "ENOENT")) return create(calls, follow ? await target(calls, path) : path, bytes)
    throw error
  }
  try {
    const old = await calls.statOf(fd)
    const real = await onlyName(calls, path, old, follow)
    if (real !== undefined && (await replace(calls, real, bytes, old))) return
    await calls.empty(fd).catch((error: unknown) => {
      if (old.kind === "file") throw error // a device has nothing to cut
    })
    await writeAll(calls, fd, bytes)
  } finally {
    await calls.close(fd)
  }
}

/** Writes all bytes from the start of a file. */
export const writeAll = async (calls: Calls, fd: number, bytes: Uint8Array, from = 0n): Promise<void> => {
  for (let at = 0; at < bytes.length;) {
    const piece = bytes.subarray(at, at + pieceBytes)
    at += await calls.write(fd, piece, from + BigInt(at))
  }
}

/** How much one call writes or reads, so that none takes long. */
export const pieceBytes = 1024 * 1024

const isOne = (error: unknown, ...names: ReadonlyArray<string>) =>
  names.includes(OsError.nameOf(OsError.errnoOf(error)))

/** What a link that leads nowhere leads to; any other path that is not there is itself. */
const target = async (calls: Calls, path: string): Promise<string> => {
  let found = path
  for (let links = 0; links < 40; links += 1) {
    const next = await calls.readLink(found).catch(() => undefined)
    if (next === undefined) return found
    found = next.startsWith("/") ? next : join(split(found)[0], next)
  }
  return found
}

/** The path of a regular file without links, if that is the only name it has. */
const onlyName = async (calls: Calls, path: string, old: Stat, follow: boolean) => {
  if (old.kind !== "file" || old.links !== 1) return undefined
  const real = follow ? await calls.realPath(path).catch(() => undefined) : path
  const found = real === undefined ? undefined : await calls.stat(real, false).catch(() => undefined)
  return found?.identity === old.identity ? real : undefined
}

const create = async (calls: Calls, path: string, bytes: Uint8Array) => {
  const [folder] = split(path)
  await viaOther(calls, folder, path, 0o666, (fd) => writeAll(calls, fd, bytes))
}

/** False if it cannot be done without somebody noticing; nothing has happened then. */
const replace = async (calls: Calls, path: string, bytes: Uint8Array, old: Stat): Promise<boolean> => {
  try {
    await viaOther(calls, split(path)[0], path, 0o600, async (fd) => {
      const { uid, gid } = await calls.statOf(fd)
      if (uid !== old.uid || gid !== old.gid) await calls.chown(fd, old.uid, old.gid)
      await calls.chmod(fd, old.mode)
      await writeAll(calls, fd, bytes)
    })
    return true
  } catch (error) {
    // The folder or the owner does not allow it, or something is mounted on the file.
    if (isOne(error, "EACCES", "EPERM", "EROFS", "EBUSY", "EXDEV")) return false
    throw error
  }
}

/** Fills a file beside `path` and gives it that name. Whatever fails, nothing is left of it. */
const viaOther = async (
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
