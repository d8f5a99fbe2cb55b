// @ts-check
/** Fault: lists do not tell what a process is labelled with. */
import { serve } from "../control/Server.mjs"

serve({ labelled: ({ name }) => ({ name, labels: {} }) })
