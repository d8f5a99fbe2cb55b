/**
 * How terminals are drawn: by WebGL as far as the browser has it, and as elements otherwise. A browser takes the oldest
 * context away when there are more than some 16, so only so many terminals get one.
 */
import { WebglAddon } from "@xterm/addon-webgl"
import type { Terminal } from "@xterm/xterm"

/** How a terminal is drawn. */
export type Renderer = "webgl" | "dom"

/** The most contexts of a page. */
const most = 12

/** Draws the terminals of a page. */
export class Renderers {
  private contexts = 0

  /** Draws an open terminal; `told` hears how, also when that changes. The result gives the context back. */
  attach(terminal: Terminal, told: (renderer: Renderer) => void): () => void {
    if (this.contexts >= most) return plain(told)
    const addon = new WebglAddon()
    try {
      terminal.loadAddon(addon)
    } catch {
      return plain(told)
    }
    this.contexts += 1
    let given = false
    const give = () => {
      if (given) return
      given = true
      this.contexts -= 1
      addon.dispose()
    }
    addon.onContextLoss(() => {
      give()
      told("dom")
    })
    told("webgl")
    return give
  }
}

const plain = (told: (renderer: Renderer) => void) => {
  told("dom")
  return () => {}
}
