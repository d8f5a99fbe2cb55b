/**
 * The files of the page, as the build has made them: compressed, beside the command in the package (`dist/web`). An
 * executable of one file has none.
 */
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs"
import { extname, join } from "node:path"
import { fileURLToPath } from "node:url"

export interface PageFile {
  /** Its content, compressed with brotli. */
  readonly bytes: Buffer
  readonly type: string
  /** Names the content, for caches. */
  readonly hash: string
}

/** The files by their paths; `/` is the page itself. */
export type PageFiles = ReadonlyMap<string, PageFile>

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
}

/** From the built command, from the library and its compiled modules, and from the sources. */
const places = ["web/", "../web/", "../../web/", "../../../web/", "../../../dist/web/"]

const first = "index.html"

/** Reads them; undefined where they are not. */
export const read = (): PageFiles | undefined => {
  const own = ownFile()
  if (own === undefined) return undefined
  const folder = places
    .map((place) => join(own, "..", place))
    .find((one) => existsSync(join(one, `${first}.br`)))
  if (folder === undefined) return undefined
  return new Map(
    readdirSync(folder)
      .filter((name) => name.endsWith(".br"))
      .map((packed) => {
        const name = packed.slice(0, -3)
        const bytes = readFileSync(join(folder, packed))
        const hash = createHash("sha256").update(bytes).digest("base64url").slice(0, 22)
        const type = types[extname(name)] ?? "application/octet-stream"
        return [name === first ? "/" : `/${name}`, { bytes, type, hash }] as const
      }),
  )
}

/** The file of this code; a link to the command, as npm makes it, is followed. Undefined in an executable of one file. */
const ownFile = (): string | undefined => {
  try {
    return realpathSync(fileURLToPath(import.meta.url))
  } catch {
    return undefined
  }
}
