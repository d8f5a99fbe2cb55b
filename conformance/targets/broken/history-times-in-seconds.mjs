// @ts-check
/** Fault: the times of chunks are in seconds. */
import { wrong } from "../relay/Relay.mjs"

await wrong("process/history", {
  result: ({ times, ...result }) => ({
    ...result,
    ...(times === undefined
      ? {}
      : { times: times.map((/** @type {number} */ time) => Math.floor(time / 1000)) }),
  }),
})
