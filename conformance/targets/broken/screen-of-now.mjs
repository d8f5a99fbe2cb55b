// @ts-check
/** Fault: a picture is always of now, whatever seq is asked for. */
import { wrong } from "../relay/Relay.mjs"

await wrong("process/screen", { params: (params) => ({ ...params, seq: null }) })
