/**
 * The connections that one process asks for: its gate, the events of those that were denied, and the counts of all.
 *
 * A target is told once for a reason: programs try again and again. The events are bounded, and kept as long as the
 * process; what is not told is counted.
 */
import * as Effect from "effect/Effect"
import type { Extension, OwnEvents } from "../../process/Extension.ts"
import type { Process } from "../../process/Process.ts"
import type { Attempt, Decision, Injection } from "../../spawn/Egress.ts"
import type { Secret } from "../../spawn/Spawner.ts"
import { EventList } from "../EventList.ts"
import { redactHost } from "../secrets/Secrets.ts"
import * as Gate from "./Gate.ts"
import * as Injecting from "./Injecting.ts"
import type { Policy } from "./Rules.ts"
import type { Blocked, EgressBlocked } from "./wire.ts"

export { parse } from "./Rules.ts"
export { fault, hosted } from "./Injecting.ts"

/** The most events of a process. */
export const mostTold = 256

/** The secrets of a process. */
export interface Kept {
  /** All of them: no host that is told has one in it. */
  readonly all: ReadonlyArray<Secret>
  /** Those that only some hosts get. */
  readonly hosted: ReturnType<typeof Injecting.hosted>
  /** The names of the variables that have placeholders. */
  readonly variables: ReadonlySet<string>
  /** A fresh UUID from a cryptographic source. */
  readonly next: Effect.Effect<string>
}

/** The part in a process with these policies. `note` hears of each attempt. */
export const extension = (
  process: Process,
  policies: ReadonlyArray<Policy>,
  secrets: Kept | undefined,
  note: (attempt: Attempt, decision: Decision) => void,
): Extension => {
  const egressing = new Egressing(process)
  const gate = Gate.make(policies, {
    told: (asked, judged) => {
      const [attempt, decision] = secrets === undefined ? [asked, judged] : hidden(secrets.all, asked, judged)
      note(attempt, decision)
      egressing.add(attempt, decision)
    },
  })
  /** Made once: a process that is restarted has the same placeholders. */
  let made: ReadonlyArray<Injection> | undefined
  const injections =
    secrets === undefined || secrets.hosted.length === 0
      ? Effect.undefined
      : Effect.suspend(() =>
          made === undefined
            ? Effect.map(Injecting.make(secrets.hosted, secrets.next), (fresh) => (made = fresh))
            : Effect.succeed(made),
        )
  return {
    own: egressing,
    readFields: (after, before) => ({ blocked: egressing.between(after, before) }),
    closedFields: () => ({ egress: { allowed: egressing.allowed, denied: egressing.denied } }),
    spawner: ({ spawn }) => ({
      spawn: (spec, events) =>
        Effect.flatMap(injections, (some) =>
          spawn(
            some === undefined || secrets === undefined
              ? { ...spec, egress: gate }
              : Injecting.into(spec, gate, some, secrets.variables),
            events,
          ),
        ),
    }),
  }
}

/** An attempt and its decision without secrets: a host that a program asks for may have one in its name. */
const hidden = (
  secrets: ReadonlyArray<Secret>,
  attempt: Attempt,
  decision: Decision,
): readonly [Attempt, Decision] => {
  const host = redactHost(secrets, attempt.host)
  return [
    { ...attempt, host },
    decision.allowed ? decision : { ...decision, message: redactHost(secrets, decision.message) },
  ]
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
