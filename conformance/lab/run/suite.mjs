// @ts-check
// The conformance suite as a command, and what it takes.
import { readFileSync } from "node:fs"
import { root } from "../../../.ci/setup.mjs"

/**
 * The outcome of a case, as the suite writes it.
 * @typedef {{ id: string, status: "pass" | "fail" | "skip", counts: boolean, reason?: string }} Outcome
 */

export const suite = `${root}dist/procwire-conformance.mjs`

/** The longest wait of a case, in milliseconds: only a hang reaches it, on whatever machine. */
const hangMs = 120_000

/**
 * The words of its options, where each case that counts must pass unless a baseline excuses it.
 * @param {Readonly<Record<string, string | number>>} options
 */
export const flags = (options) => [
  "--strict",
  ...Object.entries({ "timeout-ms": hangMs, ...options }).flatMap(([name, value]) => [
    `--${name}`,
    String(value),
  ]),
]

/** The outcomes in the file that it has written (`--json`). @param {string} file @returns {Outcome[]} */
export const outcomesIn = (file) => JSON.parse(readFileSync(file, "utf8")).cases
