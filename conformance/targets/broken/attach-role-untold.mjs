// @ts-check
/** Fault: who loses the role of the writer is not told. */
import { serve } from "../control/Server.mjs"

serve({ tellsRole: (writer) => writer })
