// @ts-check
import { quoted } from "./quoted.mjs"

/**
 * The `--command` for a bundle of our own server.
 * @param {string} bundle
 */
export const command = (bundle) => quoted([process.execPath, bundle, "serve", "--listen", "{LISTEN}"])
