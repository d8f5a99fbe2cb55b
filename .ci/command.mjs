// @ts-check
// The command lines of this repository: the comment at the head of each command is its `--help`, and wrong use gets
// one line, with exit code 2.
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

/**
 * The usual value of an option, which says its kind: `false` of a switch, a number of a whole number, a list of an
 * option that may be repeated, a text of any other. Empty and `Infinity`: nothing is usual.
 * @typedef {false | number | string | readonly string[]} Usual
 *
 * An option. `of` has the words that it takes, `some` those of which it takes several, with commas between; `least` is
 * the smallest number; `parts` allows others than whole ones. One with `says` has a line in the help.
 * @typedef {{ usual: Usual, of?: readonly string[], some?: readonly string[], least?: number, parts?: true,
 *   says?: string }} Option
 * @typedef {Readonly<Record<string, Usual | Option>>} Options
 */
/** @template U @typedef {U extends false ? boolean : U extends number ? number : U extends string ? string : string[]} Value */
/** @template {Options} O
 * @typedef {{ [Name in keyof O]: O[Name] extends { usual: infer U } ? Value<U> : Value<O[Name]> }} Values */

/** @param {Usual | Option} option @returns {Option} */
const wholeOf = (option) =>
  typeof option === "object" && "usual" in option ? option : { usual: /** @type {Usual} */ (option) }

/** The words that an option may have, as a fault of others. @param {Option} option @param {string} given */
const faultOf = ({ usual, of, some, parts, least = 0 }, given) => {
  const number = parts === true ? /^\d*\.?\d+$/ : /^\d+$/
  if (typeof usual === "number" && !(number.test(given) && Number(given) >= least))
    return `a ${parts === true ? "" : "whole "}number from ${least}`
  if (of !== undefined && !of.includes(given)) return of.join(" or ")
  if (some !== undefined && !given.split(",").every((word) => some.includes(word)))
    return `some of ${some.join(", ")}`
  return undefined
}

/**
 * The options and arguments of the program of that URL; by default it takes none. It ends here for `--help` and on
 * wrong use.
 * @template {Options} [O={}]
 * @param {string | URL} url `import.meta.url` of the program
 * @param {{ options?: O, allowPositionals?: boolean, args?: readonly string[], more?: string }} [config] `more` is the
 *   end of the help
 * @returns {{ values: Values<O>, positionals: string[] }}
 */
export const command = (
  url,
  { options = /** @type {O} */ ({}), allowPositionals = false, args = process.argv.slice(2), more = "" } = {},
) => {
  const file = fileURLToPath(url)
  const all = Object.entries(options).map(([name, option]) => ({ name, ...wholeOf(option) }))
  if (args.some((word) => word === "--help" || word === "-h")) {
    const head = /^(?:\/\/.*\n)+/.exec(readFileSync(file, "utf8"))?.[0] ?? ""
    const lines = all.flatMap(({ name, says, usual }) =>
      says === undefined ? [] : [`  --${name.padEnd(12)}  ${says} [default: ${usual}]\n`],
    )
    const about = head.replace("// @ts-check\n", "").replaceAll(/^\/\/ ?/gm, "")
    process.stdout.write([about, ...(lines.length > 0 ? ["\n", ...lines] : []), more].join(""))
    process.exit(0)
  }
  /** @param {string} why @returns {never} */
  const misused = (why) => {
    process.stderr.write(
      `${process.env["npm_lifecycle_event"] ?? file}: ${why}; --help tells what it takes\n`,
    )
    process.exit(2)
  }
  /** @returns {{ values: Record<string, any>, positionals: string[] }} */
  const read = () => {
    const types = all.map(({ name, usual }) => [
      name,
      { type: usual === false ? "boolean" : "string", multiple: Array.isArray(usual) },
    ])
    try {
      return parseArgs({ args: [...args], allowPositionals, options: Object.fromEntries(types) })
    } catch (error) {
      return misused((error instanceof Error ? error.message : String(error)).split(". ")[0] ?? "")
    }
  }
  const { values, positionals } = read()
  for (const option of all) {
    const { name, usual } = option
    const given = (values[name] ??= usual)
    if (typeof given !== "string" || given === usual) continue
    const expected = faultOf(option, given)
    if (expected !== undefined) misused(`--${name} ${given}: expected ${expected}`)
    if (typeof usual === "number") values[name] = Number(given)
  }
  return { values: /** @type {Values<O>} */ (values), positionals }
}
