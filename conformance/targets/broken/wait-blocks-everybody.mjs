// @ts-check
/** Fault: a request waits until the one before is answered, on whatever connection. */
import { serve } from "../control/Server.mjs"

/** @type {Promise<unknown>} */
let last = Promise.resolve()

serve({ schedule: (_, run) => (last = last.then(run)) })
