#!/usr/bin/env -S deno run --quiet --no-prompt -P
/** The command `procwire` on Deno, from source, with the permissions of deno.json. */
import { main } from "../shared/cli/Cli.ts"
import { platform } from "../shared/Platform.ts"

main(platform)
