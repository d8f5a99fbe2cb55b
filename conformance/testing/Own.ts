/**
 * Our server and the broken ones of `../lab/faults/wire` as commands and targets, for tests. They need the build.
 */
import { fileURLToPath } from "node:url"
import * as Target from "../suite/Target.ts"
import type { TransportKind } from "../suite/wire/TransportKind.ts"

const words = (path: string, ...args: ReadonlyArray<string>): ReadonlyArray<string> => [
  process.execPath,
  fileURLToPath(new URL(`../../${path}`, import.meta.url)),
  ...args,
]

/** Starts our server, with an address in place of `{LISTEN}`. */
export const own = (...args: ReadonlyArray<string>): ReadonlyArray<string> =>
  words("dist/procwire.cjs", "serve", "--listen", Target.placeholder, ...args)

/** Starts a broken server by its name, over stdio or with an address in place of `{LISTEN}`. */
export const broken = (name: string): ReadonlyArray<string> =>
  words("conformance/targets/broken.mjs", name, "--listen", Target.placeholder)

/** Our server. */
export const target = (kind: TransportKind, ...args: ReadonlyArray<string>): Target.Target =>
  Target.command(kind, own(...args))

/** As a word of the command line, for one transport: over stdio it is the only one that is played. */
export const quoted = (command: ReadonlyArray<string>, listen: string = Target.placeholder): string =>
  command.map((word) => `'${word.replace(Target.placeholder, listen)}'`).join(" ")
