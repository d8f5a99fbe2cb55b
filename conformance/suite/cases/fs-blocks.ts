/**
 * `fs/readBlock` and `fs/writeBlock`: parts of files, anywhere in them.
 */
import * as Check from "../Check.ts"
import type { Json } from "../Json.ts"
import { base64, folderTable, type Folder } from "./folder.ts"

const requires = ["filesystem", "filesystem-blocks"] as const

const most = 1_048_576

const open = ({ ok, uri }: Folder, name: string, mode = "read") =>
  ok("fs/open", { handleId: "h", path: uri(name), mode })

const block = ({ ok }: Folder, offset: Json, len: number) =>
  ok("fs/readBlock", { handleId: "h", offset, len })

const writeBlock = async ({ ok }: Folder, offset: number, content: string | Buffer): Promise<void> => {
  const result = await ok("fs/writeBlock", { handleId: "h", offset, chunk: base64(content) })
  Check.equal(result, {}, "the result of fs/writeBlock")
}

const badFile = "Bad file descriptor (os error 9)"

export const fsReadBlock = folderTable(
  "fs/readBlock",
  {
    "eof-only-when-short": {
      level: "must",
      spec: ["b41"],
      setup: "printf 0123456789 >a",
      says:
        "A block that ends exactly at the end of the file has eof false, a shorter one eof true, one past the " +
        "end is empty with eof true.",
      run: async (folder) => {
        await open(folder, "a")
        Check.equal(await block(folder, 0, 4), { chunk: base64("0123"), eof: false }, "the first block")
        Check.equal(await block(folder, 6, 5), { chunk: base64("6789"), eof: true }, "a block over the end")
        Check.equal(await block(folder, 0, 10), { chunk: base64("0123456789"), eof: false }, "the whole file")
        Check.equal(await block(folder, 10, 5), { chunk: "", eof: true }, "a block at the end")
        Check.equal(await block(folder, 1000, 5), { chunk: "", eof: true }, "a block behind the end")
      },
    },
    "largest-block-is-full": {
      level: "must",
      spec: ["b41"],
      setup: "head -c 2500000 /dev/urandom >a",
      says: "A file that is read in blocks of 1 MiB arrives byte for byte, in full blocks up to the last one.",
      run: async (folder) => {
        await open(folder, "a")
        const blocks: Array<Buffer> = []
        for (let eof = false; !eof;) {
          const result = await block(folder, blocks.length * most, most)
          blocks.push(Buffer.from(Check.text(result["chunk"], "chunk"), "base64"))
          eof = Check.flag(result["eof"], "eof")
        }
        Check.equal(
          blocks.map(({ length }) => length),
          [most, most, 2_500_000 - 2 * most],
          "the sizes",
        )
        Check.isTrue(
          Buffer.concat(blocks).equals(await folder.cat("a")),
          "the bytes differ from those of cat",
        )
      },
    },
    "bad-length-refused": {
      level: "must",
      spec: ["b42"],
      setup: "printf bye >a",
      says: "A len of 0 or of more than 1 MiB is refused with -32600, and the handle can still be used.",
      run: async (folder) => {
        await open(folder, "a")
        const text = "file read block length must be between 1 and 1048576"
        for (const len of [0, most + 1]) {
          await folder.refused("fs/readBlock", { handleId: "h", offset: 0, len }, -32600, text)
        }
        Check.equal((await block(folder, 0, 3))["chunk"], base64("bye"), "the next block")
      },
    },
    "impossible-offset-closes": {
      level: "must",
      spec: ["b43"],
      setup: "printf bye >a",
      says:
        "The offset 2^64-1 is refused with -32600 and Invalid argument (os error 22), and closes the handle: " +
        "it is then unknown, -32004.",
      run: async (folder) => {
        const { wire } = folder
        await open(folder, "a")
        const ask =
          '{"id":7,"method":"fs/readBlock","params":{"handleId":"h","offset":18446744073709551615,"len":1}}'
        const { error } = await wire.exchange(ask)
        Check.equal(error?.code ?? null, -32600, "the code")
        Check.equal(error?.message ?? null, "Invalid argument (os error 22)", "the text")
        await folder.refused("fs/readBlock", { handleId: "h", offset: 0, len: 1 }, -32004)
      },
    },
    "goes-on-after-unlink": {
      level: "must",
      spec: ["b44"],
      setup: "printf bye >a",
      says: "A file that is open can still be read after it was removed.",
      run: async (folder) => {
        await open(folder, "a")
        await folder.sh("rm a")
        Check.equal((await block(folder, 0, 9))["chunk"], base64("bye"), "the block")
      },
    },
    "unknown-handle-refused": {
      level: "must",
      spec: [],
      setup: "printf bye >a",
      says: "readBlock and writeBlock with an id that is not open, or was closed, are refused with -32004.",
      run: async (folder) => {
        await open(folder, "a")
        await folder.ok("fs/close", { handleId: "h" })
        for (const handleId of ["h", "never"]) {
          await folder.refused("fs/readBlock", { handleId, offset: 0, len: 1 }, -32004)
          await folder.refused("fs/writeBlock", { handleId, offset: 0, chunk: "YQ==" }, -32004)
        }
      },
    },
    "write-handle-refused": {
      level: "should",
      spec: ["b45"],
      says: "readBlock on a handle with mode replace is refused with -32603 and Bad file descriptor (os error 9).",
      run: async (folder) => {
        await open(folder, "a", "replace")
        await folder.refused("fs/readBlock", { handleId: "h", offset: 0, len: 1 }, -32603, badFile)
      },
    },
    "write-handle-survives": {
      level: "should",
      spec: ["b45"],
      says: "A handle with mode replace can still be written after a readBlock on it was refused.",
      run: async (folder) => {
        await open(folder, "a", "replace")
        await folder.refused("fs/readBlock", { handleId: "h", offset: 0, len: 1 }, -32603, badFile)
        await writeBlock(folder, 0, "bye")
        Check.equal((await folder.cat("a")).toString("utf8"), "bye", "the content")
      },
    },
    "without-waiting-for-answers": {
      level: "must",
      spec: [],
      setup: "printf 0123456789 >a",
      says:
        "fs/open, readBlock, close and open with the same id again, sent without waiting for answers, are " +
        "done in that order.",
      run: async (folder) => {
        const { wire, uri } = folder
        const opening = { handleId: "h", path: uri("a") }
        const answers = await Promise.all([
          wire.begin("fs/open", opening),
          wire.begin("fs/readBlock", { handleId: "h", offset: 2, len: 3 }),
          wire.begin("fs/close", { handleId: "h" }),
          wire.begin("fs/readBlock", { handleId: "h", offset: 0, len: 1 }),
          wire.begin("fs/open", opening),
        ])
        const seen = answers.map(({ result, error }) => result ?? error?.code ?? null)
        const block = { chunk: base64("234"), eof: false }
        Check.equal(seen, [{ handleId: "h" }, block, {}, -32004, { handleId: "h" }], "the answers")
      },
    },
  },
  requires,
)

export const fsWriteBlock = folderTable(
  "fs/writeBlock",
  {
    "anywhere-in-any-order": {
      level: "must",
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
      level: "must",
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
      level: "must",
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
        Check.equal(error?.code ?? null, -32600, "the code for the offset 2^63-1")
        const range = "file write range exceeds the signed 64-bit file offset limit"
        Check.equal(error?.message ?? null, range, "the text for the offset 2^63-1")
        await writeBlock(folder, 0, "bye")
      },
    },
    "bad-base64-refused": {
      level: "must",
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
      level: "must",
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
