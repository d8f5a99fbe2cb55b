/** Names of hosts without secrets: loaded with the rules for hosts. */
import type { Secret } from "../../spawn/Spawner.ts"
import { formsOfAll, leastBytes } from "./Secrets.ts"

/**
 * A text of a host or about one without the values: hosts are in lower case, and such a text may be cut, at its end or
 * where it has an ellipsis. The first bytes of a value are hidden there, too, if they are as many as the least value
 * has.
 */
export const redactHost = (secrets: ReadonlyArray<Secret>, text: string): string => {
  const forms = formsOfAll(secrets).map(([form, token]) => [form.toLowerCase(), token] as const)
  let hidden = text
  for (const [form, token] of forms) {
    for (let at = lower(hidden).indexOf(form); at >= 0; at = lower(hidden).indexOf(form, at + token.length))
      hidden = hidden.slice(0, at) + token + hidden.slice(at + form.length)
  }
  for (const [form, token] of forms) {
    for (const end of [hidden.length, hidden.indexOf("…")]) {
      const most = Math.min(form.length - 1, end)
      for (let length = most; length >= leastBytes; length--) {
        if (!lower(hidden).startsWith(form.slice(0, length), end - length)) continue
        hidden = hidden.slice(0, end - length) + token + hidden.slice(end)
        break
      }
    }
  }
  return hidden
}

/** In lower case, at the same places. */
const lower = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
