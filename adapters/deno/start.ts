/** The command `procwire` on Deno, from its single file: starts the program, `main.ts`. */
import * as DenoStart from "../shared/start/DenoStart.ts"

/** The hash of the program, from the build. */
declare const PROGRAM: string

declare const Deno: { readonly version: { readonly deno: string } }

DenoStart.begin(PROGRAM, (early) => {
  // Modules of Node cost as much as the answer: they come behind it.
  void import("../shared/cli/KeptProgram.ts").then(({ run }) =>
    run({ url: import.meta.url, hash: PROGRAM, runtime: `deno-${Deno.version.deno}` }, early),
  )
})
