// @ts-check
/** Fault: a writeId that one process has seen is a repetition for every other. */
import { serve } from "../control/Server.mjs"

const seen = new Set()

serve({ repeated: (_, writeId) => seen.has(writeId) || !seen.add(writeId) })
