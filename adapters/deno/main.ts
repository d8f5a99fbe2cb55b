#!/usr/bin/env -S deno run --allow-all
/** The command `procwire` on Deno, from source: `deno run … adapters/deno/main.ts serve`. */
import { main } from "../shared/cli/Cli.ts"
import { platform } from "./platform.ts"

main(platform)
