#!/usr/bin/env node
/** The command `procwire` on Node: starts the program, `main.ts`. */
import process from "node:process"
import v8 from "node:v8"
import * as KeptProgram from "../shared/cli/KeptProgram.ts"

/** The hash of the program, from the build. */
declare const PROGRAM: string

// Output becomes garbage fast. A small heap halves the peak, and measured no loss of throughput. V8 keeps code for its
// flags, so they are set before any is read.
v8.setFlagsFromString("--optimize-for-size")
KeptProgram.run({ url: import.meta.url, hash: PROGRAM, runtime: `node-${process.version}` })
