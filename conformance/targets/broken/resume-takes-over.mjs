// @ts-check
/** Fault: a session that is attached can be resumed by another connection. */
import { serve } from "../control/Server.mjs"

serve({ free: () => true })
