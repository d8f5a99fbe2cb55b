/**
 * Terminals that paint, by `@xterm/headless`: an optional peer of the package, which the user installs beside it. It is
 * loaded when the first terminal is opened.
 */
import { createRequire } from "node:module"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ScreenError } from "../../../core/process/screen/ScreenError.ts"
import { Terminals } from "../../../core/process/screen/Terminals.ts"
import { XtermTerminal } from "./XtermTerminal.ts"

/** Where the package is installed. */
const isInstalled = (): boolean => {
  try {
    createRequire(import.meta.url).resolve("@xterm/headless")
    return true
  } catch {
    return false
  }
}

const load = Effect.tryPromise({
  try: () => import("@xterm/headless"),
  catch: () =>
    new ScreenError({
      reason: "Unavailable",
      message: "process/screen needs the package @xterm/headless: npm install @xterm/headless",
    }),
})

/** The service. */
export const layer: Layer.Layer<Terminals> = Layer.sync(Terminals, () => ({
  available: isInstalled(),
  open: (size, scrollback) =>
    Effect.map(load, ({ default: { Terminal } }) => new XtermTerminal(Terminal, size, scrollback)),
}))
