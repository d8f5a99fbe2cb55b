// @ts-check
// Mutations of marks in the output.
import { elsewhere, inFile, one } from "./mutation.mjs"

const scanner = inFile("core/process/marks/MarkScanner.ts")
/** @param {string} find @param {string} replace @param {string} says @param {string[]} cases */
const marks = (find, replace, says, ...cases) =>
  elsewhere(
    one("core/process/marks/Marks.ts", find, replace, says, ...cases),
    "core/server/ExecServer.Marks.test.ts",
  )

export const marksOfOutput = [
  elsewhere(
    one(
      "adapters/shared/cli/ShellInit.ts",
      "  precmd_functions=(__procwire_precmd ",
      "  precmd_functions=(",
      "zsh tells no prompt",
    ),
    "adapters/shared/integration/ShellInit.test.ts",
  ),
  elsewhere(
    one(
      "adapters/shared/cli/ShellInit.ts",
      "$((__procwire_ran=1,0))",
      "0",
      "bash does not tell that a command has ended",
    ),
    "adapters/shared/integration/ShellInit.test.ts",
  ),
  scanner(
    "if (at >= longest) return false",
    "if (at >= longest) return true",
    "a sequence of any length is a mark",
  ),
  scanner(
    "else if (byte === can || byte === sub || !this.keep(byte))",
    "else if (!this.keep(byte))",
    "a sequence that is cancelled goes on",
  ),
  marks(
    "events.output(stream, bytes.subarray(from, end))",
    "events.output(stream, bytes.subarray(from))",
    "the output behind a mark stands in front of it, too",
    "process/marks/between-the-output",
  ),
  marks("process.wake()", "", "a mark waits for the next output", "process/marks/over-chunks"),
  marks(
    "if (gone > 0 && gone * 2 >= this.marks.length) this.marks = this.marks.slice(gone)",
    "",
    "marks are kept for ever",
  ),
  one(
    "core/client/ReorderBuffer.ts",
    'this.hold({ kind: "mark", mark: kind, ...mark })',
    "continue",
    "what is read again lacks its marks",
  ),
  elsewhere(
    one(
      "core/process/marks/Marks.ts",
      "Math.max(goneFrom(this.oldestKept()), this.marks.length - mostOfHistory)",
      "this.marks.length",
      "marks leave with the log, although a history has their output",
      "process/marks/kept-with-a-history",
    ),
    "core/process/history/Histories.test.ts",
  ),
  one(
    "core/client/ReorderBuffer.ts",
    "      this.drain()\n      let next",
    "      let next",
    "what stands in front of a gap is lost with it",
  ),
]
