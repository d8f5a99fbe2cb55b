/** The help of a command, from its table. */
import * as Flags from "../Flags.ts"
import * as Spec from "./Spec.ts"

/** Where the texts of flags begin, and where lines end. */
const [column, width] = [25, 118]

/** The whole page. */
export const page = (spec: Spec.Spec): string => {
  const { name, summary, usage, groups = [], text, examples } = spec
  const others = groups.map(({ title, flags }) => `${title}:\n${flagLines(flags)}\n`)
  return [
    `${summary}.\n\nUsage: procwire ${`${name} ${usage}`.trimEnd()}\n\n`,
    `Options:\n${flagLines({ ...spec.flags, ...Spec.help })}\n`,
    ...others,
    text === undefined ? "" : `${text.trim()}\n\n`,
    hasDurations(spec) ? `${Flags.durationText}\n\n` : "",
    `Examples:\n${examples.map((line) => `  ${line}\n`).join("")}`,
  ].join("")
}

/** True for a command some of whose flags take a duration, perhaps besides other values. */
export const hasDurations = (spec: Spec.Spec): boolean =>
  Object.values(Spec.flagsOf(spec)).some(({ shows = "" }) => /\b(?:DURATION|TIME)\b/.test(shows))

/** A line for each flag; long texts are wrapped below their begin. */
export const flagLines = (flags: Spec.FlagSpecs): string =>
  Object.entries(flags)
    .map(([long, flag]) => {
      const head = `  ${usageOf(long, flag)}`
      const indent = " ".repeat(column)
      const first = head.length < column ? head.padEnd(column) : `${head}\n${indent}`
      return `${first}${wrap(flag.help, width - column).join(`\n${indent}`)}\n`
    })
    .join("")

/** How a flag is written: `-e, --env K=V`. */
export const usageOf = (long: string, { short, shows }: Spec.FlagSpec): string =>
  `${short === undefined ? "" : `-${short}, `}--${long}${shows === undefined ? "" : ` ${shows}`}`

/** Lines of at most so many characters, broken at blanks; a longer word has a line of its own. */
export const wrap = (text: string, most: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.split(" ")) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= most)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
