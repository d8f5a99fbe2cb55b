// @ts-check
/** The server of this package behind a relay, with nothing wrong. */
import { wrong } from "./relay/Relay.mjs"

await wrong("process/screen")
