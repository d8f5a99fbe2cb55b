/** What a tab remembers while its page is loaded again: its session, what is open, and what it has started. */
import type { Kept } from "../link/Link.ts"
import type { Key } from "../model/Rows.ts"

const names = { session: "procwire.session", open: "procwire.open", started: "procwire.started" }

/** The session on the server. */
export const session: Kept = {
  get: () => sessionStorage.getItem(names.session) ?? undefined,
  set: (sessionId) => sessionStorage.setItem(names.session, sessionId),
}

/** The processes that are open. */
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
