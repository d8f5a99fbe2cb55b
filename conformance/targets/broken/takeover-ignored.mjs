// @ts-check
/** Fault: a session that is attached cannot be taken over, although that is announced. */
import { serve } from "../control/Server.mjs"

serve({ yields: () => false })
