// @ts-check
/** Fault: every message says jsonrpc 2.0, which this wire does not have. */
import { serve } from "../control/Server.mjs"

serve({ send: (message) => [{ ...message, jsonrpc: "2.0" }] })
