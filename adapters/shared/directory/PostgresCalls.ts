/** Calls of the functions of the database, and what their answers mean. */
import * as Effect from "effect/Effect"
import type {
  Announced,
  Change,
  DirectoryService,
  Found,
  HostRecord,
  Renewed,
  SessionRecord,
} from "../../../core/directory/Directory.ts"
import { DirectoryError } from "../../../core/directory/DirectoryError.ts"
import { mostListed } from "../../../core/directory/Checked.ts"
import type { Settings } from "../../../core/directory/DirectoryOptions.ts"
import type { Ending } from "../../../core/directory/Ending.ts"
import * as Refusals from "../../../core/directory/Refusals.ts"
import * as Abandon from "../../../core/protocol/Abandon.ts"

type Value = string | number | boolean | null

/** A function of the database: its answer, or its refusal. */
export type Call = <A>(
  name: string,
  values: ReadonlyArray<Value>,
  refusal?: (why: string, known: unknown) => DirectoryError | undefined,
) => Effect.Effect<A, DirectoryError>

/** The used part of the client of the library. */
interface Client {
  readonly unsafe: (
    text: string,
    values: ReadonlyArray<Value>,
  ) => Effect.Effect<ReadonlyArray<unknown>, Error>
}

/** An absent member of a record is null in the database, and undefined here. */
type Answer<A> = A & { readonly refusal?: string; readonly known?: unknown }

/** Calls with a deadline. A call that the database does not answer is given up, whatever becomes of it there. */
export const make =
  (sql: Client, schema: string, deadlineMillis: number): Call =>
  <A>(name: string, values: ReadonlyArray<Value>, refusal?: Parameters<Call>[2]) =>
    sql
      .unsafe(
        `select to_jsonb(${schema}.${name}(${values.map((_, i) => `$${i + 1}`).join(", ")})) as answer`,
        values,
      )
      .pipe(
        Abandon.abandonable,
        Effect.mapError(unavailable),
        Effect.timeoutOrElse({
          duration: deadlineMillis,
          orElse: () => Effect.fail(late(deadlineMillis)),
        }),
        Effect.flatMap((rows) => {
          const { answer } = rows[0] as { readonly answer: Answer<A> }
          if (answer === null || typeof answer !== "object" || answer.refusal === undefined)
            return Effect.succeed(defined(answer) as A)
          const error = refusal?.(answer.refusal, answer.known)
          return error === undefined ? Effect.die(`unknown refusal: ${answer.refusal}`) : Effect.fail(error)
        }),
      )

const late = (deadlineMillis: number): DirectoryError =>
  new DirectoryError({
    reason: "Unavailable",
    message: `the directory in PostgreSQL has not answered within ${deadlineMillis} ms`,
  })

export const unavailable = (error: Error): DirectoryError => {
  let first = error
  while (first.cause instanceof Error) first = first.cause
  return new DirectoryError({
    reason: "Unavailable",
    message: `the directory in PostgreSQL cannot be asked: ${first.message || first.name}`,
    cause: error,
  })
}

/** Without null, on every level. */
const defined = (value: unknown): unknown => {
  if (value === null) return undefined
  if (Array.isArray(value)) return value.map(defined)
  if (typeof value !== "object") return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, defined(part)]))
}

/** Looks for expired entries: the version of the last change. */
export const sweep = (call: Call, { stepMillis, keepMillis, restMillis, tickMillis }: Settings) =>
  call<number>("sweep", [stepMillis, keepMillis, restMillis, tickMillis])

export const changes = (call: Call, since: number) =>
  call<{ readonly version: number; readonly changes: ReadonlyArray<Change> }>("changes", [since])

/** Every operation but watching. */
export const operations = (call: Call, settings: Settings): Omit<DirectoryService, "watch"> => {
  const { stepMillis: step, keepMillis: keep, restMillis: rest, claimMillis, failures } = settings
  return {
    announce: (said) => {
      const { leaseMillis = settings.leaseMillis, goneMillis = settings.goneMillis } = said
      return call<Announced>(
        "announce",
        [JSON.stringify(said), leaseMillis, goneMillis, step, keep],
        (why, known) => hostRefusal(why, known, said),
      )
    },
    renew: (key) =>
      call<Renewed>("renew", [key.hostId, key.epoch, step], (why, known) => hostRefusal(why, known, key)),
    drain: (hostId, draining) =>
      call<HostRecord>("drain", [hostId, draining, step], () => Refusals.unknownHost(hostId)),
    claim: (asked) => {
      const { sessionId, tenant, quota = null, labels = {} } = asked
      return call<SessionRecord>(
        "claim",
        [sessionId, tenant, quota, JSON.stringify(labels), claimMillis, failures, step],
        (why, known) => claimRefusal(why, known, asked),
      )
    },
    confirm: (key) =>
      call<SessionRecord>("confirm", [key.sessionId, key.fence, step], (why, known) =>
        sessionRefusal(why, known, key),
      ),
    lookup: (sessionId) => call<Found>("lookup", [sessionId], () => Refusals.noSession(sessionId)),
    end: (key, ending) =>
      call<SessionRecord>("end_session", [key.sessionId, key.fence, ending, step, keep, rest], (why, known) =>
        sessionRefusal(why, known, key),
      ),
    list: ({ hostId = null, tenant = null, after = "", limit = mostListed } = {}) =>
      Effect.map(call<Part>("list", [hostId, tenant, after, limit]), ({ hosts, sessions, more }) => ({
        hosts,
        sessions,
        next: more ? sessions.at(-1)?.sessionId : undefined,
      })),
  }
}

interface Part {
  readonly hosts: ReadonlyArray<HostRecord>
  readonly sessions: ReadonlyArray<SessionRecord>
  readonly more: boolean
}

const hostRefusal = (why: string, known: unknown, key: Parameters<typeof Refusals.goneEpoch>[0]) => {
  if (why === "older epoch") return Refusals.olderEpoch(key, Number(known))
  if (why === "gone epoch") return Refusals.goneEpoch(key)
  return why === "not announced" ? Refusals.notAnnounced(key) : undefined
}

const claimRefusal = (why: string, known: unknown, asked: Parameters<typeof Refusals.quotaExceeded>[0]) => {
  if (why === "other tenant") return Refusals.otherTenant(asked)
  if (why === "quota") return Refusals.quotaExceeded(asked)
  return why === "no host" ? Refusals.noHost(asked, (known ?? {}) as Record<string, number>) : undefined
}

const sessionRefusal = (why: string, known: unknown, key: Parameters<typeof Refusals.otherFence>[0]) => {
  if (why === "unknown session") return Refusals.noSession(key.sessionId)
  if (why === "other fence") return Refusals.otherFence(key, Number(known))
  return why === "ended" ? Refusals.hasEnded(key, known as Ending) : undefined
}
