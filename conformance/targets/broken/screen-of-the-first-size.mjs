// @ts-check
/** Fault: the size of a picture is the one that its terminal has begun with. */
import { wrong } from "../relay/Relay.mjs"

await wrong("process/screen", { result: (result) => ({ ...result, size: { rows: 24, columns: 80 } }) })
