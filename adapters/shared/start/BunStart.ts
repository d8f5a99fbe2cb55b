/** The start of the command as Bun's single file. `process.stdin` would cost more than all of it. */
import * as fs from "node:fs"
import * as Early from "./Early.ts"
import * as Usual from "./Usual.ts"

declare const Bun: {
  readonly main: string
  readonly stdin: { readonly stream: () => ReadableStream<Uint8Array> }
}

/** Loads the program with `load`, perhaps behind the answer to `initialize`. */
export const begin = (load: (early: Early.Early | undefined) => void): void => {
  // From source the program changes without its executable.
  if (!Bun.main.startsWith("/$bunfs/") || !isPipe()) return load(undefined)
  Early.begin(
    {
      ...Usual.make(),
      program: Bun.main,
      name: "bun",
      uuid: () => crypto.randomUUID(),
      input: next,
    },
    load,
  )
}

const isPipe = (): boolean => {
  const stat = Early.attempt(() => fs.fstatSync(0))
  return stat?.isFIFO() === true || stat?.isSocket() === true
}

/** The next bytes. The stream is let go of again: `process.stdin` reads on behind them. */
const next = async (): Promise<Uint8Array | undefined> => {
  const reader = Bun.stdin.stream().getReader()
  try {
    return (await reader.read()).value
  } catch {
    return undefined
  } finally {
    reader.releaseLock()
  }
}
