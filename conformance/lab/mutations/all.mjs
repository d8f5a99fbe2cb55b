// @ts-check
// Every mutation, and those that no longer apply to the sources.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { adapters } from "./adapters.mjs"
import { agent } from "./agent.mjs"
import { attaching } from "./attach.mjs"
import { client } from "./client.mjs"
import { confine } from "./confine.mjs"
import { dialects } from "./dialects.mjs"
import { directories } from "./directory.mjs"
import { doors } from "./doors.mjs"
import { files } from "./files.mjs"
import { http } from "./http.mjs"
import { lists } from "./lists.mjs"
import { marksOfOutput } from "./marks.mjs"
import { processes } from "./process.mjs"
import { protocol } from "./protocol.mjs"
import { reports } from "./reports.mjs"
import { restarts } from "./restart.mjs"
import { screens } from "./screens.mjs"
import { server } from "./server.mjs"
import { histories } from "./history.mjs"
import { waits } from "./waits.mjs"
import { web } from "./web.mjs"

/** @import { Mutation } from "./mutation.mjs" */

/** @type {readonly Mutation[]} */
export const all = [
  ...protocol,
  ...dialects,
  ...processes,
  ...restarts,
  ...screens,
  ...waits,
  ...histories,
  ...lists,
  ...marksOfOutput,
  ...attaching,
  ...directories,
  ...files,
  ...http,
  ...server,
  ...client,
  ...agent,
  ...adapters,
  ...confine,
  ...doors,
  ...reports,
  ...web,
]

/** @param {string} glob a case, its family, or both with `*` @param {string} id */
const fits = (glob, id) => new RegExp(`^${glob.replaceAll("*", "[^/]*")}(/|$)`).test(id)

/**
 * Why a mutation does not apply to a tree: its text is not there exactly once, or its tests or cases are not there.
 * @param {Mutation} mutation
 * @param {string} tree
 * @param {readonly { id: string }[]} known the cases of the wire suite
 * @returns {string | undefined}
 */
export const fault = ({ file, find, cases, tests = [] }, tree, known) => {
  const path = join(tree, file)
  if (!existsSync(path)) return "the file does not exist"
  const count = readFileSync(path, "utf8").split(find).length - 1
  if (count !== 1) return `found ${count} times: ${find}`
  const missing = tests.find((test) => !existsSync(join(tree, test)))
  if (missing !== undefined) return `no such test: ${missing}`
  const unknown = cases.find((glob) => !known.some(({ id }) => fits(glob, id)))
  return unknown && `no such case: ${unknown}`
}
