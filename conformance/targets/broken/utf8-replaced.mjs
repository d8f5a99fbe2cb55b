// @ts-check
/** Fault: output is taken for UTF-8 text before it is encoded. */
import { serve } from "../control/Server.mjs"

serve({ encode: (bytes) => Buffer.from(bytes.toString("utf8")).toString("base64") })
