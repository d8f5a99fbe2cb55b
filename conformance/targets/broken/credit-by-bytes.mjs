// @ts-check
/** Fault: a small chunk counts as its bytes and no more. */
import { serve } from "../control/Server.mjs"

serve({ counts: (bytes) => bytes })
