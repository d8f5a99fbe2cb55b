/** The shared services of the parts of the page. */
import type { Link } from "../link/Link.ts"
import type { Key, Place } from "../model/Rows.ts"
import * as Outage from "../model/Outage.ts"
import type { Settings } from "../model/Settings.ts"
import type { Store } from "../model/Store.ts"
import type { Tiles } from "../model/Tiles.ts"
import type { Action } from "../model/Keys.ts"
import type { Look, Renderers } from "./Screen.ts"

export interface Page {
  readonly link: Link
  readonly settings: Store<Settings>
  /** The look of terminals: by the settings and the system. */
  readonly look: Store<Look>
  readonly tiles: Store<Tiles>
  readonly renderers: Renderers
  /** Processes that this page has started: it writes to them at once. */
  readonly started: Pick<Set<Key>, "add" | "has">
  /** Says something to a reader, and shows it for a while. */
  readonly announce: (text: string, tone?: "good" | "bad" | "calm") => void
  /** Opens a process, alone or beside the others. */
  readonly open: (place: Place, beside: boolean) => void
  readonly act: (action: Action) => void
}

/**
 * The currency of facts from one start of the server, and their time, in milliseconds since 1970: no clock goes on for
 * a server that is out of sight.
 */
export const sight = (
  { status, instance }: Pick<Link, "status" | "instance">,
  told = instance.get(),
): { readonly seen: Outage.Seen; readonly at: number } => {
  const now = status.get()
  return { seen: Outage.seen(now, told, instance.get()), at: now.kind === "lost" ? now.since : Date.now() }
}

/** Calls back later; the result prevents that. */
export const later = (ms: number, run: () => void): (() => void) => {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}
