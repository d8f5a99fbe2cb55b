/** The command `procwire` on Node. `start.ts` is what runs it. */
import { main } from "../shared/cli/Cli.ts"
import { platform } from "../shared/Platform.ts"
import type { Early } from "../shared/start/Early.ts"

/** The start of this process, from what runs the program. */
declare const early: Early | undefined

main({ ...platform, early: typeof early === "undefined" ? undefined : early })
