/**
 * A run as a flat badge in SVG: what was tested, and how many of the cases that count have passed. Green: all of them;
 * yellow: all but those that the baseline expects to fail; red: the run has failed. The meaning of the colour is also
 * in the title, which screen readers read. The file refers to nothing outside it.
 */
import * as Tally from "./Tally.ts"
import type * as Verdict from "./Verdict.ts"

/** White text on each of these has a contrast of at least 4.5 to 1. */
const colours: { readonly [result in Tally.Result]: string } = {
  passed: "#2b7a2b",
  known: "#846200",
  failed: "#c22f2f",
}

const words: { readonly [result in Tally.Result]: string } = {
  passed: "conformant",
  known: "conformant but for the failures that its baseline expects",
  failed: "not conformant",
}

/** The text of the left part. */
const label = ({ dialect, kind }: Tally.Subject): string =>
  `procwire ${kind === "server" ? "wire" : kind}${dialect === "v0" ? " v0" : ""}`

/** About how wide a text is in pixels, in Verdana of 11 pixels. The browser fits the text into it. */
const widthOf = (text: string): number =>
  Math.round(
    [...text].reduce((sum, sign) => sum + (/[ ijlt.]/.test(sign) ? 3.9 : /[mw]/.test(sign) ? 9.8 : 6.9), 0),
  )

/** The space on each side of a text, in pixels. */
const margin = 6

const text = (words: string, left: number): string =>
  `<text x="${left + margin}" y="14" textLength="${widthOf(words)}">${words}</text>`

/** The file. Labels and numbers have no sign that XML would need escaped. */
export const make = (verdict: Verdict.Verdict, subject: Tally.Subject): string => {
  const { counted, passed, result } = Tally.make(verdict)
  const [name, numbers] = [label(subject), `${passed} of ${counted}`]
  const [left, right] = [widthOf(name) + 2 * margin, widthOf(numbers) + 2 * margin]
  const title = `${name}: ${words[result]}, ${numbers} cases passed`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${title}">`,
    `  <title>${title}</title>`,
    `  <rect width="${left + right}" height="20" rx="3" fill="#4a4a4a"/>`,
    `  <path d="M${left} 0h${right - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-${right - 3}z" fill="${colours[result]}"/>`,
    `  <g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">`,
    `    ${text(name, 0)}`,
    `    ${text(numbers, left)}`,
    "  </g>",
    "</svg>",
    "",
  ].join("\n")
}
