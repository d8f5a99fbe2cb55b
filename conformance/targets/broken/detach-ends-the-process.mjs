// @ts-check
/** Fault: who leaves a process ends it. */
import { serve } from "../control/Server.mjs"

serve({ left: ({ entry }) => void entry.child.kill("SIGKILL") })
