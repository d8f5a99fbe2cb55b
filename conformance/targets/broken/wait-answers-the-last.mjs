// @ts-check
/** Fault: of several conditions that hold, the last is told. */
import { serve } from "../control/Server.mjs"

serve({ chosen: (held) => held.at(-1) })
