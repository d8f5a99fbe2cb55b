// @ts-check
/** Fault: the id of a process that could not be started stays taken. */
import { serve } from "../control/Server.mjs"

serve({ forget: () => undefined })
