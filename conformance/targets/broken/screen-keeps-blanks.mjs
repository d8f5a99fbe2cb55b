// @ts-check
/** Fault: the lines of the text have blanks at their ends. */
import { wrong } from "../relay/Relay.mjs"

await wrong("process/screen", {
  result: ({ text, ...result }) => ({
    ...result,
    ...(text === undefined ? {} : { text: text.replaceAll("\n", "  \n") }),
  }),
})
