#!/usr/bin/env bun
/** The command `procwire` on Bun, from source: `bun adapters/bun/main.ts serve`. */
import * as BunStart from "../shared/start/BunStart.ts"

declare const Bun: { readonly unsafe: { readonly setJITPolicy?: (scale: number) => void } }

/** The executable is built to compile little, because start-up code runs once. After this time it compiles as usual. */
const STARTED_MILLIS = 100

BunStart.begin((early) => {
  setTimeout(() => Bun.unsafe.setJITPolicy?.(1), STARTED_MILLIS).unref()
  void import("./program.ts").then(({ run }) => run(early))
})
