/** The documents of the wire of the feature: its versions, and examples. */
import type { About } from "../Wire.ts"

export const about: About = {
  since: "1.1",
  examples: () => ({
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
  }),
}
