// @ts-check
// THIRD_PARTY_NOTICES: the packages whose code is in what is built, with their licences. Packages that npm installs
// beside it bring their own.
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** @import { Plugin } from "esbuild" */

/** The folder of the package that a file belongs to; none for a file of ours. */
const packageFolder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/

/** @param {string} folder */
const licenceOf = (folder) => {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))
  return file === undefined ? "" : readFileSync(join(folder, file), "utf8").trim()
}

/** @param {string} root */
export const make = (root) => {
  /** @type {Set<string>} */
  const folders = new Set()

  /**
   * Notes what a build takes code from.
   * @type {Plugin}
   */
  const plugin = {
    name: "notices",
    setup: ({ initialOptions, onEnd }) => {
      initialOptions.metafile = true
      onEnd(({ metafile }) => {
        for (const { inputs } of Object.values(metafile?.outputs ?? {}))
          for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
            const [folder] = packageFolder.exec(path) ?? []
            if (folder !== undefined && bytesInOutput > 0) folders.add(folder)
          }
      })
    },
  }

  /** Writes the notices, packages with the same licence together. A package without one is an error. @param {string} file */
  const write = (file) => {
    /** @type {Map<string, string[]>} */
    const texts = new Map()
    for (const folder of [...folders].toSorted()) {
      const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
      const text = licenceOf(join(root, folder)) || license
      if (text === undefined) throw new Error(`${name} ${version} has no licence`)
      texts.set(text, [...(texts.get(text) ?? []), `${name} ${version} (${license})`])
    }
    const parts = [...texts].map(([text, names]) => `${names.join("\n")}\n\n${text}\n`)
    writeFileSync(
      file,
      `procwire contains code of these packages.\n\n${parts.join(`\n${"-".repeat(80)}\n\n`)}`,
    )
  }
  return { plugin, write }
}
