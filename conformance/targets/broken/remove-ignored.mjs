// @ts-check
/** Fault: a process that is removed stays. */
import { serve } from "../control/Server.mjs"

serve({ removes: () => false })
