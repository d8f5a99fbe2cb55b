// @ts-check
/** Fault: marks are told also of a process whose start has not asked for them. */
import { serve } from "../control/Server.mjs"

serve({ marked: () => true })
