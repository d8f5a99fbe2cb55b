// @ts-check
/** The control: no fault. What the broken servers are compared with. */
import { serve } from "./control/Server.mjs"

serve()
