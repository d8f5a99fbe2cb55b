// What the scripts of this folder need to run our own server: how it is called, and what it does not do.

/** The `--command` for a bundle of the server. */
export const command = (bundle) => `'${process.execPath}' '${bundle}' serve --listen {LISTEN}`

/** Capabilities that this server lacks and says so, with -32601. */
export const lacks = ["--without", "filesystem,http-client"]
