/** What `process/start` takes beyond the peer implementation, each with a capability. Positional forms have this order. */
import * as Schema from "effect/Schema"
import * as Features from "../features/Wires.ts"
import { beyond } from "./Fields.ts"
import { History } from "./History.ts"
import { U53 } from "./Integers.ts"
import { later } from "./Later.ts"
import { Naming } from "./Naming.ts"

/** Fields of a start. */
export const StartExtensions = later(() => ({
  /** With the capability `processCredit`: see `CreditParams`. At least 65,536, the largest chunk; absent is no bound. */
  credit: beyond(U53),
  /** With the capability `outputHistory`: keeps the output in files. The default is as the server is told. */
  history: beyond(History),
  ...Naming,
  ...Features.startFields,
  /**
   * With the capability `processControlAll`: the process is kept, also when it has ended, until it is removed, and its
   * session as long. The default is false.
   */
  keep: beyond(Schema.Boolean),
  /**
   * With the capability `processAutoRemove`: the process is removed as soon as it is closed, also one that is kept. Who
   * is attached to it then still gets all of its output. The default is false.
   */
  autoRemove: beyond(Schema.Boolean),
  /**
   * With the capability `processAnswers`, and of a PTY alone: the server answers what the process asks its terminal
   * (DA1, DSR 5, CPR), while nobody but the owner is its writer. The default is false.
   */
  answers: beyond(Schema.Boolean),
  /** With the capability `processPid`: the result has the pid. The default is false. */
  pid: beyond(Schema.Boolean),
}))
