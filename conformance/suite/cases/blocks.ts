/**
 * Not cases: opens files and reads and writes their blocks, with the handle id `h`.
 */
import * as Check from "../Check.ts"
import type { Json } from "../Json.ts"
import { base64, type Folder } from "./folder.ts"

/** What cases about blocks require. */
export const requires = ["filesystem", "filesystem-blocks"] as const

/** The largest block, in bytes. */
export const most = 1_048_576

export const badFile = "Bad file descriptor (os error 9)"

/** Opens a file of the folder. */
export const open = ({ ok, uri }: Folder, name: string, mode = "read") =>
  ok("fs/open", { handleId: "h", path: uri(name), mode })

/** Reads a block of the open file. */
export const block = ({ ok }: Folder, offset: Json, len: number) =>
  ok("fs/readBlock", { handleId: "h", offset, len })

/** Writes a block of the open file. */
export const writeBlock = async ({ ok }: Folder, offset: number, content: string | Buffer): Promise<void> => {
  const result = await ok("fs/writeBlock", { handleId: "h", offset, chunk: base64(content) })
  Check.equal(result, {}, "the result of fs/writeBlock")
}
