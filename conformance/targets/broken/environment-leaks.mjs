// @ts-check
/** Fault: a process sees the variables of the server, too. */
import { serve } from "../control/Server.mjs"

serve({ environment: (env) => ({ ...process.env, ...env }) })
