// @ts-check
/** Fault: a line for people stands on the standard output. */
import { serve } from "../control/Server.mjs"

process.stdout.write("control server, ready\n")
serve()
