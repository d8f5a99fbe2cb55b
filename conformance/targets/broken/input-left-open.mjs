// @ts-check
/** Fault: a process without pipeStdin waits for input that never comes. */
import { serve } from "../control/Server.mjs"

serve({ noInput: "pipe" })
