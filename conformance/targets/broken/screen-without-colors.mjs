// @ts-check
/** Fault: the spans of lines have no look. */
import { wrong } from "../relay/Relay.mjs"

await wrong("process/screen", {
  result: ({ lines, ...result }) => ({
    ...result,
    ...(lines === undefined
      ? {}
      : {
          lines: lines.map((/** @type {any} */ { spans, ...line }) => ({
            ...line,
            spans: spans.map((/** @type {any} */ { text, columns }) => ({
              text,
              ...(columns === undefined ? {} : { columns }),
            })),
          })),
        }),
  }),
})
