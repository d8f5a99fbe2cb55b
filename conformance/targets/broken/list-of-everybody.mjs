// @ts-check
/** Fault: lists show every session to everybody. */
import { serve } from "../control/Server.mjs"

serve({ listable: () => true, seen: ({ all }) => [...all.values()] })
