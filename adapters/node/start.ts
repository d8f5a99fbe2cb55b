#!/usr/bin/env sh
/** The command `procwire` on Node: starts the program, `main.ts`. `.ci/procwire.mjs` has the shell start Node. */
import process from "node:process"
import v8 from "node:v8"
import * as KeptProgram from "../shared/cli/KeptProgram.ts"
import * as NodeStart from "../shared/start/NodeStart.ts"

/** The hash of the program, from the build. */
declare const PROGRAM: string

/** Start-up code runs once. After this time it is optimized, and the young heap grows, as usual. */
const STARTED_MILLIS = 100

const set = (...flags: ReadonlyArray<string>) => flags.forEach((flag) => v8.setFlagsFromString(flag))
const usual = () => set("--opt", "--semi-space-growth-factor=2")

// Output becomes garbage fast. A small heap halves the peak, and measured no loss of throughput.
set("--optimize-for-size", "--no-opt")
// Memory of a socket's reads that another thread frees is not used again by this one: each read gets new pages then.
set("--no-concurrent-array-buffer-sweeping")
NodeStart.begin(PROGRAM, (early) => {
  const program = {
    url: import.meta.url,
    hash: PROGRAM,
    runtime: `node-${process.version}`,
    withFlags: (make: () => void) => {
      set("--no-opt", "--semi-space-growth-factor=2")
      make()
      usual()
    },
  }
  KeptProgram.run(program, early)
  set("--semi-space-growth-factor=1")
  setTimeout(usual, STARTED_MILLIS).unref()
})
