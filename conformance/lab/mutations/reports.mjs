// @ts-check
// Mutations of what the suite says of a run.
import { elsewhere, one } from "./mutation.mjs"

/** @param {string} file @param {string} find @param {string} replace @param {string} says */
const reported = (file, find, replace, says) =>
  elsewhere(one(`conformance/report/${file}`, find, replace, says), "conformance/report")

export const reports = [
  reported("Tally.ts", `&& one.status !== "skip"`, "", "a badge counts what was skipped as not passed"),
  reported(
    "Tally.ts",
    `!verdict.passed ? "failed"`,
    `counted.length === 0 ? "failed"`,
    "a badge is never red",
  ),
  reported(
    "Markdown.ts",
    `.replace(/\\bproc-[0-9a-f]+\\b/g, "proc-…")`,
    "",
    "a summary has ids that were made up",
  ),
]
