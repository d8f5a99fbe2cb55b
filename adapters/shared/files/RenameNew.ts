/**
 * `rename` to a name that nothing has: what is there, or comes there meanwhile, is not replaced.
 *
 * Linux has a system call for that, which `node:fs` does not make. Elsewhere the new name is taken first, by a call
 * that fails if somebody has it: a file gets it as a second name, a link is made again under it, and then the old name
 * is removed, so that a crash in between leaves both; for a folder an empty one is made, which the rename replaces.
 * A name that cannot be taken, because the file system has no hard links or the kernel refuses one to a file of another
 * user, is looked up before the rename, and a file that comes there in between is replaced.
 */
import type { Kind } from "../../../core/files/Files.ts"
import * as OsError from "../host/OsError.ts"
import type { Calls } from "./Calls.ts"

/** Rejects with EEXIST if something is at `to`, else with the errors of `rename`. */
export const renameNew = async (calls: Calls, from: string, to: string): Promise<void> => {
  try {
    if (calls.renameNew !== undefined) return await calls.renameNew(from, to)
  } catch (error) {
    // The file system may lack it, for which there is no error of its own.
    if (!OsError.isOne(error, "EINVAL", "ENOSYS")) throw error
  }
  const { kind } = await calls.stat(from, false)
  if (!(await take(calls, kind, from, to))) return calls.rename(from, to)
  const [finish, undo] =
    kind === "directory"
      ? [() => calls.rename(from, to), () => calls.removeFolder(to)]
      : [() => calls.removeFile(from), () => calls.removeFile(to)]
  try {
    await finish()
  } catch (error) {
    await undo().catch(() => {})
    throw error
  }
}

/** Takes the new name. False if that is not possible and nothing has it: `rename` then succeeds, or says why not. */
const take = async (calls: Calls, kind: Kind, from: string, to: string): Promise<boolean> => {
  try {
    if (kind === "directory") await calls.makeFolder(to)
    else if (kind === "link") await calls.makeLink(await calls.readLink(from), to)
    else await calls.linkFile(from, to)
    return true
  } catch (error) {
    const isThere = await calls.stat(to, false).then(
      () => true,
      () => false,
    )
    if (isThere || OsError.isOne(error, "EEXIST")) throw OsError.coded("EEXIST")
    return false
  }
}
