// @ts-check
/** Fault: variables with the names of the server's secrets reach a process. */
import { serve } from "../control/Server.mjs"

serve({ environment: (env) => env })
