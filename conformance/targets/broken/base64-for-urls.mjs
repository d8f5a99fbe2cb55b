// @ts-check
/** Fault: chunks are in the base64 alphabet for URLs, with padding. */
import { serve } from "../control/Server.mjs"

serve({ encode: (bytes) => bytes.toString("base64").replaceAll("+", "-").replaceAll("/", "_") })
