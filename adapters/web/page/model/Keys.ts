/**
 * The shortcuts: one table, which the handlers and the help derive from. Plain keys work where nothing is typed; those
 * with Ctrl+Shift work everywhere, also in a terminal, which gets every other key.
 */

export interface Shortcut<A extends string = Action> {
  readonly action: A
  /** The key as `KeyboardEvent.key` has it, letters in lower case; several mean the same. */
  readonly keys: ReadonlyArray<string>
  /** With Ctrl and Shift, everywhere; otherwise alone, where nothing is typed. */
  readonly everywhere: boolean
  /** Its description in the help. */
  readonly says: string
}

const shortcut =
  (everywhere: boolean) =>
  <const A extends string>(action: A, says: string, ...keys: ReadonlyArray<string>): Shortcut<A> => ({
    action,
    keys,
    everywhere,
    says,
  })

const plain = shortcut(false)
const everywhere = shortcut(true)

export const shortcuts = [
  plain("help", "show this list", "?"),
  plain("filter", "filter the processes", "/"),
  plain("start", "start a process", "n"),
  plain("shell", "open a shell", "s"),
  plain("down", "next process in the list", "ArrowDown", "j"),
  plain("up", "previous process in the list", "ArrowUp", "k"),
  plain("beside", "open the process beside the others", "b"),
  plain("theme", "light, dark, or as the system is", "t"),
  plain("smaller", "smaller letters in terminals", "-"),
  plain("larger", "larger letters in terminals", "+", "="),
  plain("reader", "screen reader mode on or off", "r"),
  everywhere("list", "leave the terminal, to the list", "l"),
  everywhere("previousTile", "previous terminal", "ArrowLeft"),
  everywhere("nextTile", "next terminal", "ArrowRight"),
  everywhere("find", "find in the output", "f"),
  everywhere("history", "history: search all output, and jump", "h"),
  everywhere("control", "take control, or look on only", "e"),
  everywhere("copy", "copy what is selected", "c"),
  everywhere("paste", "paste", "v"),
  everywhere("maximize", "one terminal alone, or all", "m"),
  everywhere("close", "close the terminal; the process goes on", "x"),
  everywhere("help", "show this list", "?", "/"),
]

export type Action = (typeof shortcuts)[number]["action"]

/** The part of a `KeyboardEvent` that is looked at. */
export interface Pressed {
  readonly key: string
  readonly ctrlKey: boolean
  readonly shiftKey: boolean
  readonly altKey: boolean
  readonly metaKey: boolean
}

/** The action of a key; `typing` is true where text, or a terminal, takes it. */
export const actionOf = (pressed: Pressed, typing: boolean): Action | undefined => {
  const { ctrlKey, shiftKey, altKey, metaKey } = pressed
  const key = pressed.key.length === 1 ? pressed.key.toLowerCase() : pressed.key
  if (altKey || metaKey) return undefined
  if (ctrlKey && shiftKey) return find(key, true)
  return ctrlKey || typing ? undefined : find(key, false)
}

const find = (key: string, everywhere: boolean): Action | undefined =>
  shortcuts.find((shortcut) => shortcut.everywhere === everywhere && shortcut.keys.includes(key))?.action

export const written = ({ keys, everywhere }: Shortcut): ReadonlyArray<string> =>
  keys.map((key) => {
    const shown = arrows[key] ?? key.toUpperCase()
    return everywhere ? `Ctrl Shift ${shown}` : shown
  })

const arrows: Readonly<Record<string, string>> = {
  ArrowLeft: "\u2190",
  ArrowRight: "\u2192",
  ArrowUp: "\u2191",
  ArrowDown: "\u2193",
}
