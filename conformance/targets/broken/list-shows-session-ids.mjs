// @ts-check
/** Fault: a session is listed by its id, which is a secret. */
import { serve } from "../control/Server.mjs"

serve({ sessionNumber: ({ id }) => id })
