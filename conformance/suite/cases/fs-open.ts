/**
 * `fs/open` and `fs/close`: handles with ids of the client, their number and their lifetime.
 */
import * as Check from "../Check.ts"
import { base64, folderTable, noFile, type Folder } from "./folder.ts"
import { resume } from "./resuming.ts"

const requires = ["filesystem", "filesystem-blocks"] as const

const open = ({ ok, uri }: Folder, handleId: string, name: string, mode?: string) =>
  ok("fs/open", { handleId, path: uri(name), ...(mode === undefined ? {} : { mode }) })

export const fsOpen = folderTable(
  "fs/open",
  {
    "echoes-the-id": {
      spec: ["b38", "b48"],
      setup: "printf bye >a",
      says:
        "fs/open {handleId, path} returns {handleId}; fs/close returns {}, also for a closed handle and for " +
        "an id that was never open.",
      run: async (folder) => {
        for (const id of ["h", "", 'a "b" é']) {
          Check.equal(await open(folder, id, "a"), { handleId: id }, "the result of fs/open")
          for (let round = 0; round < 2; round++) {
            Check.equal(await folder.ok("fs/close", { handleId: id }), {}, "the result of fs/close")
          }
        }
        Check.equal(await folder.ok("fs/close", { handleId: "never" }), {}, "the result of fs/close")
      },
    },
    "long-ids-refused": {
      spec: ["b38"],
      setup: "printf bye >a",
      says:
        "A handleId may have 32 bytes of UTF-8; one of 33 is refused with -32600 by open, readBlock, " +
        "writeBlock and close.",
      run: async (folder) => {
        for (const id of ["x".repeat(32), "é".repeat(16)]) await open(folder, id, "a")
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
      says:
        "fs/open with an id that is open is refused with -32600, and with mode replace leaves the file as it " +
        "was.",
      run: async (folder) => {
        await open(folder, "h1", "a")
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
      says:
        "The 129th handle of a connection is refused with -32600 and creates no file; after a close another " +
        "one can be opened.",
      run: async (folder) => {
        const { wire, uri } = folder
        const ids = Array.from({ length: 128 }, (_, index) => `h${index}`)
        await Promise.all(ids.map((id) => open(folder, id, "a")))
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
      says:
        "fs/open follows links; a folder or a pipe is refused with -32600, something missing with -32004; " +
        "with mode replace a folder with -32603 and a missing parent with -32004.",
      run: async (folder) => {
        const { uri, path, refused } = folder
        await open(folder, "l", "l")
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
        await open(folder, "r", "a", "read")
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
      says:
        "A handle belongs to its connection: when the session is resumed on another connection, its id is " +
        "unknown, -32004.",
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
  },
  requires,
)
