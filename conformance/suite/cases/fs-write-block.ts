/**
 * `fs/writeBlock`: parts of a file, anywhere in it.
 */
import * as Check from "../Check.ts"
import { badFile, block, most, open, requires, writeBlock } from "./blocks.ts"
import { base64, folderTable } from "./folder.ts"

export const fsWriteBlock = folderTable(
  "fs/writeBlock",
  {
    "anywhere-in-any-order": {
      spec: ["b45"],
      setup: "printf 'something old' >a",
      says:
        "fs/open with mode replace truncates; blocks can be written in any order and with gaps, which read as " +
        "zeros, and are visible to others before fs/close.",
      run: async (folder) => {
        await open(folder, "a", "replace")
        Check.equal((await folder.cat("a")).length, 0, "the size after fs/open")
        await writeBlock(folder, 8, "end")
        await writeBlock(folder, 0, "abc")
        await writeBlock(folder, 1, "B")
        Check.equal(
          (await folder.cat("a")).toString("latin1"),
          "aBc\0\0\0\0\0end",
          "the content before fs/close",
        )
        await folder.ok("fs/close", { handleId: "h" })
        Check.equal((await folder.cat("a")).length, 11, "the size after fs/close")
      },
    },
    "new-file": {
      spec: ["b45"],
      setup: "umask >umask",
      says:
        "fs/open with mode replace creates a file with the mode 0666 less the umask; two blocks of 1 MiB can " +
        "be written to it.",
      run: async (folder) => {
        await open(folder, "a", "replace")
        const bytes = Buffer.alloc(most, "x")
        for (const offset of [most, 0]) await writeBlock(folder, offset, bytes)
        Check.equal((await folder.cat("a")).length, 2 * most, "the size")
        const wanted = 0o666 & ~Number.parseInt(await folder.sh("cat umask"), 8)
        const mode = await folder.sh("ls -l a | cut -c2-10")
        const bits = [...mode.trim()].reduce((sum, sign) => sum * 2 + (sign === "-" ? 0 : 1), 0)
        Check.equal(bits, wanted, "the permission bits")
      },
    },
    "bad-size-refused": {
      spec: ["b46"],
      says:
        "An empty block, one of more than 1 MiB, and one that ends beyond 2^63-1 are refused with -32600; the " +
        "handle can still be used.",
      run: async (folder) => {
        await open(folder, "a", "replace")
        const text = "file write block length must be between 1 and 1048576"
        for (const chunk of ["", base64(Buffer.alloc(most + 1))]) {
          await folder.refused("fs/writeBlock", { handleId: "h", offset: 0, chunk }, -32600, text)
        }
        const ask =
          '{"id":7,"method":"fs/writeBlock","params":{"handleId":"h","offset":9223372036854775807,"chunk":"YQ=="}}'
        const { error } = await folder.wire.exchange(ask)
        Check.equal(error?.code, -32600, "the code for the offset 2^63-1")
        const range = "file write range exceeds the signed 64-bit file offset limit"
        Check.equal(error?.message ?? null, range, "the text for the offset 2^63-1")
        await writeBlock(folder, 0, "bye")
      },
    },
    "bad-base64-refused": {
      spec: ["b20"],
      says: "A chunk that is not strict base64 is refused with -32602.",
      run: async (folder) => {
        await open(folder, "a", "replace")
        for (const chunk of ["@@@", "YQ", "YQ==\n"]) {
          await folder.refused("fs/writeBlock", { handleId: "h", offset: 0, chunk }, -32602)
        }
      },
    },
    "read-handle-survives": {
      spec: ["b47"],
      setup: "printf bye >a",
      says:
        "writeBlock on a handle for reading is refused with -32603 and Bad file descriptor (os error 9); the " +
        "handle can still be read.",
      run: async (folder) => {
        await open(folder, "a")
        const params = { handleId: "h", offset: 0, chunk: "YQ==" }
        await folder.refused("fs/writeBlock", params, -32603, badFile)
        Check.equal((await block(folder, 0, 9))["chunk"], base64("bye"), "the block")
        Check.equal((await folder.cat("a")).toString("utf8"), "bye", "the content")
      },
    },
  },
  requires,
)
