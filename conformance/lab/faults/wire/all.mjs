// @ts-check
// Every broken server of the wire suite.
import { attachments } from "./attachments.mjs"
import { envelopes } from "./envelopes.mjs"
import { files } from "./files.mjs"
import { gateways } from "./gateways.mjs"
import { output } from "./output.mjs"
import { processes } from "./processes.mjs"
import { records } from "./records.mjs"
import { sessions } from "./sessions.mjs"
import { v0 } from "./v0.mjs"
import { waits } from "./waits.mjs"

/** @import { WireFault } from "./changes.mjs" */

/** @type {readonly WireFault[]} */
export const faults = [
  ...envelopes,
  ...output,
  ...processes,
  ...waits,
  ...records,
  ...sessions,
  ...attachments,
  ...files,
  ...gateways,
  ...v0,
]
