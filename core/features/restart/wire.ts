/** Restarts on the wire: `restart` of a start, `process/restart`, and `restarts` in lists. */
import * as Shape from "../../protocol/shape/index.ts"
import { U53 } from "../../protocol/Integers.ts"
import { request } from "../../protocol/Method.ts"
import { Signal } from "../../protocol/Signal.ts"
import * as Wire from "../Wire.ts"

/**
 * When the child of a process is followed by another one, with the same arguments, directory and variables, in the same
 * process: its id, its log and its terminal go on, and it exits and closes when none follows. `no`: only by
 * `process/restart`. `onFailure`: also when it has exited with another code than 0, or by a signal that no client has
 * sent; `always`: with 0 as well. At most `most` times without a client (default: no bound).
 *
 * The next child begins when nothing is left of the group of the one before, and all its output was read, after a
 * pause: 100 ms, then twice the one before, a minute at most, and anew behind a child that has run for 10 seconds.
 * `process/terminate`, SIGTERM and SIGKILL of a client and deadlines end the process, also in a pause.
 */
export const Restart = Shape.struct("RestartPolicy", {
  /** `no`: only by `process/restart`; `onFailure`: when a child has failed, too; `always`: after any end. */
  policy: Shape.words("no", "onFailure", "always"),
  /** The most restarts that no client has asked for; absent is no bound. */
  most: Shape.beyond(U53),
})
/** When a child is followed by another one. */
export type Restart = typeof Restart.Type

/**
 * Starts a process again whose start has had `restart`. One that runs gets a signal (default SIGTERM), and SIGKILL
 * after the grace (the default is that of the start); the answer comes when its next child runs. One that is closed is
 * forgotten, and a new process has its id, its name and all else of its start; its log is empty.
 */
export const RestartParams = Shape.struct("RestartParams", {
  processId: Shape.string,
  signal: Shape.beyond(Signal),
  /** The time that a running child has after the signal, before it is killed. */
  graceMs: Shape.beyond(U53),
})

/** The wire of the feature. */
export const restart = Wire.make({
  capabilities: {
    /** Beyond the peer implementation: `restart` of `process/start`, and `process/restart`. */
    processRestart: Shape.boolean,
  },
  startFields: {
    /** With the capability `processRestart`: when its child is followed by another one. The default is never. */
    restart: Shape.beyond(Restart),
  },
  rowFields: {
    /** Number of restarts of its child; absent if its start has not asked for that. */
    restarts: Shape.optional(U53),
  },
  requests: {
    "process/restart": request({
      params: RestartParams,
      result: Shape.nothing("RestartResponse"),
      family: "exec",
      slotted: false,
      says: "starts a process again, in its place (beyond the peer; capability processRestart)",
    }),
  },
})
