// @ts-check
// The files of declarations as texts.
import { dirname, join } from "node:path"
/** @import ts from "typescript-5.6" */

/**
 * The types that stand for those of Effect.
 *
 * @param {string} duration what a duration may be
 */
export const plain = (duration) => `/**
 * A length of time: milliseconds, a \`bigint\` of nanoseconds, seconds with nanoseconds, or \`"5 seconds"\`. The
 * Effect doors of procwire take a \`Duration\` of Effect as well.
 */
export type Duration = ${duration};

/**
 * A \`Layer\` of Effect, as the Effect doors of procwire make and take them. Programs without Effect pass it on.
 */
export interface EffectLayer {
\t/** What a layer of Effect is known by. */
\tpipe(): unknown;
}

/**
 * The same object for programs with Effect: the Effect doors of procwire know its type, and take the object that has
 * it. Programs without Effect have no use for it.
 */
export interface EffectFace {}
`
export const plainName = "types/effect"

/** The packages whose types a door may show, beside those of Node. */
export const shownPackages = ["vitest", "@modelcontextprotocol/sdk", "@agentclientprotocol/sdk"]

/** @param {string} text */
export const withTabs = (text) => text.replaceAll(/^(?: {4})+/gm, (blanks) => "\t".repeat(blanks.length / 4))

/**
 * A file of the doors, as far as it is made.
 * @typedef {{
 *   readonly file: ts.SourceFile,
 *   readonly out: string,
 *   readonly statements: Map<ts.Statement, string | undefined>,
 *   readonly imports: Map<string, Import>,
 *   readonly exports: Map<string, Export>,
 * }} Module
 */

/**
 * An import, by the name that the other module has for it: `*` for all of it.
 * @typedef {{ readonly key: string, readonly from: string, readonly name: string }} Import
 * @typedef {{ readonly from: string | undefined, readonly name: string, readonly isType: boolean }} Export
 */

/** @typedef {{ readonly door: string, readonly path: string }} Way how a declaration is reached */

/** @typedef {{ readonly start: number, readonly end: number, readonly text: string }} Edit */

/**
 * The imports of a file that programs without Effect do not find.
 * @param {ReadonlyMap<string, string>} files
 * @param {string} name
 * @param {string} text
 */
export const importFaults = (files, name, text) =>
  [...text.replaceAll(/\/\*\*[^]*?\*\//g, "").matchAll(/(?:from|import\() ?"([^"]+)"/g)].flatMap(
    ([, from = ""]) => {
      const isThere = from.startsWith(".")
        ? files.has(join(dirname(name), from).replace(/\.js$/, ".d.ts"))
        : from.startsWith("node:") || shownPackages.some((one) => from === one || from.startsWith(`${one}/`))
      return isThere ? [] : [`the declarations of ${name}: there is no ${from}`]
    },
  )

/** @param {string} name of the other module @param {string} local */
const renamed = (name, local) => (name === local ? name : `${name} as ${local}`)

/**
 * Lines that import or export the same from a module, as one.
 * @param {readonly { readonly start: string, readonly what: string, readonly from: string | undefined }[]} all
 */
const lines = (all) => {
  /** @type {Map<string, Set<string>>} */
  const groups = new Map()
  for (const { start, what, from } of all) {
    const key = `${start} {} ${from === undefined ? "" : `from ${from}`}`.trimEnd()
    groups.set(key, (groups.get(key) ?? new Set()).add(what))
  }
  return [...groups].map(([key, names]) => `${key.replace("{}", `{ ${[...names].sort().join(", ")} }`)};\n`)
}

/** @param {Module} module @param {boolean} isDoor */
export const moduleText = ({ exports, file, imports, statements: kept }, isDoor) => {
  const libs = file.libReferenceDirectives.map(
    ({ fileName }) => `/// <reference lib="${fileName}" preserve="true" />\n`,
  )
  const header = isDoor ? /\/\*\*[^]*?\*\//.exec(file.text)?.[0] : undefined
  const imported = [...imports].map(([local, { from, name }]) => ({ local, from, name }))
  const exported = [...exports].map(([local, one]) => ({ ...one, local }))
  const statements = file.statements.flatMap((statement) => {
    const text = kept.get(statement)
    return text === undefined ? [] : [`${text}\n`]
  })
  return [
    ...libs,
    header === undefined ? "" : `${header}\n`,
    ...[
      ...imported
        .filter(({ name }) => name === "*")
        .map(({ from, local }) => `import type * as ${local} from ${from};\n`),
      ...lines(
        imported
          .filter(({ name }) => name !== "*")
          .map(({ from, local, name }) => ({ start: "import type", what: renamed(name, local), from })),
      ),
    ].sort(),
    ...exported
      .filter(({ name }) => name === "*")
      .map(({ from, local }) => `export * as ${local} from ${from};\n`),
    ...lines(
      exported
        .filter(({ name }) => name !== "*")
        .map(({ from, isType, local, name }) => ({
          start: isType ? "export type" : "export",
          what: renamed(name, local),
          from,
        })),
    ),
    ...statements,
    "export {};\n",
  ].join("")
}
