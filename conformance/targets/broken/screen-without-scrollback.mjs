// @ts-check
/** Fault: lines that have left the screen are in no picture. */
import { wrong } from "../relay/Relay.mjs"

await wrong("process/screen", { params: (params) => ({ ...params, scrollback: 0 }) })
