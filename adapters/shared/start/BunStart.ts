/** The start of the command as Bun's single file. `process.stdin` would cost more than all of it. */
import * as fs from "node:fs"
import type * as Early from "./Early.ts"
import { begin as beginEarly } from "./Early.ts"
import { attempt, factsOf, host } from "./Files.ts"

declare const Bun: {
  readonly main: string
  readonly stdin: { readonly stream: () => ReadableStream<Uint8Array> }
}

/** Loads the program with `load`, perhaps behind the answer to `initialize`. */
export const begin = (load: (early: Early.Early | undefined) => void): void => {
  // From source the program changes without its executable.
  if (!Bun.main.startsWith("/$bunfs/") || !isPipe()) return load(undefined)
  beginEarly(
    {
      program: Bun.main,
      name: "bun",
      executable: process.execPath,
      execArgs: process.execArgv,
      args: process.argv.slice(2),
      env: process.env,
      uid: process.geteuid?.() ?? -1,
      gid: process.getegid?.() ?? -1,
      host,
      cwd: () => attempt(() => process.cwd()) ?? "",
      read: (file) => attempt(() => fs.readFileSync(file, "utf8")),
      facts: factsOf,
      uuid: () => crypto.randomUUID(),
      input: next,
      output: (bytes) => attempt(() => fs.writeSync(1, bytes)) ?? 0,
    },
    load,
  )
}

const isPipe = (): boolean => {
  const stat = attempt(() => fs.fstatSync(0))
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
