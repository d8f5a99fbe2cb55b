#!/usr/bin/env bun
/** The command `procwire` on Bun, from source: `bun adapters/bun/main.ts serve`. */
import { main } from "../shared/cli/Cli.ts"
import { platform } from "./platform.ts"

declare const Bun: { readonly unsafe: { readonly setJITPolicy?: (scale: number) => void } }

/** The executable is built to compile little at first: what runs only once is not worth it. */
const STARTED_MILLIS = 100
setTimeout(() => Bun.unsafe.setJITPolicy?.(1), STARTED_MILLIS).unref()

main(platform)
