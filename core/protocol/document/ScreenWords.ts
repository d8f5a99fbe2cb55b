/** What the fields of the picture of a terminal are, by `Type.field`, and examples of it. */
import type { Example } from "./FileExamples.ts"

/** By `Type.field`. */
export const fields: { readonly [name: string]: string } = {
  "ScreenParams.formats": "what the answer has of the picture; the default is `text` alone",
  "ScreenParams.scrollback": "the most lines above the screen; the default is 0",
  "ScreenResponse.fromSeq": "the seq of the first output that the picture was painted from",
  "ScreenResponse.size": "the size of the terminal",
  "ScreenResponse.title": "the title that a program has set; empty if none has",
  "ScreenResponse.alternate": "whether it is the alternate screen, which full-screen programs use",
  "ScreenResponse.scrollback": "how many of the lines lie above the screen",
  "ScreenResponse.ansi": "a text that paints the picture on a terminal of that size",
  "ScreenResponse.lines": "the lines from the first one, those above the screen included",
  "ScreenCursor.row": "the row of the screen, from 0",
  "ScreenCursor.column": "the column of the screen, from 0",
  "ScreenCursor.visible": "whether it is shown",
  "ScreenCursor.shape": "what it looks like",
  "ScreenCursor.blinks": "whether it blinks",
  "ScreenLine.spans": "its characters; what is not named at the end is blank",
  "ScreenSpan.foreground": "the color of the characters: an index in the palette of 256, or `#rrggbb`",
  "ScreenSpan.background": "the color behind them: an index in the palette of 256, or `#rrggbb`",
  "ScreenSpan.bold": "whether they are bold",
  "ScreenSpan.dim": "whether they are dim",
  "ScreenSpan.italic": "whether they are italic",
  "ScreenSpan.underline": "whether they are underlined",
  "ScreenSpan.blink": "whether they blink",
  "ScreenSpan.inverse": "whether the two colors are swapped",
  "ScreenSpan.invisible": "whether they are not shown",
  "ScreenSpan.strikethrough": "whether they are struck through",
  "ScreenSpan.overline": "whether they have a line above",
}

/** By method. */
export const screenExamples: { readonly [method: string]: Example } = {
  "process/screen": {
    params: [{ processId: "p1", seq: 12, formats: ["text", "ansi", "lines"], scrollback: 100 }],
    result: [
      {
        seq: 12,
        fromSeq: 1,
        size: { rows: 24, columns: 80 },
        cursor: { row: 1, column: 0, visible: true, shape: "block", blinks: false },
        title: "make",
        alternate: false,
        scrollback: 0,
        text: "done 你",
        ansi: "\u001b[0;1;32mdone\u001b[0m 你\r\n",
        lines: [
          {
            wrapped: true,
            spans: [
              { text: "done", foreground: 2, background: "#102030", bold: true },
              { text: " " },
              { text: "你", columns: 2 },
            ],
          },
        ],
      },
    ],
  },
}
