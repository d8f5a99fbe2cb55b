/**
 * `fs/readBlock`: parts of a file, anywhere in it. `fs/writeBlock`: parts of a file, anywhere in it. `fs/open` and
 * `fs/close`: handles with ids of the client, their number and their lifetime.
 */
import { Check, type Json } from "../Vocabulary.ts"
import { type Folder, base64, folderTable, noFile } from "./folder.ts"
import { resume } from "./resuming.ts"

export const requires = ["filesystem", "filesystem-blocks"] as const

/** The largest block, in bytes. */
export const most = 1_048_576

export const badFile = "Bad file descriptor (os error 9)"

export const open = ({ ok, uri }: Folder, name: string, mode = "read") =>
  ok("fs/open", { handleId: "h", path: uri(name), mode })

export const block = ({ ok }: Folder, offset: Json, len: number) =>
  ok("fs/readBlock", { handleId: "h", offset, len })

export const writeBlock = async ({ ok }: Folder, offset: number, content: string | Buffer): Promise<void> => {
  const result = await ok("fs/writeBlock", { handleId: "h", offset, chunk: base64(content) })
  Check.equal(result, {}, "the result of fs/writeBlock")
}

export const fsReadBlock = folderTable("fs/readBlock", requires, {
  "eof-only-when-short": {
    spec: ["b41"],
    setup: "printf 0123456789 >a",
    says: `A block that ends exactly at the end of the file has eof false, a shorter one eof true, one
        past the end is empty with eof true.`,
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
      Check.isTrue(Buffer.concat(blocks).equals(await folder.cat("a")), "the bytes differ from those of cat")
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
    says: `The offset 2^64-1 is refused with -32600 and Invalid argument (os error 22), and closes the
        handle: it is then unknown, -32004.`,
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
    says: `A block that ends behind the offset 2^63-1 is refused with -32600 and Invalid argument (os
        error 22), and closes the handle; one that ends there is empty.`,
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
    says: `The length of a handle id, then the length and the range of a block are told before an unknown
        handle, by readBlock and by writeBlock.`,
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
      Check.equal(error?.message, "file write range exceeds the signed 64-bit file offset limit", "the text")
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
    says: `fs/open, readBlock, close and open with the same id again, sent without waiting for answers,
        are done in that order.`,
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
})

export const fsWriteBlock = folderTable("fs/writeBlock", requires, {
  "anywhere-in-any-order": {
    spec: ["b45"],
    setup: "printf 'something old' >a",
    says: `fs/open with mode replace truncates; blocks can be written in any order and with gaps, which
        read as zeros, and are visible to others before fs/close.`,
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
    says: `fs/open with mode replace creates a file with the mode 0666 less the umask; two blocks of 1 MiB
        can be written to it.`,
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
    says: `An empty block, one of more than 1 MiB, and one that ends beyond 2^63-1 are refused with
        -32600; the handle can still be used.`,
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
    says: `writeBlock on a handle for reading is refused with -32603 and Bad file descriptor (os error 9);
        the handle can still be read.`,
    run: async (folder) => {
      await open(folder, "a")
      const params = { handleId: "h", offset: 0, chunk: "YQ==" }
      await folder.refused("fs/writeBlock", params, -32603, badFile)
      Check.equal((await block(folder, 0, 9))["chunk"], base64("bye"), "the block")
      Check.equal((await folder.cat("a")).toString("utf8"), "bye", "the content")
    },
  },
})

const openAs = ({ ok, uri }: Folder, handleId: string, name: string, mode?: string) =>
  ok("fs/open", { handleId, path: uri(name), ...(mode === undefined ? {} : { mode }) })

export const fsOpen = folderTable("fs/open", requires, {
  "echoes-the-id": {
    spec: ["b38", "b48"],
    setup: "printf bye >a",
    says: `fs/open {handleId, path} returns {handleId}; fs/close returns {}, also for a closed handle and
        for an id that was never open.`,
    run: async (folder) => {
      for (const id of ["h", "", 'a "b" é']) {
        Check.equal(await openAs(folder, id, "a"), { handleId: id }, "the result of fs/open")
        for (let round = 0; round < 2; round++) {
          await folder.ok("fs/close", { handleId: id }, {})
        }
      }
      await folder.ok("fs/close", { handleId: "never" }, {})
    },
  },
  "long-ids-refused": {
    spec: ["b38"],
    setup: "printf bye >a",
    says: `A handleId may have 32 bytes of UTF-8; one of 33 is refused with -32600 by open, readBlock,
        writeBlock and close.`,
    run: async (folder) => {
      for (const id of ["x".repeat(32), "é".repeat(16)]) await openAs(folder, id, "a")
      const text = "file handle ID must not exceed 32 bytes"
      for (const handleId of ["x".repeat(33), "é".repeat(17)]) {
        await folder.refused("fs/open", { handleId, path: folder.uri("a") }, -32600, text)
        await folder.refused("fs/readBlock", { handleId, offset: 0, len: 1 }, -32600, text)
        await folder.refused("fs/writeBlock", { handleId, offset: 0, chunk: "YQ==" }, -32600, text)
        await folder.refused("fs/close", { handleId }, -32600, text)
      }
    },
  },
  "duplicate-id-refused": {
    spec: ["b39"],
    setup: "printf bye >a; printf precious >b",
    says: `fs/open with an id that is open is refused with -32600, and with mode replace leaves the file
        as it was.`,
    run: async (folder) => {
      await openAs(folder, "h1", "a")
      const params = { handleId: "h1", path: folder.uri("b"), mode: "replace" }
      await folder.refused("fs/open", params, -32600, "file handle `h1` already exists")
      Check.equal((await folder.cat("b")).toString("utf8"), "precious", "the content")
      const { chunk } = await folder.ok("fs/readBlock", { handleId: "h1", offset: 0, len: 9 })
      Check.equal(chunk, base64("bye"), "what the first handle reads")
    },
  },
  "at-most-128-handles": {
    spec: ["b40"],
    setup: "printf bye >a",
    says: `The 129th handle of a connection is refused with -32600 and creates no file; after a close
        another one can be opened.`,
    run: async (folder) => {
      const { wire, uri } = folder
      const ids = Array.from({ length: 128 }, (_, index) => `h${index}`)
      await Promise.all(ids.map((id) => openAs(folder, id, "a")))
      const extra = { handleId: "extra", path: uri("new"), mode: "replace" }
      await folder.refused("fs/open", extra, -32600, "at most 128 file handles may be open per connection")
      await folder.sh("test ! -e new")
      await wire.ok("fs/close", { handleId: "h7" })
      await wire.ok("fs/open", extra)
      await folder.sh("test -e new")
    },
  },
  "only-files": {
    spec: ["b45"],
    setup: "mkdir d; mkfifo p; printf bye >a; ln -s a l",
    says: `fs/open follows links; a folder or a pipe is refused with -32600, something missing with
        -32004; with mode replace a folder with -32603 and a missing parent with -32004.`,
    run: async (folder) => {
      const { uri, path, refused } = folder
      await openAs(folder, "l", "l")
      const at = (name: string, mode: string) => ({ handleId: "h", path: uri(name), mode })
      for (const name of ["d", "p"]) {
        await refused("fs/open", at(name, "read"), -32600, `path \`${path}/${name}\` is not a file`)
      }
      await refused("fs/open", at("none", "read"), -32004, noFile)
      await refused("fs/open", at("d", "replace"), -32603, "Is a directory (os error 21)")
      await refused("fs/open", at("none/a", "replace"), -32004, noFile)
    },
  },
  "unknown-mode-refused": {
    spec: ["b50"],
    setup: "printf precious >a",
    says: "Modes are read, the default, and replace: append and null are refused with -32602.",
    run: async (folder) => {
      await openAs(folder, "r", "a", "read")
      for (const mode of ["append", "write", "", null]) {
        await folder.refused("fs/open", { handleId: "h", path: folder.uri("a"), mode }, -32602)
      }
      Check.equal((await folder.cat("a")).toString("utf8"), "precious", "the content")
    },
  },
  "handles-die-with-the-connection": {
    spec: ["b49"],
    requires: ["resume"],
    transports: "sockets",
    setup: "printf bye >a",
    says: `A handle belongs to its connection: when the session is resumed on another connection, its id
        is unknown, -32004.`,
    run: async ({ t, uri }) => {
      const first = await t.connect()
      const { sessionId } = await first.handshake()
      await first.ok("fs/open", { handleId: "h", path: uri("a") })
      first.channel.drop()
      const second = await resume(t, Check.text(sessionId, "sessionId"))
      second.send({ method: "initialized" })
      await second.refused("fs/readBlock", { handleId: "h", offset: 0, len: 1 }, -32004)
      await second.ok("fs/open", { handleId: "h", path: uri("a") })
    },
  },
})
