// @ts-check
/** Fault: a replay is announced, asked for, and does not happen. */
import { serve } from "../control/Server.mjs"

serve({ replayed: () => [] })
