// @ts-check
import { quote } from "../../../.ci/setup.mjs"

/**
 * The `--command` for a bundle of our own server.
 * @param {string} bundle
 */
export const command = (bundle) => `${quote(process.execPath)} ${quote(bundle)} serve --listen {LISTEN}`
