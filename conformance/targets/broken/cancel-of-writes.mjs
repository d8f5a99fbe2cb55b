// @ts-check
/** Fault: whatever waits can be cancelled, also a write. */
import { serve } from "../control/Server.mjs"

serve({ cancellable: (method) => method !== "" })
