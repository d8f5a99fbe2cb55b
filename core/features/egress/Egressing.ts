/**
 * The connections that one process asks for: its gate, the events of those that were denied, and the counts of all.
 *
 * A target is told once for a reason: programs try again and again. The events are bounded, and kept as long as the
 * process; what is not told is counted.
 */
import type { Extension, OwnEvents } from "../../process/Extension.ts"
import type { Process } from "../../process/Process.ts"
import type { Attempt, Decision } from "../../spawn/Egress.ts"
import { EventList } from "../EventList.ts"
import * as Gate from "./Gate.ts"
import type { Policy } from "./Rules.ts"
import type { Blocked, EgressBlocked } from "./wire.ts"

export { parse } from "./Rules.ts"

/** The most events of a process. */
export const mostTold = 256

/** The part in a process with these policies. `note` hears of each attempt. */
export const extension = (
  process: Process,
  policies: ReadonlyArray<Policy>,
  note: (attempt: Attempt, decision: Decision) => void,
): Extension => {
  const egressing = new Egressing(process)
  const gate = Gate.make(policies, {
    told: (attempt, decision) => {
      note(attempt, decision)
      egressing.add(attempt, decision)
    },
  })
  return {
    own: egressing,
    readFields: (after, before) => ({ blocked: egressing.between(after, before) }),
    closedFields: () => ({ egress: { allowed: egressing.allowed, denied: egressing.denied } }),
    spawner: ({ spawn }) => ({ spawn: (spec, events) => spawn({ ...spec, egress: gate }, events) }),
  }
}

class Egressing extends EventList<Blocked> implements OwnEvents {
  allowed = 0
  denied = 0
  private readonly process: Process
  private readonly targets = new Set<string>()

  constructor(process: Process) {
    super()
    this.process = process
  }

  add({ protocol, host, port }: Attempt, decision: Decision): void {
    if (decision.allowed) {
      this.allowed += 1
      return
    }
    this.denied += 1
    const { reason, rule = null, message } = decision
    const target = `${host} ${port} ${reason}`
    const { process, targets } = this
    if (process.closed !== undefined || targets.size >= mostTold || targets.has(target)) return
    targets.add(target)
    this.items.push({ seq: process.log.take(), protocol, host, port, reason, rule, message })
    process.wake()
  }

  after(seq: number): EgressBlocked | undefined {
    const blocked = this.items[this.indexAfter(seq)]
    return blocked === undefined ? undefined : { kind: "egress", ...blocked }
  }
}
