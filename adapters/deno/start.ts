/** The command `procwire` on Deno, from its single file: starts the program, `main.ts`. */
import * as KeptProgram from "../shared/cli/KeptProgram.ts"

/** The hash of the program, from the build. */
declare const PROGRAM: string

declare const Deno: { readonly version: { readonly deno: string } }

KeptProgram.run({ url: import.meta.url, hash: PROGRAM, runtime: `deno-${Deno.version.deno}` })
