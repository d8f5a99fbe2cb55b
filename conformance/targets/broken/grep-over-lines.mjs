// @ts-check
/** Fault: a match may reach over the end of a line. */
import { serve } from "../control/Server.mjs"

serve({ lineMatches: (pattern, lines, at) => pattern.test(lines.slice(at, at + 2).join("\n")) })
