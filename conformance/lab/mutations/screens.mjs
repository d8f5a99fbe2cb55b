// @ts-check
// Mutations of the pictures that terminals show.
import { elsewhere, one } from "./mutation.mjs"

/** @param {string} file @param {string} find @param {string} replace @param {string} says @param {string[]} cases */
const painted = (file, find, replace, says, ...cases) =>
  elsewhere(one(file, find, replace, says, ...cases), "adapters/shared/terminal/Repaint.test.ts")

export const screens = [
  one(
    "core/process/Control.ts",
    "sizes.note(size)",
    "void size",
    "a picture of the past has the size of now",
    "process/screen/follows-a-resize",
  ),
  one(
    "core/process/screen/Recall.ts",
    "from: isKept ? from : first,",
    "from,",
    "output that the history has dropped is passed over",
  ),
  one(
    "core/process/screen/Recall.ts",
    "if (history === undefined) return",
    "if (mostBytes > 0) return",
    "nothing is painted from the history",
    "process/screen/goes-on-in-the-history",
  ),
  one(
    "core/process/screen/Feed.ts",
    "sizes.next(this.seq, target)?.after ?? target",
    "target",
    "a size takes effect behind all output",
  ),
  one(
    "core/process/screen/Screens.ts",
    "seq === target && (",
    "(",
    "a picture of the past has the output behind it",
    "process/screen/is-of-a-seq",
  ),
  one(
    "core/protocol/Turn.ts",
    "const [next] = waiting",
    "const next = [...waiting].at(-1)",
    "who has asked last comes first",
  ),
  one(
    "core/process/screen/Screens.ts",
    "if (request.seq === undefined) yield* feed.some()",
    "yield* Effect.void",
    "a picture shows nothing of a flood that is gone before a terminal takes it in",
    "process/screen/is-of-then-in-a-flood",
  ),
  one(
    "core/client/ScreenSvg.ts",
    "return inverse === true",
    "return inverse !== true",
    "colors are turned around that are not inverse",
  ),
  one(
    "core/client/ScreenSvg.ts",
    "column += columns",
    "column += span.text.length",
    "wide characters are drawn too far to the left or right of their columns",
  ),
  painted(
    "core/process/screen/Repaint.ts",
    "if (!cursor.visible)",
    "if (cursor.visible)",
    "a cursor that is hidden is painted",
    "process/screen/paints-itself",
  ),
  painted(
    "core/process/screen/Repaint.ts",
    "return value < 16 ? [black + 60 + value - 8] : [black + 8, 5, value]",
    "return [black + 60 + value - 8]",
    "the colors of the large palette are lost",
  ),
]
