/**
 * Imports a module that the user has named. A module of its own, because `.ci/procwire.mjs` puts another in its place:
 * the program of the command is a script, which has no `import`.
 */

/** The exports of the module of that URL. Rejects if it cannot be loaded. */
export const load = (url: string): Promise<{ readonly [name: string]: unknown }> => import(url)
