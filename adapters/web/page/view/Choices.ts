/** What the visitor has chosen, and how the page looks by that. */
import * as Settings from "../model/Settings.ts"
import * as Store from "../model/Store.ts"
import { mark } from "./dom.ts"
import type { Look } from "./Screen.ts"

const kept = "procwire.settings"

/** Reads them from the browser, keeps them there, and shows them. */
export const make = (): {
  readonly settings: Store.Store<Settings.Settings>
  readonly look: Store.Store<Look>
} => {
  const settings = Store.make(Settings.parse(read()))
  const isDark = matchMedia("(prefers-color-scheme: dark)")
  const lookNow = (): Look => {
    const { theme, reader, fontSize } = settings.get()
    return { reader, fontSize, dark: theme === "system" ? isDark.matches : theme === "dark" }
  }
  const look = Store.make(lookNow())
  settings.follow((now) => {
    try {
      localStorage.setItem(kept, JSON.stringify(now))
    } catch {
      // A browser that keeps nothing.
    }
    mark(document.documentElement, "data-theme", now.theme)
    mark(document.documentElement, "data-reader", now.reader)
    document.querySelector(".reader-switch")?.setAttribute("aria-pressed", String(now.reader))
    look.set(lookNow())
  })
  isDark.addEventListener("change", () => look.set(lookNow()))
  return { settings, look }
}

const read = (): string | null => {
  try {
    return localStorage.getItem(kept)
  } catch {
    return null
  }
}
