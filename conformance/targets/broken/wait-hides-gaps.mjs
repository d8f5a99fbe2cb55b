// @ts-check
/** Fault: what is gone is not told. */
import { serve } from "../control/Server.mjs"

serve({ gap: () => ({}) })
