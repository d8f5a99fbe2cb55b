// @ts-check
/** Fault: an owner that resumes its session is not told whether it writes. */
import { serve } from "../control/Server.mjs"

serve({ tellsRoleAgain: () => false })
