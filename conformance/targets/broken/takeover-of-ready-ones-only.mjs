// @ts-check
/** Fault: a session cannot be taken from a connection that has not sent initialized. */
import { serve } from "../control/Server.mjs"

serve({ yields: ({ step }) => step === "ready" })
