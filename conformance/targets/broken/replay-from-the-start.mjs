// @ts-check
/** Fault: a replay pushes everything that is retained, whatever the client has. */
import { serve } from "../control/Server.mjs"

serve({ replayed: (events) => events })
