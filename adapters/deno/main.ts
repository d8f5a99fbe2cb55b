#!/usr/bin/env -S deno run --quiet --no-prompt -P
/** The command `procwire` on Deno, from source, with the permissions of deno.json. */
import { main } from "../shared/cli/Cli.ts"
import { platform } from "../shared/Platform.ts"
import type { Early } from "../shared/start/Early.ts"

/** The start of this process, from what runs the program in the single file. */
declare const early: Early | undefined

main({ ...platform, early: typeof early === "undefined" ? undefined : early })
