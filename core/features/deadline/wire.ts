/** Deadlines on the wire: the fields of a start that bound the time of its process. */
import * as Shape from "../../protocol/shape/index.ts"
import { U53 } from "../../protocol/Integers.ts"
import { Signal } from "../../protocol/Signal.ts"
import * as Wire from "../Wire.ts"

/**
 * The wire of the feature. All times are milliseconds of the server, counted from the success of the spawn, whether a
 * client is attached or not.
 */
export const deadline = Wire.make({
  capabilities: {
    /**
     * Beyond the peer implementation: `timeoutMs`, `idleTimeoutMs`, `killGraceMs`, `signalOnTimeout` and `ending` of
     * `process/start`, `signal` and `graceMs` of `process/terminate`, and any name or number in `process/signal`.
     */
    processDeadlines: Shape.boolean,
  },
  startFields: {
    /** The longest that it may run. At least 1; absent is no bound. */
    timeoutMs: Shape.beyond(U53),
    /** The longest that it may run without output. At least 1; absent is no bound. */
    idleTimeoutMs: Shape.beyond(U53),
    /** From the signal that asks it to end to the SIGKILL of what is left; 0 kills at once. The default is 5,000. */
    killGraceMs: Shape.beyond(U53),
    /** The signal that asks it to end at a deadline. The default is SIGTERM. */
    signalOnTimeout: Shape.beyond(Signal),
    /** True if its exit names the cause of its end. The default is true with a deadline, and false without. */
    ending: Shape.beyond(Shape.boolean),
  },
})
