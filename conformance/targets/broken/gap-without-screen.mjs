// @ts-check
/** Fault: output that an attachment has missed is told without what the terminal shows. */
import { wrong } from "../relay/Relay.mjs"

await wrong("process/gap", { told: ({ processId, from, to }) => ({ processId, from, to }) })
