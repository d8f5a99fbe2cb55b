/** No fault: what the broken servers are compared with. */
import { serve } from "./Base.mjs"

serve()
