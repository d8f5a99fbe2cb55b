// @ts-check
/** Fault: chunks are base64 without padding. */
import { serve } from "../control/Server.mjs"

serve({ encode: (bytes) => bytes.toString("base64").replaceAll("=", "") })
