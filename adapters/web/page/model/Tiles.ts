/** The open terminals, their order, and their shares of the room. */
import type { Key } from "./Rows.ts"

export interface Tiles {
  /** In the order that they are shown in. */
  readonly open: ReadonlyArray<Key>
  /** The one that shortcuts are for. */
  readonly focused: Key | undefined
  /** True if that one is shown alone. */
  readonly alone: boolean
}

/** The most terminals that are open at once. */
export const most = 16

export const none: Tiles = { open: [], focused: undefined, alone: false }

/** Opens a process in place of the others, or beside them. */
export const opened = (tiles: Tiles, key: Key, beside: boolean): Tiles => {
  if (tiles.open.includes(key)) return { ...tiles, focused: key }
  const others = beside ? tiles.open.slice(-(most - 1)) : []
  return { open: [...others, key], focused: key, alone: false }
}

/** Closes one; the one beside it gets the focus. */
export const closed = (tiles: Tiles, key: Key): Tiles => {
  const at = tiles.open.indexOf(key)
  if (at < 0) return tiles
  const open = tiles.open.filter((other) => other !== key)
  const focused = tiles.focused === key ? (open[at] ?? open.at(-1)) : tiles.focused
  return { open, focused, alone: tiles.alone && open.length > 1 }
}

/** The focus goes to the next one, or with -1 to the previous one. */
export const moved = (tiles: Tiles, step: 1 | -1): Tiles => {
  const { open, focused } = tiles
  if (open.length === 0) return tiles
  const at = focused === undefined ? 0 : open.indexOf(focused) + step
  return { ...tiles, focused: open[(at + open.length) % open.length] }
}

export interface Grid {
  readonly columns: number
  readonly rows: number
}

/** The narrowest tile that is still of use, in pixels: some 50 columns. */
const narrow = 400

/** The grid for so many tiles in a room of so many pixels: cells as close to 3 by 2 as they come. */
export const grid = (count: number, width: number, height: number): Grid => {
  const widest = Math.max(1, Math.min(count, Math.floor(width / narrow)))
  let best: Grid = { columns: 1, rows: Math.max(1, count) }
  let least = Number.POSITIVE_INFINITY
  for (let columns = 1; columns <= widest; columns += 1) {
    const rows = Math.ceil(count / columns)
    const shape = width / columns / (height / rows) / 1.5
    const cost = Math.abs(Math.log(shape)) + 0.3 * (columns * rows - count)
    if (cost < least) {
      least = cost
      best = { columns, rows }
    }
  }
  return best
}
