// @ts-check
/** Fault: a process that is to be restarted is killed at once, whatever grace is asked for. */
import { wrong } from "../relay/Relay.mjs"

await wrong("process/restart", { params: (params) => ({ ...params, graceMs: 0 }) })
