// @ts-check
// Servers that are wrong in restarts.
import { fault } from "../../../lab/faults/wire/changes.mjs"

/** @import { WireFault } from "../../../lab/faults/wire/changes.mjs" */

/** @type {readonly WireFault[]} */
export const broken = [
  fault`restart-kills-at-once: A process that is to be restarted is killed at once, whatever grace is asked for.
    process/restart/goes-on-in-the-same-process`.params("process/restart", (asked) => ({
    ...asked,
    graceMs: 0,
  })),
  fault`restart-of-a-success: A child that has ended well is followed by another one, too.
    process/restart/leaves-a-success`.params("process/start", ({ restart, ...asked }) => ({
    ...asked,
    ...(restart && { restart: restart.policy === "onFailure" ? { ...restart, policy: "always" } : restart }),
  })),
  fault`restart-without-a-bound: Children follow each other once more than the start allows.
    process/restart/follows-a-failure`.params("process/start", ({ restart, ...asked }) => ({
    ...asked,
    ...(restart && {
      restart: restart.most === undefined ? restart : { ...restart, most: restart.most + 1 },
    }),
  })),
]
