// @ts-check
/** Fault: a child that has ended well is followed by another one, too. */
import { wrong } from "../relay/Relay.mjs"

await wrong("process/start", {
  params: ({ restart, ...params }) => ({
    ...params,
    ...(restart?.policy === "onFailure" && { restart: { ...restart, policy: "always" } }),
    ...(restart?.policy !== "onFailure" && restart !== undefined && { restart }),
  }),
})
