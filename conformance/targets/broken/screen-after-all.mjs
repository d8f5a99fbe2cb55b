// @ts-check
/** Fault: a picture says that it has everything, what is printed later too. */
import { wrong } from "../relay/Relay.mjs"

await wrong("process/screen", { result: (result) => ({ ...result, seq: Number.MAX_SAFE_INTEGER }) })
