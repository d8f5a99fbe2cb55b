/** Fault: a request waits until the one before is answered, on whatever connection. */
import { serve } from "../control/Server.mjs"

let last = Promise.resolve()

serve({ schedule: (_, run) => (last = last.then(run)) })
