/** The command `procwire` on Node. `start.ts` is what runs it. */
import { main } from "../shared/cli/Cli.ts"
import { platform } from "../shared/Platform.ts"

main(platform)
