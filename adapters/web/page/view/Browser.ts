/** The clipboard, downloads and the sight of elements, as browsers have them. */
import { el } from "./dom.ts"

/** Copies a text; false if the browser does not let it. */
export const copy = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

const copyBySelection = (text: string): boolean => {
  const before = document.activeElement
  const area = el("textarea", { class: "offscreen", "aria-hidden": "true" })
  area.value = text
  document.body.append(area)
  area.select()
  const copied = document.execCommand("copy")
  area.remove()
  if (before instanceof HTMLElement) before.focus()
  return copied
}

/** The deadline for the begin of a download, in milliseconds. */
const patience = 60_000

export const save = (name: string, parts: ReadonlyArray<Uint8Array>): void => {
  const url = URL.createObjectURL(new Blob([...parts] as Array<BlobPart>, { type: "text/plain" }))
  const link = el("a", { href: url, download: name })
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), patience)
}

/** Listeners of one element. */
export interface Watch {
  readonly resized: () => void
  readonly looked: (visible: boolean) => void
}

/** Watches an element until the returned function is called. */
export const watch = (element: HTMLElement, { resized, looked }: Watch): (() => void) => {
  let inView = element.checkVisibility()
  const tell = () => looked(inView && !document.hidden)
  const sizes = new ResizeObserver(resized)
  const sight = new IntersectionObserver((entries) => {
    inView = entries.at(-1)?.isIntersecting === true
    tell()
  })
  sizes.observe(element)
  sight.observe(element)
  document.addEventListener("visibilitychange", tell)
  return () => {
    sizes.disconnect()
    sight.disconnect()
    document.removeEventListener("visibilitychange", tell)
  }
}
