// @ts-check
/** Fault: silence counts since long before the wait. */
import { serve } from "../control/Server.mjs"

serve({ quietSince: (_entry, { lastAt }) => lastAt - 3_600_000 })
