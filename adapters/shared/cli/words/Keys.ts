/**
 * Keys by their names, as in `make test{Enter}`: what a terminal would send for them.
 *
 * `{Ctrl-C}` and `{Alt-x}` have the short forms `{C-c}` and `{M-x}`, `{{}` and `{}}` are braces, and case does not
 * count but for the character behind `Alt-`. Cursor keys are sent as in normal mode.
 */
import * as Suggestion from "../../../../core/protocol/Suggestion.ts"

const named: Readonly<Record<string, string>> = {
  enter: "\r",
  return: "\r",
  tab: "\t",
  backtab: "\u001b[Z",
  esc: "\u001b",
  escape: "\u001b",
  space: " ",
  backspace: "\u007f",
  delete: "\u001b[3~",
  insert: "\u001b[2~",
  up: "\u001b[A",
  down: "\u001b[B",
  right: "\u001b[C",
  left: "\u001b[D",
  home: "\u001b[H",
  end: "\u001b[F",
  pageup: "\u001b[5~",
  pagedown: "\u001b[6~",
  f1: "\u001bOP",
  f2: "\u001bOQ",
  f3: "\u001bOR",
  f4: "\u001bOS",
  f5: "\u001b[15~",
  f6: "\u001b[17~",
  f7: "\u001b[18~",
  f8: "\u001b[19~",
  f9: "\u001b[20~",
  f10: "\u001b[21~",
  f11: "\u001b[23~",
  f12: "\u001b[24~",
  "{": "{",
  "}": "}",
}

/** The names that people read. */
export const names =
  "Enter Tab Backtab Esc Space Backspace Delete Insert Up Down Left Right Home End PageUp PageDown F1 … F12"

export interface Wrong {
  readonly wrong: string
}

/** The text that a terminal would send. */
export const read = (text: string): string | Wrong => {
  let [sent, at] = ["", 0]
  for (const { 0: whole, 1: inner = "", index } of text.matchAll(/\{(\}|[^}]*)\}?/g)) {
    sent += text.slice(at, index)
    at = index + whole.length
    if (!whole.endsWith("}") || whole === "{}")
      return { wrong: `'${whole}' is no key: a brace of its own is written {{}` }
    const key = keyOf(inner)
    if (key === undefined) return { wrong: `there is no key '{${inner}}'${near(inner)}` }
    sent += key
  }
  return sent + text.slice(at)
}

/** The bytes of a key, by its name without braces. */
export const keyOf = (name: string): string | undefined => {
  const known = Object.hasOwn(named, name.toLowerCase()) ? named[name.toLowerCase()] : undefined
  if (known !== undefined) return known
  const [, kind, rest = ""] = /^(ctrl|control|c|alt|meta|m)-(.+)$/is.exec(name) ?? []
  if (kind === undefined) return undefined
  if (kind.toLowerCase().startsWith("c")) return controlOf(rest.toLowerCase())
  const plain = [...rest].length === 1 ? rest : keyOf(rest)
  return plain === undefined ? undefined : `\u001b${plain}`
}

/** Ctrl with a letter, and with the few signs that have a control character. */
const controlOf = (key: string): string | undefined => {
  if (/^[a-z]$/.test(key)) return String.fromCharCode(key.charCodeAt(0) - 96)
  const signs: Readonly<Record<string, string>> = {
    "@": "\0",
    space: "\0",
    "[": "\u001b",
    "\\": "\u001c",
    "]": "\u001d",
    "^": "\u001e",
    _: "\u001f",
    "?": "\u007f",
  }
  return Object.hasOwn(signs, key) ? signs[key] : undefined
}

const near = (name: string): string => Suggestion.ofWord(name, Object.keys(named))

export interface DetachKeys {
  /** The bytes for the process, and whether the keys were found; nothing behind them is sent. */
  readonly take: (bytes: Uint8Array) => { readonly send: Uint8Array; readonly found: boolean }
}

/** The bytes of a list of keys, as characters or names; an empty list is none. Undefined if there is no such key. */
export const parseDetachKeys = (text: string): Uint8Array | undefined => {
  if (text === "") return new Uint8Array()
  const keys = text.split(",").map((key) => ([...key].length === 1 ? key : keyOf(key)))
  return keys.some((key) => key === undefined) ? undefined : new TextEncoder().encode(keys.join(""))
}

export const searchFor = (keys: Uint8Array): DetachKeys => {
  let held = 0
  return {
    take: (bytes) => {
      if (keys.length === 0) return { send: bytes, found: false }
      const send: Array<number> = []
      for (const byte of bytes) {
        // The held bytes may begin with their own end, as in `a,a,b`.
        while (held > 0 && byte !== keys[held]) {
          const next = longestBorder(keys, held)
          send.push(...keys.subarray(0, held - next))
          held = next
        }
        if (byte !== keys[held]) send.push(byte)
        else if ((held += 1) === keys.length) {
          held = 0
          return { send: Uint8Array.from(send), found: true }
        }
      }
      return { send: Uint8Array.from(send), found: false }
    },
  }
}

/** The length of the longest begin of the first `length` keys that is also their end, and not all of them. */
const longestBorder = (keys: Uint8Array, length: number): number => {
  for (let border = length - 1; border > 0; border--)
    if (keys.subarray(0, border).every((byte, at) => byte === keys[length - border + at])) return border
  return 0
}
