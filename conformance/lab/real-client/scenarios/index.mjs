// @ts-check
// Every scenario by name, in the order in which they are played.
import { scenarios as commands } from "./commands.mjs"
import { scenarios as connections } from "./connections.mjs"
import { scenarios as files } from "./files.mjs"
import { scenarios as sandboxes } from "./sandboxes.mjs"
import { scenarios as sessions } from "./sessions.mjs"
import { scenarios as tools } from "./tools.mjs"

/**
 * @typedef {object} Scenario
 * @property {string} says what it shows
 * @property {(t: import("../stage.mjs").Stage) => Promise<void>} run
 * @property {readonly string[]} [only] the ways to the server that it is for; all if there are none
 * @property {boolean} [cuts] true if it cuts the connection
 * @property {readonly string[]} [flags] of our server
 * @property {boolean} [ours] true if it is for our server alone
 * @property {boolean} [confines] true if it needs a sandbox
 * @property {boolean} [slow] true if it is played only where it is named
 */

/** @type {Record<string, Scenario>} */
export const all = { ...commands, ...sessions, ...connections, ...files, ...sandboxes, ...tools }
