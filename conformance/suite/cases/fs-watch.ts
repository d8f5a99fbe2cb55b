/**
 * `fs/watchMissing`: one notification, `fs/missingChanged`, when a missing path appears.
 */
import { Check, isObject, type JsonObject } from "../Vocabulary.ts"
import { folderTable, type Folder } from "./folder.ts"

const requires = ["filesystem", "filesystem-watch"] as const

const watching = async ({ ok }: Folder, params: JsonObject): Promise<boolean> => {
  const result = await ok("fs/watchMissing", params)
  return Check.flag(result["watching"], "watching in the result of fs/watchMissing")
}

/** The ids of all notifications so far. */
const changed = ({ wire }: Folder): ReadonlyArray<number> =>
  wire.inbox.messages.flatMap(({ json }) => {
    if (!isObject(json) || json["method"] !== "fs/missingChanged") return []
    return [Check.integer(Check.object(json["params"], "its params")["watchId"], "watchId")]
  })

const awaitChange = async (folder: Folder, id: number): Promise<void> => {
  const { wire } = folder
  await wire.inbox.wait(`fs/missingChanged of watch ${id}`, wire.timeoutMs, () =>
    changed(folder).includes(id) ? true : undefined,
  )
}

export const fsWatch = folderTable("fs/watchMissing", requires, {
  "fires-once": {
    spec: ["b71"],
    says: `After fs/watchMissing {watchId, missing} with {watching:true} the creation of a missing file is
        notified once, as fs/missingChanged {watchId}.`,
    run: async (folder) => {
      const missing = [folder.uri("a"), folder.uri("b")]
      Check.equal(await watching(folder, { watchId: 6, missing }), true, "watching")
      await folder.sh(": >other")
      Check.equal(changed(folder), [], "notifications before")
      await folder.sh(": >a")
      await awaitChange(folder, 6)
      await folder.sh(": >b; rm a; : >a")
      Check.equal(await watching(folder, { watchId: 7, missing: [folder.uri("c")] }), true, "watching")
      await folder.sh(": >c")
      await awaitChange(folder, 7)
      Check.equal(changed(folder), [6, 7], "all notifications")
    },
  },
  "ancestor-fires": {
    spec: ["b71"],
    says: "The creation of a folder on the way to a missing file is notified.",
    run: async (folder) => {
      Check.equal(await watching(folder, { watchId: 1, missing: [folder.uri("a/b/c")] }), true, "watching")
      await folder.sh("mkdir a")
      await awaitChange(folder, 1)
    },
  },
  "change-of-present-fires": {
    spec: ["b71"],
    setup: "printf old >p",
    says: "A change of a file in present is notified, too.",
    run: async (folder) => {
      const params = { watchId: 1, missing: [folder.uri("a")], present: folder.uri("p") }
      Check.equal(await watching(folder, params), true, "watching")
      await folder.sh("printf newer >p")
      await awaitChange(folder, 1)
    },
  },
  "content-of-present-folder-ignored": {
    level: "should",
    spec: ["b71"],
    setup: "mkdir p w",
    says: "If present is a folder, a change of its own attributes is notified, and one of what is in it is not.",
    run: async (folder) => {
      const params = { watchId: 1, missing: [folder.uri("w/a/b")], present: folder.uri("p") }
      Check.equal(await watching(folder, params), true, "watching")
      await folder.sh(": >p/inside")
      for (const beside of ["b", "c", "d"]) await folder.sh(`: >${beside}`)
      Check.equal(changed(folder), [], "notifications before")
      await folder.sh("chmod 700 p")
      await awaitChange(folder, 1)
    },
  },
  "greater-id-replaces": {
    spec: ["b71"],
    says: `A watch with a greater id replaces the one before, which never fires; an id that is not greater
        is answered with watching false.`,
    run: async (folder) => {
      const at = (watchId: number, name: string) => ({ watchId, missing: [folder.uri(name)] })
      Check.equal(await watching(folder, at(5, "a")), true, "watching of 5")
      Check.equal(await watching(folder, at(8, "b")), true, "watching of 8")
      for (const stale of [5, 8])
        Check.equal(await watching(folder, at(stale, "c")), false, `watching of ${stale}`)
      await folder.sh(": >a; : >c")
      await folder.sh(": >b")
      await awaitChange(folder, 8)
      Check.equal(changed(folder), [8], "all notifications")
    },
  },
  "unwatchable-is-false": {
    level: "should",
    spec: ["b71"],
    setup: "mkdir d; ln -s d l; : >f; ln -s f m",
    says: `watching is false for the id 0, for a name of more than 255 bytes, for a URI of another host or
        with a drive letter, and for a path with a symbolic link in it; each of these ids counts as used.`,
    run: async (folder) => {
      const { uri } = folder
      const a = uri("a")
      const requests: ReadonlyArray<JsonObject> = [
        { missing: [a] },
        { missing: [uri("n".repeat(256))] },
        { missing: [`${uri("n".repeat(256))}/a`] },
        { missing: ["file:///C:/x"] },
        { missing: [a, "file://host/x"] },
        { missing: [a], present: "file:///C:/x" },
        { missing: [uri("f/a")] },
        { missing: [uri("l/a")] },
        { missing: [uri("l/b/c")] },
        { missing: [a], present: uri("m") },
      ]
      for (const [watchId, request] of requests.entries()) {
        const what = `watching of ${JSON.stringify(request)}`
        Check.equal(await watching(folder, { watchId, ...request }), false, what)
      }
      const last = requests.length - 1
      Check.equal(await watching(folder, { watchId: last, missing: [a] }), false, "watching of a used id")
      const more = { watchId: last + 1, missing: [uri("n".repeat(255))] }
      Check.equal(await watching(folder, more), true, "watching of a name of 255 bytes")
    },
  },
  "silent-file-systems-not-watched": {
    level: "should",
    spec: ["b71"],
    says: `watching is false below /proc and /sys, of whose changes the system tells nobody, for a missing
        path and for a present one, and also beside a path that can be watched.`,
    run: async (folder) => {
      const a = folder.uri("a")
      const requests: ReadonlyArray<JsonObject> = [
        { missing: ["file:///proc/none"] },
        { missing: ["file:///proc/none/below"] },
        { missing: ["file:///sys/none"] },
        { missing: [a, "file:///sys/kernel/none"] },
        { missing: [a], present: "file:///proc/version" },
      ]
      for (const [index, request] of requests.entries()) {
        const what = `watching of ${JSON.stringify(request)}`
        Check.equal(await watching(folder, { watchId: index + 1, ...request }), false, what)
      }
      Check.equal(await watching(folder, { watchId: 99, missing: [a] }), true, "watching of the folder")
    },
  },
  "nothing-to-watch": {
    spec: ["b71"],
    setup: ": >here",
    says: `watching is false for an empty list, a missing path that exists, a present path that does not,
        and more than 64 paths; it is true for 64.`,
    run: async (folder) => {
      const { uri } = folder
      const many = (count: number) => Array.from({ length: count }, (_, index) => uri(`m${index}`))
      Check.equal(await watching(folder, { watchId: 1, missing: [] }), false, "watching of nothing")
      Check.equal(
        await watching(folder, { watchId: 2, missing: [uri("here")] }),
        false,
        "watching of what exists",
      )
      const absent = { watchId: 3, missing: [uri("a")], present: uri("none") }
      Check.equal(await watching(folder, absent), false, "watching of an absent present path")
      Check.equal(await watching(folder, { watchId: 4, missing: many(65) }), false, "watching of 65 paths")
      Check.equal(await watching(folder, { watchId: 5, missing: many(64) }), true, "watching of 64 paths")
    },
  },
})
