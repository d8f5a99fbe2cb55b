/** The program of the command on Bun, behind its start. */
import { main } from "../shared/cli/Cli.ts"
import { platform } from "../shared/Platform.ts"
import type { Early } from "../shared/start/Early.ts"

/** Runs the command line. */
export const run = (early: Early | undefined): void => main({ ...platform, early })
