/** The fields of process methods that end a process, or tell what has ended it. */
import * as Schema from "effect/Schema"
import { beside, told } from "./decoding/Decoder.ts"
import { beyond } from "./Fields.ts"
import { U53 } from "./Integers.ts"
import { later } from "./Later.ts"
import { EndedBy } from "./Ending.ts"
import * as Signals from "./Signals.ts"

/** A signal. A refusal has the words of the peer, which knows `interrupt` alone. */
export const Signal = Schema.Literal(...Signals.signalNames).annotations({
  identifier: "Signal",
  ...told(["interrupt"]),
  ...beside(Signals.read),
  jsonSchema: {
    anyOf: [
      { type: "string", enum: [...Signals.signalNames] },
      { type: "string", pattern: "^(SIG)?[A-Z][A-Z0-9]*([+-][0-9]+)?$" },
      { type: "integer", minimum: 1, maximum: Signals.largest },
    ],
  },
}) as unknown as Schema.Schema<Signals.Signal>

/**
 * With the capability `processDeadlines`: when the server ends the process. All are milliseconds of the server, counted
 * from the success of the spawn, whether a client is attached or not.
 */
export const Deadlines = later(() => ({
  /** The longest that it may run. At least 1; absent is no bound. */
  timeoutMs: beyond(U53),
  /** The longest that it may run without output. At least 1; absent is no bound. */
  idleTimeoutMs: beyond(U53),
  /** From the signal that asks it to end to the SIGKILL of what is left; 0 kills at once. The default is 5,000. */
  killGraceMs: beyond(U53),
  /** What asks it to end at a deadline. The default is SIGTERM. */
  signalOnTimeout: beyond(Signal),
  /** Whether its exit tells what has ended it. The default is true with a deadline, and false without. */
  ending: beyond(Schema.Boolean),
}))

/**
 * What has ended a process, and the number of the signal that it died of, if its start has asked for that or named a
 * deadline, or if it was terminated with a grace.
 */
export const ending = later(() => ({ endedBy: Schema.optional(EndedBy), signal: Schema.optional(U53) }))
