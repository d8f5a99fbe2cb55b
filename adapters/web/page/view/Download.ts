/** Gives the browser a file. */
import { el } from "./dom.ts"

/** How long the browser may take to begin with it, in milliseconds. */
const patience = 60_000

/** Saves the parts as one file of this name. */
export const save = (name: string, parts: ReadonlyArray<Uint8Array>): void => {
  const url = URL.createObjectURL(new Blob([...parts] as Array<BlobPart>, { type: "text/plain" }))
  const link = el("a", { href: url, download: name })
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), patience)
}
