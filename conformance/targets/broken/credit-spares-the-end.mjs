// @ts-check
/** Fault: exited and closed do not wait for output that waits for credit. */
import { serve } from "../control/Server.mjs"

serve({ queues: ({ method }) => method === "process/output" })
