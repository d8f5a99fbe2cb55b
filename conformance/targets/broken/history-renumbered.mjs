// @ts-check
/** Fault: the chunks of a part are numbered from 1. */
import { serve } from "../control/Server.mjs"

serve({ numbered: (chunks) => chunks.map((chunk, index) => ({ ...chunk, seq: index + 1 })) })
