// @ts-check
// dist/lib/conformance/IDS.md: every case of every suite, from the compiled tables. An id keeps its meaning for ever.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

/** @param {readonly string[]} cells */
const row = (cells) => `| ${cells.join(" | ")} |`

/**
 * A case of any of the suites.
 * @typedef {object} Listed
 * @property {string} id
 * @property {string} level
 * @property {string} says
 * @property {readonly string[]} requires
 * @property {boolean} [slow]
 * @property {string} [transports]
 */

/** @param {Listed} one */
const caseRow = ({ id, level, requires, says, slow, transports = "any" }) => {
  const only = transports === "any" ? [] : [`${transports} only`]
  const needs = [...only, ...(slow ? ["slow"] : []), ...requires].join(", ")
  return row([`\`${id}\``, level, needs, says.replaceAll("|", "\\|")])
}

/**
 * The cases of one suite by family.
 * @param {string} title
 * @param {readonly Listed[]} cases
 * @param {(id: string) => string} familyOf
 */
const idsOf = (title, cases, familyOf) => {
  const families = [...new Set(cases.map(({ id }) => familyOf(id)))]
  return [
    `## ${title}`,
    ...families.flatMap((family) => [
      `### ${family}\n`,
      "| id | level | needs | |",
      "|---|---|---|---|",
      ...cases.filter(({ id }) => familyOf(id) === family).map(caseRow),
      "",
    ]),
  ].join("\n")
}

/** @param {string} id */
const firstTwoSteps = (id) => id.split("/").slice(0, 2).join("/")

/**
 * Writes the list of all cases for the package.
 * @param {string} root
 */
export const writeIds = async (root) => {
  /** @param {string} name */
  const load = (name) => import(pathToFileURL(join(root, `dist/conformance/${name}.js`)).href)
  const [wire, { family }, v0, clients, spawner, transport, directory] = await Promise.all(
    [
      "suite/cases/index",
      "suite/Case",
      "suite/cases/v0/index",
      "client/ClientRunner",
      "spawner/cases/index",
      "transport/cases/index",
      "directory/cases/index",
    ].map(load),
  )
  const ids = [
    "# Every case\n",
    idsOf("The wire", wire.cases, family),
    idsOf("The first wire, v0", v0.cases, family),
    idsOf("Clients", clients.cases(), firstTwoSteps),
    idsOf("The spawner", spawner.cases, firstTwoSteps),
    idsOf("The transport", transport.cases, firstTwoSteps),
    idsOf("The directory", directory.cases, firstTwoSteps),
  ]
  writeFileSync(join(root, "dist/lib/conformance/IDS.md"), ids.join("\n"))
}
