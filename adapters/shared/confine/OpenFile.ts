/**
 * Passes bytes to a child that is about to start: a file without a name, held open here, and a path that leads to it.
 *
 * The path is `/proc/PID/fd/N` of this process. A confined process does not see this process, so none can change what
 * the next one is started with.
 */
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"

export interface OpenFile {
  readonly path: string
  readonly close: () => void
}

/** Throws the errors of the file system. */
export const make = (bytes: Uint8Array): OpenFile => {
  const folder = mkdtempSync(join(tmpdir(), "procwire-"))
  let fd: number | undefined
  try {
    const name = join(folder, "f")
    fd = openSync(name, "wx+", 0o600)
    for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done)
    const descriptor = fd
    return { path: `/proc/${process.pid}/fd/${fd}`, close: () => closeSync(descriptor) }
  } catch (error) {
    if (fd !== undefined) closeSync(fd)
    throw error
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
