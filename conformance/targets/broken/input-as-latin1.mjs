// @ts-check
/** Fault: what comes in is taken for Latin-1, a character for each byte. */
import { serve } from "../control/Server.mjs"

serve({ text: (bytes) => bytes.toString("latin1") })
