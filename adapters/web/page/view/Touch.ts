/** A finger on a terminal: it scrolls, or in a program that has the whole screen it presses the arrow keys. */
import type { Terminal } from "@xterm/xterm"

/** Follows one finger; `typed` is told of the keys. */
export const touchable = (terminal: Terminal, host: HTMLElement, typed: (data: string) => void): void => {
  let y: number | undefined
  host.addEventListener(
    "touchstart",
    ({ touches }) => (y = touches.length === 1 ? touches[0]?.clientY : undefined),
    {
      passive: true,
    },
  )
  host.addEventListener(
    "touchmove",
    (event) => {
      const now = event.touches[0]?.clientY
      if (y === undefined || now === undefined) return
      event.preventDefault()
      const lines = Math.trunc((y - now) / Math.max(8, host.clientHeight / terminal.rows))
      if (lines === 0) return
      y = now
      if (terminal.buffer.active.type === "normal") return terminal.scrollLines(lines)
      const arrow = terminal.modes.applicationCursorKeysMode ? "\u001bO" : "\u001b["
      typed(`${arrow}${lines > 0 ? "B" : "A"}`.repeat(Math.abs(lines)))
    },
    { passive: false },
  )
}
