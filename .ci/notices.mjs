// @ts-check
// THIRD_PARTY_NOTICES, the packages whose code is in what is built, with their licences, and the same for programs: a
// bill of materials in the format of CycloneDX. Packages that npm installs beside it bring their own.
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

  const packages = () =>
    [...folders].toSorted().map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
      if (license === undefined) throw new Error(`${name} ${version} names no licence`)
      return { name, version, license, text: licenceOf(join(root, folder)) || license }
    })

  /** Packages with the same licence are together. @param {string} file */
  const write = (file) => {
    const all = packages()
    const parts = [...new Set(all.map(({ text }) => text))].map((text) => {
      const names = all.filter((one) => one.text === text)
      return `${names.map(({ name, version, license }) => `${name} ${version} (${license})`).join("\n")}\n\n${text}\n`
    })
    writeFileSync(
      file,
      `procwire contains code of these packages.\n\n${parts.join(`\n${"-".repeat(80)}\n\n`)}`,
    )
  }

  /** Without a time or a serial number, so that the same sources give the same bytes. @param {string} file */
  const writeMaterials = (file) => {
    const components = packages().map(({ name, version, license }) => ({
      type: "library",
      name,
      version,
      purl: `pkg:npm/${name.replace(/^@/, "%40")}@${version}`,
      licenses: [{ license: { id: license } }],
    }))
    const materials = { bomFormat: "CycloneDX", specVersion: "1.6", version: 1, components }
    writeFileSync(file, `${JSON.stringify(materials, undefined, 2)}\n`)
  }
  return { plugin, write, writeMaterials }
}
