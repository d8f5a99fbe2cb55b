// @ts-check
// What was found, as text: classes with their shortest repetition, the list of allowed differences, a transcript.

/**
 * @import { Sequence, Transcript } from "./player.mjs"
 * @import { Class, Tally } from "./run.mjs"
 * @import { Allowed } from "./allow.mjs"
 * @import { Difference } from "./compare.mjs"
 */

/** @param {string} text @param {number} [most] */
const cut = (text, most = 400) => (text.length <= most ? text : `${text.slice(0, most)}… (${text.length})`)
/** Control characters as escapes. @param {string} text */
const visible = (text) => text.replaceAll(/\p{Cc}/gu, (one) => JSON.stringify(one).slice(1, -1))

/** @param {Sequence} sequence */
const stepsOf = ({ handshake, steps }) => [
  ...(handshake ? [] : ["(no handshake before)"]),
  ...steps.map(({ kind, text, method, on, bytes }) =>
    visible(cut(text ?? `wait: ${kind === "output" ? `${bytes} bytes of ` : ""}${method} ${on ?? ""}`)),
  ),
]

/** @param {Class} one @returns {string[]} */
const classLines = ({ name, count, shortest, difference, replay }) => [
  `${count} × ${visible(name)}`,
  ...stepsOf(shortest).map((line) => `    → ${line}`),
  `    ${visible(difference.at)}`,
  `      reference: ${visible(cut(difference.reference, 600))}`,
  `      candidate: ${visible(cut(difference.candidate, 600))}`,
  `    --replay ${replay}`,
  "",
]

/** @param {Tally} tally @param {{ allowed: Allowed, stale: readonly string[], seconds: number }} more */
export const found = (tally, { allowed, stale, seconds }) => {
  const classes = [...tally.classes.values()].sort((a, b) => b.count - a.count)
  const used = allowed.hits().filter(({ hits }) => hits > 0)
  const rate = (tally.played / seconds).toFixed(1)
  return [
    ...classes.flatMap(classLines),
    `${tally.played} sequences in ${seconds.toFixed(0)} s (${rate}/s): ${tally.differed} differ without an explanation, in ${classes.length} classes`,
    ...used.map(({ id, hits }) => `  allowed ${hits} times: ${id}`),
    ...tally.unsteady.map(({ replay, name }) => `  not seen again: ${visible(name)} (--replay ${replay})`),
    ...stale.map((id) => `STALE: ${id} has not occurred; take it from the list`),
    "",
  ].join("\n")
}

/** Both transcripts of a sequence side by side. @param {Sequence} sequence @param {Transcript} reference @param {Transcript} candidate @param {readonly Difference[]} differences */
export const sideBySide = (sequence, reference, candidate, differences) => {
  /** @param {unknown} value */
  const told = (value) => visible(cut(JSON.stringify(value) ?? "nothing", 1000))
  const lines = stepsOf({ ...sequence, handshake: true }).flatMap((line, index) => {
    const [a, b] = [reference.steps[index], candidate.steps[index]]
    const pair = (/** @type {unknown} */ one, /** @type {unknown} */ other, /** @type {string} */ name) =>
      JSON.stringify(one) === JSON.stringify(other)
        ? one === undefined ? [] : [`     = ${name}${told(one)}`]
        : [`     R ${name}${told(one)}`, `     C ${name}${told(other)}`] // prettier-ignore
    return [
      `${String(index).padStart(3)}  → ${line}`,
      ...pair(a?.answer, b?.answer, ""),
      ...pair(a?.said, b?.said, "said "),
    ]
  })
  const told2 = differences.map(
    ({ index, method, at, reference, candidate }) =>
      `step ${index} ${method}, ${visible(at)}\n  reference: ${visible(cut(reference))}\n  candidate: ${visible(cut(candidate))}`,
  )
  const head = sequence.handshake ? [] : ["     (no handshake before)"]
  return [...head, ...lines, "", ...told2, `${differences.length} differences`, ""].join("\n")
}

/** What became of a planted fault. @param {import("./self-test.mjs").Outcome} outcome */
export const outcomeLine = ({ id, caught, sequences }) =>
  caught
    ? `found ${id} in ${sequences} sequences: ${visible(cut(`${caught.method} ${caught.at}: ${caught.reference} | ${caught.candidate}`, 160))}\n`
    : `MISSED ${id} in ${sequences} sequences\n`
