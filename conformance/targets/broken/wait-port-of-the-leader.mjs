// @ts-check
/** Fault: a descendant that listens does not count. */
import { listener } from "../control/Evidence.mjs"
import { serve } from "../control/Server.mjs"

serve({ listener: (entry, port) => listener([entry.child.pid], port) })
