/**
 * `fs/readBlock`: parts of a file, anywhere in it.
 */
import * as Check from "../Check.ts"
import { badFile, block, most, open, requires, writeBlock } from "./blocks.ts"
import { base64, folderTable } from "./folder.ts"

export const fsReadBlock = folderTable(
  "fs/readBlock",
  {
    "eof-only-when-short": {
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
    "shows-what-is-written-meanwhile": {
      level: "peer",
      setup: "printf old >a",
      says: "A file that is open for reading shows what fs/writeFile has written in its place since.",
      run: async (folder) => {
        await open(folder, "a")
        await folder.ok("fs/writeFile", { path: folder.uri("a"), dataBase64: base64("new") })
        Check.equal(await block(folder, 0, 3), { chunk: base64("new"), eof: false }, "the block")
      },
    },
    "largest-block-is-full": {
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
        Check.equal(error?.code, -32600, "the code")
        Check.equal(error?.message, "Invalid argument (os error 22)", "the text")
        await folder.refused("fs/readBlock", { handleId: "h", offset: 0, len: 1 }, -32004)
      },
    },
    "range-beyond-all-files-closes": {
      level: "should",
      spec: ["b43"],
      setup: "printf bye >a",
      says:
        "A block that ends behind the offset 2^63-1 is refused with -32600 and Invalid argument (os error 22), " +
        "and closes the handle; one that ends there is empty.",
      run: async (folder) => {
        const ask = (offset: bigint, len: number) =>
          folder.wire.exchange(
            `{"id":7,"method":"fs/readBlock","params":{"handleId":"h","offset":${offset},"len":${len}}}`,
          )
        await open(folder, "a")
        const last = 2n ** 63n - 1n
        Check.equal((await ask(last - 9n, 9)).result, { chunk: "", eof: true }, "the last block")
        for (const [offset, len] of [
          [last - 9n, 10],
          [last - 1n, 2],
          [last, 1],
        ] as const) {
          const { error } = await ask(offset, len)
          Check.equal(error?.code, -32600, `the code for ${len} bytes at ${offset}`)
          Check.equal(error?.message, "Invalid argument (os error 22)", "the text")
          await open(folder, "a")
        }
      },
    },
    "judged-before-the-handle": {
      level: "should",
      spec: ["b42"],
      says:
        "The length of a handle id, then the length and the range of a block are told before an unknown " +
        "handle, by readBlock and by writeBlock.",
      run: async ({ refused, wire }) => {
        const tooLong = "file handle ID must not exceed 32 bytes"
        const read = { handleId: "never", offset: 0, len: 0 }
        await refused("fs/readBlock", { ...read, handleId: "h".repeat(33) }, -32600, tooLong)
        await refused("fs/readBlock", read, -32600, "file read block length must be between 1 and 1048576")
        const write = { handleId: "never", offset: 0, chunk: "" }
        await refused("fs/writeBlock", { ...write, handleId: "h".repeat(33) }, -32600, tooLong)
        await refused("fs/writeBlock", write, -32600, "file write block length must be between 1 and 1048576")
        const { error } = await wire.exchange(
          '{"id":7,"method":"fs/writeBlock","params":{"handleId":"never","offset":9223372036854775807,"chunk":"YQ=="}}',
        )
        Check.equal(
          error?.message,
          "file write range exceeds the signed 64-bit file offset limit",
          "the text",
        )
      },
    },
    "goes-on-after-unlink": {
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
