/** The `--command` for a bundle of our own server. */
export const command = (bundle) => `'${process.execPath}' '${bundle}' serve --listen {LISTEN}`
