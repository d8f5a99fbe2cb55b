// @ts-check
// Mutations of files: of the parts of core/files, and of the methods that use them.
import { inFile } from "./mutation.mjs"

const lock = inFile("core/files/ReadWriteLock.ts")
const handles = inFile("core/files/Handles.ts")
const reading = inFile("core/files/Reading.ts")
const walk = inFile("core/files/Walk.ts")
const watch = inFile("core/files/MissingWatch.ts")
const changing = inFile("core/files/Changing.ts")
const copying = inFile("core/files/Copying.ts")

export const files = [
  lock("!exclusive && (!alone || running === 0)", "!exclusive", "a change does not wait for those who read"),
  lock(
    "if (queue.length === 0 && free(alone))",
    "if (free(alone))",
    "a reader overtakes a change that waits",
  ),
  lock(
    "if (at === -1) return release()",
    "if (at === -1) return",
    "a turn that nobody wants any more is kept",
  ),
  handles("handles.delete(id)", "void id", "a closed handle keeps its id", "fs/open"),
  handles(
    "eof: chunk.length < length",
    "eof: chunk.length === 0",
    "the last block is not the end",
    "fs/readBlock",
  ),
  handles(
    'mode === "read" ? Effect.tapError(reading, () => release) : reading',
    "reading",
    "a handle that cannot be read stays open",
    "fs/readBlock",
  ),
  handles(
    "if (offset + BigInt(bytes.length) > maxOffset)",
    "if (offset > maxOffset)",
    "a block may end beyond the last offset",
    "fs/writeBlock",
  ),
  handles(
    'yield* checkLength("read", id, length)\n        const { mode, file, release } = yield* find(id)',
    'const { mode, file, release } = yield* find(id)\n        yield* checkLength("read", id, length)',
    "a handle is looked for before the length of a block is judged",
    "fs/readBlock",
  ),
  handles(
    "handles.size >= FileSystem.maxHandles",
    "handles.size > FileSystem.maxHandles",
    "one handle too many may be open",
    "fs/open",
  ),
  reading(
    "if (isSymlink && !follow) return yield* containsLink",
    "void follow",
    "a link is followed although it must not be",
    "fs/noFollow",
  ),
  reading(
    'if (kind !== "link") return',
    "if (kind) return",
    "a link is listed as neither",
    "fs/readDirectory",
  ),
  reading(
    "const place = follow ? path : yield* pinEntry(files, path)\n    const file",
    "const place = path\n    const file",
    "links in the middle of a path are followed",
    "fs/noFollow",
  ),
  walk("looked === maxEntries", "looked > maxEntries", "one entry too many is listed", "fs/walk"),
  walk(
    "looked += 1\n          if (seen.kind === undefined) continue",
    "if (seen.kind === undefined) continue\n          looked += 1",
    "only what is listed counts for maxEntries",
    "fs/walk",
  ),
  walk(
    "const start = yield* files.info(root, { follow: true })",
    "const start = yield* files.info(root, { follow: followDirectorySymlinks })",
    "a dangling link is walked",
    "fs/walk",
  ),
  walk("(answerBytes += bytes + entryBytes)", "(answerBytes += bytes)", "an answer is too long", "fs/walk"),
  inFile("core/server/handlers/fs.ts")(
    "if (root === plain) return result",
    "if (root !== undefined) return result",
    "a walk spells its root anew",
    "fs/walk",
  ),
  inFile("core/rpc/Router.ts")(
    "decode(params, platform)",
    "decode(params)",
    "the text of a bad path does not name the platform",
    "fs/path",
  ),
  inFile("adapters/shared/files/HostFiles.ts")(
    "if (yield* attempt(() => isSilent(folder)))",
    "if (folder === undefined)",
    "a folder of /proc is watched",
    "fs/watchMissing",
  ),
  reading('if (info.kind !== "socket")', "if (path !== undefined)", "a socket is no file", "fs/readFile"),
  changing(
    'path === "/" && !recursive && !follow',
    "path === undefined",
    "the root is an entry",
    "fs/createDirectory",
  ),
  inFile("adapters/shared/files/Save.ts")(
    'if (!follow && old.kind !== "file")',
    'if (!follow && old.kind === "link")',
    "a device is written although no link may be followed",
    "fs/writeFile",
  ),
  inFile("adapters/shared/files/HostFiles.ts")(
    "if (beyond > 0n)",
    "if (beyond > 1n)",
    "a block beyond the last offset is empty",
    "fs/readBlock",
  ),
  walk("depth >= maxDepth", "depth > maxDepth", "a walk goes one level too deep", "fs/walk"),
  walk(
    "entered.has(seen.identity)",
    "entered.has(0 as never)",
    "a walk goes round in a circle of links",
    "fs/walk",
  ),
  walk('name.startsWith(".")', 'name.endsWith(".")', "hidden folders are entered", "fs/walk"),
  watch(
    "if (request.id <= latest)",
    "if (request.id < latest)",
    "the same watch may come twice",
    "fs/watchMissing",
  ),
  watch("let latest = 0n", "let latest = -1n", "a watch may have the id 0", "fs/watchMissing"),
  watch(
    "if (yield* isLinked(files, place.folder)) return false",
    "void isLinked",
    "a path through a link is watched",
    "fs/watchMissing",
  ),
  watch(
    'kind === "directory" ? `${identity} ${mode}` :',
    "",
    "what is written into a present folder is told",
    "fs/watchMissing",
  ),
  watch("if (live !== scope) return", "void scope", "a watch that was replaced is told", "fs/watchMissing"),
  changing(
    'if (kind === "link" && !follow) return yield* containsLink',
    "void containsLink",
    "a link is removed although none may be touched",
    "fs/noFollow",
  ),
  changing(
    "if (recursive && !follow) return unsupported",
    "void unsupported",
    "links may be refused in a tree",
    "fs/noFollow",
  ),
  changing(
    '({ kind }) => kind !== "directory")',
    '({ kind }) => kind === "file")',
    "links in a folder are not removed",
    "fs/remove",
  ),
  copying(
    "if (target.identity === identity) return",
    "void identity",
    "a copy to itself empties a file",
    "fs/copy",
  ),
  copying("yield* to.setMode(mode)", "void mode", "a copy has the mode of what was there", "fs/copy"),
  copying("offset += BigInt(block.length)", "offset += 1n", "blocks of a copy overlap", "fs/copy"),
  copying("to === from || to.startsWith", "to.startsWith", "a folder is copied onto itself", "fs/copy"),
]
