// @ts-check
/** Fault: a list begins with the newest process, so that pages move when one starts. */
import { serve } from "../control/Server.mjs"

serve({ listed: (entries) => entries.toReversed() })
