// @ts-check
/** Fault: every session sees the processes of all sessions. */
import { serve } from "../control/Server.mjs"

const all = new Map()

serve({ processes: () => all })
