// @ts-check
/** What the clients of the control server may do with the sessions of others: `--scope own|observe|control`. */

const named = process.argv.indexOf("--scope")

/** What every client may do with the sessions of others. */
export const scope = named < 0 ? "own" : (process.argv[named + 1] ?? "own")

/** @param {string} scope */
export const views = (scope) => scope === "observe" || scope === "control"
