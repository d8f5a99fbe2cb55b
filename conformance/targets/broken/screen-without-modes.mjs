// @ts-check
/** Fault: title, alternate screen and visibility of the cursor are not told. */
import { wrong } from "../relay/Relay.mjs"

await wrong("process/screen", {
  result: ({ cursor, ...result }) => ({
    ...result,
    title: "",
    alternate: false,
    cursor: { ...cursor, visible: true },
  }),
})
