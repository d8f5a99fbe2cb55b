// @ts-check
// Faults in what is done to files.
import { fault, less } from "./changes.mjs"

/** @import { WireFault } from "./changes.mjs" */
/** @import { Message } from "./relay.mjs" */

const changing = ["fs/rename", "fs/setMode", "fs/createSymlink"]

/** Requests that change something, without some of their params. @param {readonly string[]} names */
const without = (...names) => ({
  asked: (/** @type {Message} */ m) =>
    changing.includes(m.method) ? { ...m, params: less(m.params, ...names) } : undefined,
})

/** @type {readonly WireFault[]} */
export const files = [
  fault`rename-replaces: What is at the destination of a rename is always replaced.
    fs/rename/replaces-nothing-unasked fs/rename/one-of-many-wins`.params("fs/rename", (asked) => ({
    ...asked,
    overwrite: true,
  })),
  fault`rename-never-replaces: What is at the destination of a rename is never replaced.
    fs/rename/overwrite-replaces fs/rename/a-reader-finds-one-or-the-other`.params("fs/rename", (asked) =>
    less(asked, "overwrite"),
  ),
  fault`rename-removes-first: What is at the destination of a rename is removed before it, with what is in it.
    fs/rename/overwrite-spares-folders fs/rename/a-reader-finds-one-or-the-other`.by((c) => ({
    asked: async (m) => {
      if (m.method !== "fs/rename" || m.params?.overwrite !== true) return undefined
      await c.ask("fs/remove", { path: m.params.destinationPath })
      return undefined
    },
  })),
  fault`changes-follow-links: What followSymlinks says of a rename, a mode or a new link is ignored.
    fs/rename/no-follow fs/setMode/no-follow fs/createSymlink/no-follow`.by(without("followSymlinks")),
  fault`changes-unconfined: A rename, a mode or a new link knows no sandbox.
    fs/sandbox/changes-never-unconfined`.by(without("sandbox")),
  fault`mode-of-nine-bits: Set-id and sticky are no part of a mode.
    fs/setMode/sets-all-bits`.params("fs/setMode", (asked) => ({
    ...asked,
    mode: typeof asked.mode === "number" && asked.mode <= 0o7777 ? asked.mode & 0o777 : asked.mode,
  })),
  fault`mode-of-any-number: A mode that is none is taken as some other.
    fs/setMode/what-is-no-mode-refused`.params("fs/setMode", (asked) => ({
    ...asked,
    mode: Number(asked.mode) & 0o7777,
  })),
  fault`link-target-tidied: The target of a new link is tidied up.
    fs/createSymlink/keeps-the-target-as-it-is`.params("fs/createSymlink", (asked) => ({
    ...asked,
    target: asked.target?.replaceAll("//", "/"),
  })),
  fault`link-replaces: A new link replaces what is in its way.
    fs/createSymlink/existing-refused`.by((c) => ({
    asked: async (m) => {
      if (m.method === "fs/createSymlink") await c.ask("fs/remove", { path: m.params.path })
      return undefined
    },
  })),
  fault`link-without-target: A new link without a target leads to its own folder.
    fs/createSymlink/what-is-no-target-refused`.params("fs/createSymlink", (asked) => ({
    ...asked,
    target: asked.target || ".",
  })),
]
