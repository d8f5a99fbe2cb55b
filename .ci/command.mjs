// @ts-check
// The command lines of this repository: the comment at the head of each command is its `--help`, and wrong use gets
// one line, with exit code 2.
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

/**
 * The options and arguments of the program of that URL, read as `parseArgs` does; by default it takes none. It ends
 * here for `--help` and on wrong use.
 * @template {import("node:util").ParseArgsConfig} [Config={}]
 * @param {string} url `import.meta.url` of the program
 * @param {Config} [config]
 */
export const command = (url, config = /** @type {Config} */ ({})) => {
  const text = readFileSync(fileURLToPath(url), "utf8")
  if (process.argv.slice(2).some((word) => word === "--help" || word === "-h")) {
    const head = /^(?:\/\/.*\n)+/.exec(text)?.[0] ?? ""
    process.stdout.write(head.replace("// @ts-check\n", "").replaceAll(/^\/\/ ?/gm, ""))
    process.exit(0)
  }
  try {
    return parseArgs(config)
  } catch (error) {
    const name = process.env["npm_lifecycle_event"] ?? fileURLToPath(url)
    const [why] = (error instanceof Error ? error.message : String(error)).split(". ")
    process.stderr.write(`${name}: ${why}; --help tells what it takes\n`)
    process.exit(2)
  }
}
