// @ts-check
/** Fault: row and column of the cursor are counted from 1, as the sequences of terminals do. */
import { wrong } from "../relay/Relay.mjs"

await wrong("process/screen", {
  result: ({ cursor, ...result }) => ({
    ...result,
    cursor: { ...cursor, row: cursor.row + 1, column: cursor.column + 1 },
  }),
})
