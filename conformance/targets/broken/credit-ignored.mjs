// @ts-check
/** Fault: output leaves whatever the credit is. */
import { serve } from "../control/Server.mjs"

serve({ fits: () => true })
