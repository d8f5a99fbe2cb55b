/**
 * The connections that one process asks for: its gate, the events of those that were denied, and the counts of all.
 *
 * A target is told once for a reason: programs try again and again. The events are bounded, and kept as long as the
 * process; what is not told is counted.
 */
import * as Effect from "effect/Effect"
import type { Extension, OwnEvents } from "../../process/Extension.ts"
import type { Process } from "../../process/Process.ts"
import type { Secret, SpawnEvents, SpawnSpec } from "../../spawn/Spawner.ts"
import type { Attempt, Decision, Outlet } from "../../spawn/Egress.ts"
import type { SpawnError } from "../../spawn/SpawnError.ts"
import { EventList } from "../EventList.ts"
import { redactHost } from "../secrets/HostNames.ts"
import { type Answer, Asking, secretive } from "./Asking.ts"
import * as Gate from "./Gate.ts"
import * as Injecting from "./Injecting.ts"
import type { Line } from "./Line.ts"
import type { Policy } from "./Rules.ts"
import type { Blocked, EgressBlocked } from "./wire.ts"

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

/** The client of a process. */
export interface Client {
  /** The time for its answers, in milliseconds; undefined if it answers no questions. */
  readonly answerMillis: number | undefined
  /** True if it hears of every decision. */
  readonly hears: boolean
  /** The connection that has the session now; undefined without one. */
  readonly line: () => Line | undefined
  /** The time, in milliseconds since 1970. */
  readonly now: () => number
}

/** The wishes of a start beside its policies. */
export interface Asked {
  readonly client: Client
  /** True if its denials are events, with seqs. */
  readonly tells: boolean
  readonly secrets: Kept | undefined
  /** Variables for the process. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Hears of each attempt. */
  readonly note: (attempt: Attempt, decision: Decision) => void
}

/** The part in a process with these policies. */
export const extension = (
  process: Process,
  policies: ReadonlyArray<Policy>,
  { client, tells, secrets, env, note }: Asked,
): Extension => {
  const egressing = new Egressing(process, tells)
  const { answerMillis, hears, line, now } = client
  const asking =
    answerMillis === undefined ? undefined : new Asking(process.id, answerMillis, () => line()?.questions)
  /** The decisions that follow from answers. */
  const answers = new WeakMap<Decision, Answer>()
  /** The secrets that no host which is told may have in it: those of its spec, and their values of now. */
  let hiding: ReadonlyArray<Secret> = secrets?.all ?? []
  const gate = Gate.make(policies, {
    ask:
      asking &&
      ((attempt) =>
        redactHost(hiding, attempt.host) !== attempt.host ? Promise.resolve(secretive) : asking.ask(attempt)),
    answered: (decision, answer) => void answers.set(decision, answer as Answer),
    told: (asked, judged) => {
      const [attempt, decision] = hiding.length === 0 ? [asked, judged] : hidden(hiding, asked, judged)
      note(attempt, decision)
      egressing.add(attempt, decision)
      if (hears) line()?.tell(process.id, now(), attempt, decision, answers.get(judged))
    },
  })
  const ending = (events: SpawnEvents): SpawnEvents => ({
    ...events,
    exit: (...how) => {
      asking?.end()
      events.exit(...how)
    },
  })
  /** A process that is restarted has the same. */
  let placeholders: Outlet["placeholders"] = {}
  /** The spec with the gate; `running` are the placeholders of a child that runs already. */
  const guarded = (spec: SpawnSpec, running?: Outlet["placeholders"]): Effect.Effect<SpawnSpec, SpawnError> =>
    Effect.gen(function* () {
      const own = env === undefined ? spec : { ...spec, env: { ...spec.env, ...env } }
      if (secrets === undefined || secrets.hosted.length === 0) return { ...own, egress: gate }
      const { hosted, next, variables } = secrets
      placeholders = { ...placeholders, ...running }
      const given =
        running === undefined ? yield* Injecting.renewed(hosted) : yield* unchanged(hosted, spec, running)
      const made = yield* Injecting.make(given, next, placeholders)
      placeholders = {
        ...placeholders,
        ...Object.fromEntries(made.map(({ name, placeholder }) => [name, placeholder])),
      }
      const masked = Injecting.masking(own, given)
      if (masked !== own) hiding = [...(masked.secrets ?? []), ...secrets.all]
      return Injecting.into(masked, gate, made, variables)
    })
  return {
    ...(tells ? { own: egressing } : {}),
    readFields: (after, before) => ({ blocked: egressing.between(after, before) }),
    closedFields: () => ({ egress: { allowed: egressing.allowed, denied: egressing.denied } }),
    spawner: ({ reopen, spawn }) => ({
      spawn: (spec, events) =>
        Effect.flatMap(guarded(spec), (own) =>
          Effect.map(spawn(own, asking === undefined ? events : ending(events)), (child) =>
            own.secrets === spec.secrets ? child : { ...child, masked: own.secrets },
          ),
        ),
      ...(reopen && {
        reopen: (child, spec) => {
          if (asking !== undefined) process.subscribe(() => void (process.running || asking.end()))
          return Effect.flatMap(guarded(spec, child.outlet?.placeholders ?? {}), (own) => reopen(child, own))
        },
      }),
    }),
  }
}

/**
 * Those with a placeholder in the child whose value is that of its start. Another value is not given to it: its output
 * is not masked of that one.
 */
const unchanged = (
  hosted: Kept["hosted"],
  { secrets = [] }: SpawnSpec,
  known: Outlet["placeholders"],
): Effect.Effect<Kept["hosted"]> => {
  const isMasked = ({ name, value }: Secret) =>
    secrets.some((each) => each.name === name && each.value === value)
  return Effect.filter(
    hosted.filter(({ name }) => Object.hasOwn(known, name)),
    (secret) =>
      isMasked(secret)
        ? Effect.succeed(true)
        : Effect.as(Effect.logWarning(`secret ${secret.name} ${another}`), false),
  )
}

const another =
  "has another value than at the start of a process, whose output could not be masked: its placeholder stays as it is"

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
  private readonly tells: boolean
  private readonly targets = new Set<string>()

  constructor(process: Process, tells: boolean) {
    super()
    this.process = process
    this.tells = tells
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
    // One that is no event is read with whatever comes next.
    const seq = this.tells ? process.log.take() : process.log.nextSeq()
    this.items.push({ seq, protocol, host, port, reason, rule, message })
    if (this.tells) process.wake()
  }

  after(seq: number): EgressBlocked | undefined {
    const blocked = this.items[this.indexAfter(seq)]
    return blocked === undefined ? undefined : { kind: "egress", ...blocked }
  }
}
