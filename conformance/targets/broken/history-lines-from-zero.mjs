// @ts-check
/** Fault: lines are counted from 0. */
import { serve } from "../control/Server.mjs"

serve({ firstLine: 0 })
