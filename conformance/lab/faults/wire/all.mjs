// @ts-check
// Every broken server of the wire suite: those of features stand beside their cases, in ../../../suite/features.
import { readdirSync } from "node:fs"
import { envelopes } from "./envelopes.mjs"
import { files } from "./files.mjs"
import { gateways } from "./gateways.mjs"
import { output } from "./output.mjs"
import { processes } from "./processes.mjs"
import { sessions } from "./sessions.mjs"
import { v0 } from "./v0.mjs"

/** @import { WireFault } from "./changes.mjs" */

const features = new URL("../../../suite/features/", import.meta.url)

/** @param {string} name @returns {Promise<readonly WireFault[]>} */
const ofFeature = async (name) => (await import(new URL(`${name}/broken.mjs`, features).href)).broken

/** @type {readonly WireFault[]} */
export const faults = [
  ...envelopes,
  ...output,
  ...processes,
  ...(await Promise.all(readdirSync(features).sort().map(ofFeature))).flat(),
  ...sessions,
  ...files,
  ...gateways,
  ...v0,
]
