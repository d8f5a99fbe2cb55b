/**
 * What V8 has compiled of a program, kept in the user's cache folder, so that the next start need not compile it.
 *
 * The file is code that will run: one of another user, or one that others may write, is not read. A file that cannot be
 * read or written is as if there were none. V8 itself refuses code of another version, or made with other flags.
 */
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from "node:fs"
import { dirname, isAbsolute, join } from "node:path"
import process from "node:process"
import * as Folders from "../host/Folders.ts"

/** The code of one program. */
export interface CodeCache {
  /** The code that an earlier start has written, empty if only a mark; undefined if there is none for this program. */
  readonly read: () => Buffer | undefined
  readonly write: (code: Buffer) => void
}

/** The folder, where Node's own variable does not forbid it; undefined if this user has none. */
export const folder = (env: Readonly<Record<string, string | undefined>>): string | undefined => {
  const { HOME: home = "", NODE_DISABLE_COMPILE_CACHE: disabled, XDG_CACHE_HOME: caches = "" } = env
  if (disabled !== undefined) return undefined
  if (isAbsolute(caches)) return join(caches, "procwire")
  return isAbsolute(home) ? join(home, ".cache", "procwire") : undefined
}

/** `program`: what tells it from all others, such as a hash; it begins the file. */
export const make = (file: string, program: string): CodeCache => ({
  read: () =>
    attempt(() => {
      const bytes = readTrusted(file)
      return bytes?.toString("latin1", 0, program.length) === program
        ? bytes.subarray(program.length)
        : undefined
    }),
  write: (code) => {
    const unfinished = `${file}.${process.pid}`
    const written = attempt(() => {
      Folders.make(dirname(file), 0o700)
      writeDurably(unfinished, [Buffer.from(program, "latin1"), code])
      renameSync(unfinished, file)
      return true
    })
    if (written !== true) attempt(() => unlinkSync(unfinished))
  },
})

const attempt = <A>(run: () => A): A | undefined => {
  try {
    return run()
  } catch {
    return undefined
  }
}

const readTrusted = (file: string): Buffer | undefined => {
  // A FIFO of that name must not keep the start waiting.
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const { mode, uid } = fstatSync(descriptor)
    return uid === process.geteuid?.() && (mode & 0o022) === 0 ? readFileSync(descriptor) : undefined
  } finally {
    closeSync(descriptor)
  }
}

/** V8 does not notice pages that a crash of the machine has left empty. */
const writeDurably = (file: string, parts: ReadonlyArray<Buffer>): void => {
  const descriptor = openSync(file, "w", 0o600)
  try {
    for (const part of parts) writeFileSync(descriptor, part)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
