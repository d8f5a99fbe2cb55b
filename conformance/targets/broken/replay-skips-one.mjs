// @ts-check
/** Fault: a replay begins one event too late. */
import { serve } from "../control/Server.mjs"

serve({ replayed: (events, after) => events.filter(({ params }) => params.seq > after + 1) })
