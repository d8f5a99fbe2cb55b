/**
 * Terminals that paint, by `@xterm/headless`: an optional peer of the package, which the user installs beside it. It is
 * loaded when the first terminal is opened.
 */
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ScreenError, Terminals } from "../../../core/features/screen/Terminals.ts"

/** True where the package is installed. */
export const isInstalled = (): boolean => {
  const { resolve } = createRequire(import.meta.url)
  // Node keeps for ever that a package is missing which it has been asked for. So its folders are looked at first.
  const { bun, deno, pnp } = process.versions
  const folders = bun ?? deno ?? pnp ?? resolve.paths("@xterm/headless")
  const isThere = (folder: string) => existsSync(join(folder, "@xterm/headless/package.json"))
  if (Array.isArray(folders) && !folders.some(isThere)) return false
  try {
    resolve("@xterm/headless")
    return true
  } catch {
    return false
  }
}

const load = Effect.tryPromise({
  try: () => Promise.all([import("@xterm/headless"), import("./XtermTerminal.ts")]),
  catch: () =>
    new ScreenError({
      reason: "Unavailable",
      message: "process/screen needs the package @xterm/headless: npm install @xterm/headless",
    }),
})

let found = false

/** The service. */
export const layer: Layer.Layer<never> = Layer.sync(Terminals, () => ({
  // Looked for each time until it is there: it may be installed while the server runs.
  get available() {
    return (found ||= isInstalled())
  },
  open: (size, scrollback) =>
    Effect.map(
      load,
      ([
        {
          default: { Terminal },
        },
        { XtermTerminal },
      ]) => new XtermTerminal(Terminal, size, scrollback),
    ),
}))
