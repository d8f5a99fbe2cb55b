#!/usr/bin/env bun
/** The command `procwire` on Bun, from source: `bun adapters/bun/main.ts serve`. */
import { main } from "../shared/cli/Cli.ts"
import { platform } from "./platform.ts"

main(platform)
