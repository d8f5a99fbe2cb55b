/** Copies and pastes, also where the page has no clipboard of its own because it was not loaded securely. */
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
