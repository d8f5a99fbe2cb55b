/**
 * The memory of the browser: the choices of the visitor, and what a tab keeps while its page is loaded again: its
 * session, the open processes, and those that it has started.
 */
import type { Kept } from "../link/Link.ts"
import type { Key } from "../model/Rows.ts"
import * as Settings from "../model/Settings.ts"
import * as Store from "../model/Store.ts"
import type { Look } from "./Screen.ts"
import { mark } from "./dom.ts"

const names = { session: "procwire.session", open: "procwire.open", started: "procwire.started" }

export const session: Kept = {
  get: () => sessionStorage.getItem(names.session) ?? undefined,
  set: (sessionId) => sessionStorage.setItem(names.session, sessionId),
}

export const open = {
  get: (): ReadonlyArray<Key> => read(names.open),
  set: (keys: ReadonlyArray<Key>): void => sessionStorage.setItem(names.open, JSON.stringify(keys)),
}

/** The most processes that are remembered. */
const most = 200

/** The processes that this tab has started. */
export const started = (): Pick<Set<Key>, "add" | "has"> => {
  const keys = new Set(read(names.started))
  return {
    has: (key) => keys.has(key),
    add: (key) => {
      keys.add(key)
      sessionStorage.setItem(names.started, JSON.stringify([...keys].slice(-most)))
      return keys
    },
  }
}

const read = (name: string): ReadonlyArray<Key> => {
  try {
    const json: unknown = JSON.parse(sessionStorage.getItem(name) ?? "[]")
    return Array.isArray(json) ? json.filter((key): key is Key => typeof key === "string") : []
  } catch {
    return []
  }
}

const settingsName = "procwire.settings"

/** Reads the choices of the visitor from the browser, keeps them there, and shows them. */
export const choices = (): {
  readonly settings: Store.Store<Settings.Settings>
  readonly look: Store.Store<Look>
} => {
  const settings = Store.make(Settings.parse(readSettings()))
  const isDark = matchMedia("(prefers-color-scheme: dark)")
  const lookNow = (): Look => {
    const { theme, reader, fontSize } = settings.get()
    return { reader, fontSize, dark: theme === "system" ? isDark.matches : theme === "dark" }
  }
  const look = Store.make(lookNow())
  settings.follow((now) => {
    try {
      localStorage.setItem(settingsName, JSON.stringify(now))
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

const readSettings = (): string | null => {
  try {
    return localStorage.getItem(settingsName)
  } catch {
    return null
  }
}
