// @ts-check
// Servers that are wrong in pictures of the screen.
import { fault, params, result } from "../../../lab/faults/wire/changes.mjs"
import { kept } from "../history/broken.mjs"

/** @import { WireFault } from "../../../lab/faults/wire/changes.mjs" */
/** @import { Message } from "../../../lab/faults/wire/relay.mjs" */

/** @param {(picture: Message, asked: Message) => Message} change */
const picture = (change) => result("process/screen", change)

/** @type {readonly WireFault[]} */
export const broken = [
  fault`screen-after-all: A picture says that it has everything, what is printed later too.
    process/screen/is-of-a-seq process/screen/is-of-then-in-a-flood`.by(
    picture((found) => ({ ...found, seq: Number.MAX_SAFE_INTEGER })),
  ),
  fault`screen-keeps-blanks: The lines of the text have blanks at their ends.
    process/screen/shows-what-is-seen`.by(
    picture((found) => ({ ...found, ...(found.text && { text: found.text.replaceAll("\n", "  \n") }) })),
  ),
  fault`screen-of-the-first-size: The size of a picture is the one that its terminal has begun with.
    process/screen/follows-a-resize`.by(picture((found) => ({ ...found, size: { rows: 24, columns: 80 } }))),
  fault`screen-of-what-is-retained: No process has a history, so its picture begins with what is retained.
    process/screen/goes-on-in-the-history`.by(kept(() => null)),
  fault`screen-painted-plain: What paints the picture is its text alone, without colors, title and places.
    process/screen/paints-itself`.by({
    ...params("process/screen", (asked) => ({ ...asked, formats: [...(asked.formats ?? []), "text"] })),
    ...picture(({ ansi, text, ...found }, { formats }) => ({
      ...found,
      ...((formats === undefined || formats.includes("text")) && { text }),
      ...(ansi !== undefined && { ansi: text.replaceAll("\n", "\r\n") }),
    })),
  }),
  fault`screen-without-colors: The spans of lines have no look.
    process/screen/has-colors-and-attributes`.by(
    picture((found) => ({
      ...found,
      ...(found.lines && {
        lines: found.lines.map((/** @type {Message} */ { spans, ...line }) => ({
          ...line,
          spans: spans.map((/** @type {Message} */ { text, columns }) => ({
            text,
            ...(columns && { columns }),
          })),
        })),
      }),
    })),
  ),
  fault`screen-without-modes: Title, alternate screen and visibility of the cursor are not told.
    process/screen/tells-title-cursor-and-alternate`.by(
    picture((found) => ({
      ...found,
      title: "",
      alternate: false,
      cursor: { ...found.cursor, visible: true },
    })),
  ),
  fault`screen-without-scrollback: Lines that have left the screen are in no picture.
    process/screen/has-what-has-left-the-screen`.params("process/screen", (asked) => ({
    ...asked,
    scrollback: 0,
  })),
]
