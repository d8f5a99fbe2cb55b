// @ts-check
/**
 * Several broken servers in one process, each at an address of its own: to start a process for each of them costs more
 * than their cases. The words are their names below `broken/`; the only line of output is an object, URL by name.
 */

/** @type {Record<string, string>} */
const urls = {}
const [, , ...names] = process.argv
const write = process.stdout.write.bind(process.stdout)
// Each ends with the process.
process.setMaxListeners(0)
process.argv.splice(2, names.length, "--listen", "ws://127.0.0.1:0")
for (const name of names) {
  urls[name] = await new Promise((resolve, reject) => {
    process.stdout.write = (/** @type {unknown} */ line) => {
      resolve(String(line).trim())
      return true
    }
    import(`./broken/${name}.mjs`).catch(reject)
  })
}
process.stdout.write = write
process.stdout.write(`${JSON.stringify(urls)}\n`)
