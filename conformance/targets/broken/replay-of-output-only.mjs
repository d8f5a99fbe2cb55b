// @ts-check
/** Fault: a replay leaves out that a process has exited and closed. */
import { serve } from "../control/Server.mjs"

serve({
  replayed: (events, after) =>
    events.filter(({ method, params }) => params.seq > after && method === "process/output"),
})
