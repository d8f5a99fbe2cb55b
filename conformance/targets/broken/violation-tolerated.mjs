// @ts-check
/** Fault: unknown notifications are ignored. */
import { serve } from "../control/Server.mjs"

serve({ knows: () => true })
