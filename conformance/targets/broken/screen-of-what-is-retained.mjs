// @ts-check
/** Fault: no process has a history, so its picture begins with what is retained. */
import { wrong } from "../relay/Relay.mjs"

await wrong("process/start", { params: (params) => ({ ...params, history: null }) })
