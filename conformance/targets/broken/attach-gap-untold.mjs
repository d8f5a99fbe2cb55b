// @ts-check
/** Fault: output that an attachment has missed is not told. */
import { serve } from "../control/Server.mjs"

serve({ tellsGap: () => false })
