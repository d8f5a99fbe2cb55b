// @ts-check
/** Fault: a number passes for an object without members. */
import { serve } from "../control/Server.mjs"

const objects = ["env", "envPolicy", "metadata", "managedNetwork", "networkProxy", "sandbox"]

/** @param {[name: string, value: any]} field */
const taken = ([name, value]) => [name, objects.includes(name) && typeof value === "number" ? {} : value]

serve({
  received: (params) =>
    typeof params === "object" && params !== null && !Array.isArray(params)
      ? Object.fromEntries(Object.entries(params).map(taken))
      : params,
})
