/**
 * System calls through `node:fs`. A path that is not UTF-8 is passed as a Buffer; Node and Bun take that, Deno does
 * not.
 */
import { Buffer } from "node:buffer"
import * as fs from "node:fs"
import type * as Files from "../../../core/files/Files.ts"
import * as NativePath from "../../../core/protocol/NativePath.ts"
import * as OsError from "../host/OsError.ts"
import { type Calls, kindOf, type Stat } from "./Calls.ts"

export const make = (): Calls => ({
  open: (path, flags, mode) => call((done) => fs.open(native(path), flags, mode, done)),
  close: (fd) => call((done) => fs.close(fd, done)),
  read: (fd, buffer, offset) => call((done) => fs.read(fd, buffer, 0, buffer.length, offset, done)),
  write: (fd, bytes, offset) => {
    const put = (length: number, at: number | null) =>
      call<number>((done) => fs.write(fd, bytes, 0, length, at, done))
    if (offset === undefined) return put(bytes.length, null)
    // `node:fs` ignores an offset that is not a safe integer. Write nothing, to see the errors of the descriptor.
    return offset > Number.MAX_SAFE_INTEGER
      ? put(0, 0).then(() => Promise.reject(OsError.coded("EFBIG")))
      : put(bytes.length, Number(offset))
  },
  sync: (fd) => call((done) => fs.fsync(fd, done)),
  empty: (fd) => call((done) => fs.ftruncate(fd, 0, done)),
  chmod: (fd, mode) => call((done) => fs.fchmod(fd, mode, done)),
  chmodAt: (path, mode) => call((done) => fs.chmod(native(path), mode, done)),
  chown: (fd, uid, gid) => call((done) => fs.fchown(fd, uid, gid, done)),
  statOf: (fd) => call<fs.BigIntStats>((done) => fs.fstat(fd, { bigint: true }, done)).then(toStat),
  stat: (path, follow) =>
    call<fs.BigIntStats>((done) => (follow ? fs.stat : fs.lstat)(native(path), { bigint: true }, done)).then(
      toStat,
    ),
  list,
  realPath: (path) =>
    call<Buffer>((done) => fs.realpath.native(native(path), "buffer", done)).then(NativePath.fromBytes),
  readLink: (path) =>
    call<Buffer>((done) => fs.readlink(native(path), "buffer", done)).then(NativePath.fromBytes),
  makeLink: (target, path) => call((done) => fs.symlink(native(target), native(path), done)),
  makeFolder: (path) => call((done) => fs.mkdir(native(path), done)),
  removeFolder: (path) => call((done) => fs.rmdir(native(path), done)),
  removeFile: (path) => call((done) => fs.unlink(native(path), done)),
  rename: (from, to) => call((done) => fs.rename(native(from), native(to), done)),
  linkFile: (from, to) => call((done) => fs.link(native(from), native(to), done)),
})

type Done<A> = (error: Error | null, value?: A) => void

const call = <A = void>(begin: (done: Done<A>) => void): Promise<A> =>
  new Promise((resolve, reject) => {
    begin((error, value) => (error === null || error === undefined ? resolve(value as A) : reject(error)))
  })

const native = (path: string): string | Buffer =>
  NativePath.isText(path) ? path : Buffer.from(NativePath.toBytes(path))

const toStat = (stat: fs.BigIntStats): Stat => ({
  kind: kindOf(Number(stat.mode)),
  mode: Number(stat.mode) & 0o7777,
  size: Number(stat.size),
  identity: `${stat.dev}:${stat.ino}`,
  version: `${stat.mode} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`,
  links: Number(stat.nlink),
  uid: Number(stat.uid),
  gid: Number(stat.gid),
  createdMs: milliseconds(stat.birthtimeNs),
  modifiedMs: milliseconds(stat.mtimeNs),
})

/** Whole milliseconds since 1970, rounded down, also before 1970. */
const milliseconds = (nanoseconds: bigint): number => Math.floor(Number(nanoseconds / 1000n) / 1000)

const list = async (folder: string): Promise<ReadonlyArray<Files.Entry>> => {
  const entries = await call<Array<fs.Dirent>>((done) =>
    fs.readdir(native(folder), { withFileTypes: true }, done),
  )
  // Bytes that are not UTF-8 were replaced: read such a folder again, as bytes.
  if (entries.some(({ name }) => name.includes("\ufffd"))) return listBytes(folder)
  return entries.map((entry) => ({ name: entry.name, kind: kindOfEntry(entry) }))
}

const kindOfEntry = (entry: fs.Dirent): Files.Kind =>
  entry.isFile() ? "file" : entry.isDirectory() ? "directory" : entry.isSymbolicLink() ? "link" : "other"

const listBytes = async (folder: string): Promise<ReadonlyArray<Files.Entry>> => {
  const names = await call<Array<Buffer>>((done) => fs.readdir(native(folder), "buffer", done))
  const entries: Array<Files.Entry> = []
  for (const name of names.map((bytes) => NativePath.fromBytes(bytes))) {
    try {
      const stat = await call<fs.BigIntStats>((done) =>
        fs.lstat(native(`${folder}/${name}`), { bigint: true }, done),
      )
      entries.push({ name, kind: kindOf(Number(stat.mode)) })
    } catch {
      entries.push({ name, kind: "other" }) // removed meanwhile, or not accessible
    }
  }
  return entries
}
