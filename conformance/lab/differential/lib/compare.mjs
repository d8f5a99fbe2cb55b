// @ts-check
// Two transcripts of one sequence: where they differ, and to which class a difference belongs.
import { isObject, members } from "./values.mjs"

/**
 * @import { Sequence, Transcript } from "./player.mjs"
 *
 * @typedef {object} Difference
 * @property {number} index of the step; that of the last for what is seen at the end
 * @property {string} method
 * @property {string} at what differs: `error`, `answer`, `result.size`, `said.stdout`, `tree /q/r/w/new`
 * @property {string} reference what the reference has there
 * @property {string} candidate
 * @property {string} request the text of the message
 * @property {string} earlier those of the messages before, a line each
 */

/** @param {unknown} value @returns {string} */
const shown = (value) =>
  value === undefined ? "nothing" : typeof value === "string" ? value : JSON.stringify(value)

/** @param {unknown} answer */
const errorOf = (answer) => {
  const { error } = members(answer)
  return error === undefined ? undefined : `${members(error)["code"]} ${shown(members(error)["message"])}`
}

/** @typedef {Pick<Difference, "at" | "reference" | "candidate">} Leaf */

/** @param {unknown} a @param {unknown} b @param {string} at @returns {Leaf[]} */
const leaves = (a, b, at) => {
  if (JSON.stringify(a) === JSON.stringify(b)) return []
  if (isObject(a) && isObject(b))
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((name) =>
      leaves(a[name], b[name], at === "" ? name : `${at}.${name}`),
    )
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length)
    return a.flatMap((one, index) => leaves(one, b[index], `${at}.${index}`))
  return [{ at, reference: shown(a), candidate: shown(b) }]
}

/** @param {unknown} a @param {unknown} b @returns {Leaf[]} */
const answers = (a, b) => {
  const [errorA, errorB] = [errorOf(a), errorOf(b)]
  if (errorA === undefined && errorB === undefined) return leaves(a, b, "")
  const outcome = (/** @type {unknown} */ one, /** @type {string | undefined} */ error) =>
    error ?? (isObject(one) ? `ok ${shown(one["result"] ?? one)}` : shown(one))
  const [reference, candidate] = [outcome(a, errorA), outcome(b, errorB)]
  if (reference !== candidate) return [{ at: "outcome", reference, candidate }]
  return leaves(a, b, "")
}

/** @param {Record<string, string>} a @param {Record<string, string>} b @returns {Leaf[]} */
const trees = (a, b) =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])]
    .filter((path) => a[path] !== b[path])
    .map((path) => ({ at: `tree ${path}`, reference: a[path] ?? "nothing", candidate: b[path] ?? "nothing" }))

/** @param {readonly import("./player.mjs").Step[]} steps */
const textsOf = (steps) => steps.flatMap(({ text }) => (text === undefined ? [] : [text])).join("\n")

/**
 * Every difference, in the order of the steps.
 * @param {Sequence} sequence
 * @param {Transcript} reference
 * @param {Transcript} candidate
 * @returns {Difference[]}
 */
export const differences = ({ steps }, reference, candidate) => {
  let treesDiffer = false
  const found = steps.flatMap((step, index) => {
    const [a, b] = [reference.steps[index], candidate.steps[index]]
    const changed = a?.tree && b?.tree && !treesDiffer ? trees(a.tree, b.tree) : []
    treesDiffer ||= changed.length > 0
    const all = [...answers(a?.answer, b?.answer), ...leaves(a?.said, b?.said, "said"), ...changed]
    if (all.length === 0) return []
    const earlier = textsOf(steps.slice(0, index))
    return all.map((leaf) => ({ ...leaf, index, method: step.method, request: step.text ?? "", earlier }))
  })
  const last = { index: steps.length - 1, method: "afterwards", request: "", earlier: textsOf(steps) }
  const ends = [
    ...leaves(reference.rest, candidate.rest, ""),
    ...(treesDiffer ? [] : trees(reference.tree, candidate.tree)),
  ]
  return [...found, ...ends.map((leaf) => ({ ...leaf, ...last }))]
}

/** What remains of a text when names, numbers and quotations are left out. @param {string} text */
export const shape = (text) =>
  text
    .replaceAll(/file:[^\s"'`,)]*/g, "URI")
    .replaceAll(/\{(D|TOP|U)\}[^\s"'`,:)]*/g, "PATH")
    .replaceAll(/"(?:[^"\\]|\\.)*"|'[^']*'/g, (quoted) => (quoted.length < 14 ? quoted : "TEXT"))
    .replaceAll(/ bytes [0-9a-f]{8}\b/g, " bytes")
    .replaceAll(/-?\d+(\.\d+)?/g, (number) => (/^-32\d{3}$/.test(number) ? number : "#"))
    .slice(0, 110)

/** The class of a difference. @param {Difference} difference */
export const classOf = ({ method, at, reference, candidate }) => {
  const where = at
    .replace(/^tree .*/, "tree")
    .replaceAll(/"(?:[^"\\]|\\.)*"\d*/g, "NAME")
    .replaceAll(/\.\d+/g, ".#")
  return `${method} ${where}: ${shape(reference)} | ${shape(candidate)}`
}
