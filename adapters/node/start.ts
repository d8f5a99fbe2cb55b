#!/usr/bin/env node
/**
 * Starts the command `procwire` on Node: runs the program, `procwire-parts/procwire.cjs`, with what V8 has compiled of
 * it at an earlier start. `npm run build` makes that a function of `require` and the URL of the command.
 *
 * Each command that is started often has its own file, of the functions that it needs. It is written once: when the
 * command ends, or when a server has been up for a second.
 */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import v8 from "node:v8"
import { Script } from "node:vm"
import * as CodeCache from "./CodeCache.ts"

/** The hash of the program, from the build. */
declare const PROGRAM: string

// Output becomes garbage fast. A small heap halves the peak, and measured no loss of throughput. V8 keeps code for its
// flags, so they are set before any is read.
v8.setFlagsFromString("--optimize-for-size")

const cacheOf = (command: string): CodeCache.CodeCache | undefined => {
  const folder = ["serve", "run", "mcp"].includes(command) ? CodeCache.folder(process.env) : undefined
  return folder === undefined
    ? undefined
    : CodeCache.make(join(folder, `${command}-node-${process.version}`), PROGRAM)
}

const filename = fileURLToPath(new URL("procwire-parts/procwire.cjs", import.meta.url))
const cache = cacheOf(process.argv[2] ?? "")
const cachedData = cache?.read()
const script = new Script(readFileSync(filename, "latin1"), { filename, cachedData })
const program = script.runInThisContext() as (require: NodeJS.Require, url: string) => void
program(createRequire(import.meta.url), import.meta.url)

if (cache !== undefined && script.cachedDataRejected !== false) {
  const write = () => {
    process.off("exit", write)
    cache.write(script.createCachedData())
  }
  process.on("exit", write)
  setTimeout(write, 1000).unref()
}
