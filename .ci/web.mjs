// @ts-check
// The web page of a server: adapters/web/page as static files in dist/web. They are compressed, and only so, because
// every browser takes them that way; the server decompresses them for what does not.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { brotliCompressSync, constants } from "node:zlib"
import { build } from "esbuild"

/** @import { BuildOptions } from "esbuild" */

/** The most bytes that all files may have, compressed. */
const most = 600_000

/** Files that are served as they are. @type {readonly string[]} */
const copied = ["index.html", "favicon.svg"]

/**
 * Builds the page from the sources in a folder, into its dist. Fails if it is too large.
 * @param {string} root
 * @param {Pick<BuildOptions, "plugins">} [options]
 */
export const web = async (root, options = {}) => {
  const source = join(root, "adapters/web/page")
  const out = join(root, "dist/web")
  /** @satisfies {BuildOptions} */
  const shared = {
    ...options,
    absWorkingDir: root,
    outdir: out,
    bundle: true,
    minify: true,
    write: /** @type {const} */ (false),
    logLevel: /** @type {const} */ ("warning"),
    legalComments: /** @type {const} */ ("none"),
  }
  const [code, style] = await Promise.all([
    build({
      ...shared,
      entryPoints: [{ in: join(source, "main.ts"), out: "page" }],
      platform: "browser",
      format: "esm",
      target: "es2022",
      splitting: true,
      chunkNames: "[name]-[hash]",
    }),
    build({ ...shared, entryPoints: [{ in: join(source, "page.css"), out: "page" }] }),
  ])
  const built = [...code.outputFiles, ...style.outputFiles].map(({ path, contents }) => ({
    name: basename(path),
    contents,
  }))
  const plain = copied
    .filter((name) => existsSync(join(source, name)))
    .map((name) => ({ name, contents: readFileSync(join(source, name)) }))
  const files = [...built, ...plain].map(({ name, contents }) => ({ name, bytes: compress(contents) }))
  const names = files.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined)
    throw new Error(`the page has two files ${twice}: import style sheets in page.css alone`)
  const size = files.reduce((sum, { bytes }) => sum + bytes.length, 0)
  if (size > most) throw new Error(`the page has ${size} bytes, compressed: at most ${most} are allowed`)
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  for (const { name, bytes } of files) writeFileSync(join(out, `${name}.br`), bytes)
  return { size, names }
}

/** @param {Uint8Array} contents */
const compress = (contents) =>
  brotliCompressSync(contents, {
    params: {
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: contents.length,
    },
  })
