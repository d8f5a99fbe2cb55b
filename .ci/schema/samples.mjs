// @ts-check
// Values of the types of the wire, each with the name of its type: the examples of the schema, and what the server that
// is played for clients says in their cases.
import { pathToFileURL } from "node:url"
import { join } from "node:path"

/** @typedef {{ readonly Type: string, readonly Value: unknown }} Sample */

/** @param {Record<string, any>} schema @returns {Sample[]} */
export const examples = (schema) =>
  Object.entries(schema["$defs"]).flatMap(([Type, { examples: values = [] }]) =>
    /** @type {unknown[]} */ (values).map((Value) => ({ Type, Value })),
  )

/**
 * The notifications of each case for clients, and a read of all that has happened in it.
 * @param {string} root
 * @param {Record<string, any>} meta
 * @returns {Promise<Sample[]>}
 */
export const messages = async (root, meta) => {
  /** @param {string} method @param {"params" | "result"} part @returns {string} */
  const typeOf = (method, part) => meta["methods"][method][part].$ref.split("/").at(-1)
  /** @param {string} name */
  const load = (name) => import(pathToFileURL(join(root, `dist/conformance/client/${name}.js`)).href)
  const [{ load: scenarios }, Tongue] = await Promise.all([load("Scenario"), load("Tongue")])
  /** @type {Sample[]} */
  const found = []
  for (const scenario of scenarios()) {
    if (scenario.dialect !== "current") continue
    found.push({
      Type: typeOf("process/read", "result"),
      Value: Tongue.read(scenario, scenario.log.length, {}).result,
    })
    found.push({
      Type: typeOf("initialize", "result"),
      Value: Tongue.welcome(scenario, "11111111-2222-4333-8444-555555555555").result,
    })
    for (const [index, event] of scenario.log.entries()) {
      const { method, params } = Tongue.event("current", "work", index + 1, event)
      found.push({ Type: typeOf(method, "params"), Value: params })
    }
  }
  return found
}
