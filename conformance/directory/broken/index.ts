/** Every directory with a fault, made from the one in memory, and a good one. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { DirectoryService } from "../../../core/directory/Directory.ts"
import { refused } from "../../../core/directory/DirectoryError.ts"
import type { DirectoryOptions } from "../../../core/directory/DirectoryOptions.ts"
import * as Memory from "../../../core/directory/Memory.ts"
import type { Make } from "../DirectoryContext.ts"

interface Broken {
  /** The fault. */
  readonly does: string
  /** The case that has to fail, and what its reason says. */
  readonly caughtBy: string
  readonly reason: RegExp
  readonly make: Make
}

export const good: Make = (options) =>
  Effect.map(Memory.make(options), (directory) => Effect.succeed(directory))

/** Changes some operations; each directory has its own change. */
const changed =
  (change: (directory: DirectoryService) => Partial<DirectoryService>): Make =>
  (options) =>
    Effect.map(Memory.make(options), (directory) => Effect.succeed({ ...directory, ...change(directory) }))

/** Has other options than it was given. */
const withOptions =
  (other: DirectoryOptions): Make =>
  (options) =>
    good({ ...options, ...other })

const day = 86_400_000

export const broken: { readonly [name: string]: Broken } = {
  "quota-ignored": {
    does: "counts no quota",
    caughtBy: "directory/claim/quota-is-kept",
    reason: /wanted a refusal/,
    make: changed(({ claim }) => ({ claim: (asked) => claim({ ...asked, quota: undefined }) })),
  },
  "quota-counted-before": {
    does: "counts the quota before the claim, and not in it",
    caughtBy: "directory/claim/last-place-of-a-quota",
    reason: /claims that were granted in round 0: wanted 1, got 4/,
    make: changed(({ claim, list }) => ({
      claim: ({ quota, ...asked }) =>
        list({ tenant: asked.tenant }).pipe(
          Effect.tap(() => Effect.sleep(1)),
          Effect.flatMap(({ sessions }) =>
            quota !== undefined && sessions.length >= quota
              ? Effect.fail(refused("QuotaExceeded", "too many"))
              : claim(asked),
          ),
        ),
    })),
  },
  "labels-ignored": {
    does: "takes any host",
    caughtBy: "directory/claim/labels-must-all-match",
    reason: /the host: wanted "b", got "a"|wanted a refusal/,
    make: changed(({ claim }) => ({ claim: (asked) => claim({ ...asked, labels: undefined }) })),
  },
  "capacity-doubled": {
    does: "gives a host twice what it takes",
    caughtBy: "directory/claim/capacity-is-kept",
    reason: /wanted a refusal/,
    make: changed(({ announce }) => ({
      announce: (said) => announce({ ...said, capacity: 2 * said.capacity }),
    })),
  },
  "load-ignored": {
    does: "prefers one of two hosts, whatever it has",
    caughtBy: "directory/claim/the-emptier-of-two",
    reason: /what each has: wanted \[10,10\]/,
    make: changed(({ announce }) => ({
      announce: (said) => announce(said.hostId === "a" ? { ...said, capacity: 3 * said.capacity } : said),
    })),
  },
  "repeated-claim-is-new": {
    does: "ends a session when its claim is repeated",
    caughtBy: "directory/claim/repeated-is-the-same",
    reason: /the second answer/,
    make: changed(({ claim, lookup, end }) => ({
      claim: (asked) =>
        lookup(asked.sessionId).pipe(
          Effect.flatMap(({ session }) => end(session, "released")),
          Effect.ignore,
          Effect.andThen(claim(asked)),
        ),
    })),
  },
  "fences-repeat": {
    does: "gives the same fence again",
    caughtBy: "directory/claim/fences-grow",
    reason: /fence 1 after 1/,
    make: changed(({ claim, confirm, lookup, end }) => ({
      claim: (asked) => Effect.map(claim(asked), (session) => ({ ...session, fence: 1 })),
      confirm: ({ sessionId }) =>
        Effect.flatMap(lookup(sessionId), ({ session }) =>
          Effect.map(confirm(session), (record) => ({ ...record, fence: 1 })),
        ),
      end: ({ sessionId }, how) => Effect.flatMap(lookup(sessionId), ({ session }) => end(session, how)),
    })),
  },
  "late-words-heard": {
    does: "hears words with any fence",
    caughtBy: "directory/session/late-words-are-refused",
    reason: /wanted a refusal/,
    make: changed(({ confirm, lookup, end }) => ({
      confirm: ({ sessionId }) => Effect.flatMap(lookup(sessionId), ({ session }) => confirm(session)),
      end: ({ sessionId }, how) => Effect.flatMap(lookup(sessionId), ({ session }) => end(session, how)),
    })),
  },
  "older-epoch-heard": {
    does: "lets an older epoch renew",
    caughtBy: "directory/host/older-epoch-is-fenced",
    reason: /wanted a refusal/,
    make: changed(({ renew }) => ({
      renew: (key) => Effect.orElseSucceed(renew(key), () => ({ leaseMillis: 1_000, draining: false })),
    })),
  },
  "restart-unnoticed": {
    does: "leaves the sessions of an older epoch alive",
    caughtBy: "directory/host/new-epoch-ends-old-sessions",
    reason: /s1: wanted "ended: host restarted", got "running"/,
    make: changed(({ announce }) => ({ announce: (said) => announce({ ...said, epoch: 1 }) })),
  },
  "drain-forgotten": {
    does: "takes a host that restarts for one that takes sessions again",
    caughtBy: "directory/host/drained-gets-nothing",
    reason: /what the next epoch is answered: wanted true, got false/,
    make: changed(({ announce, drain }) => ({
      announce: (said) =>
        Effect.map(Effect.tap(announce(said), drain(said.hostId, false)), (answer) => ({
          ...answer,
          draining: false,
        })),
    })),
  },
  "held-ignored": {
    does: "does not hear which sessions a host has",
    caughtBy: "directory/host/held-is-the-truth",
    reason: /the one that it has not: wanted "ended: host forgot it", got "running"/,
    make: changed(({ announce }) => ({ announce: (said) => announce({ ...said, held: undefined }) })),
  },
  "failures-forgotten": {
    does: "counts no failed starts",
    caughtBy: "directory/claim/three-failures-rest",
    reason: /wanted a refusal/,
    make: changed(({ end }) => ({ end: (session) => end(session, "closed") })),
  },
  "rest-for-ever": {
    does: "never tries a host again that has failed",
    caughtBy: "directory/claim/back-after-it-works",
    reason: /in vain for the rest to be over/,
    make: withOptions({ restMillis: day }),
  },
  "claims-stay": {
    does: "keeps the place of a claim that nobody confirms",
    caughtBy: "directory/session/unconfirmed-ends",
    reason: /in vain for the place to be free again/,
    make: withOptions({ claimMillis: day }),
  },
  "silence-unnoticed": {
    does: "never takes a host for lost",
    caughtBy: "directory/session/silent-is-lost",
    reason: /in vain for the host to be lost/,
    make: changed(({ announce }) => ({ announce: (said) => announce({ ...said, leaseMillis: day }) })),
  },
  "gone-forgiven": {
    does: "hears a host again that was told to be gone",
    caughtBy: "directory/session/silent-for-long-is-gone",
    reason: /wanted a refusal/,
    make: changed(({ announce }) => ({
      announce: (said) => Effect.catch(announce(said), () => announce({ ...said, epoch: said.epoch + 1 })),
    })),
  },
  "ends-forgotten": {
    does: "forgets a session as soon as it has ended",
    caughtBy: "directory/session/first-ending-stays",
    reason: /refused with NoSession/,
    make: changed(({ end, lookup }) => ({
      end: (session, how) =>
        lookup(session.sessionId).pipe(
          Effect.filterOrFail(
            (found) => found.session.state !== "ended",
            () => refused("NoSession", "forgotten"),
          ),
          Effect.andThen(end(session, how)),
        ),
    })),
  },
  "parts-overlap": {
    does: "begins each part of a list with the last of the part before",
    caughtBy: "directory/session/listed-by-parts",
    reason: /the sessions: wanted/,
    make: changed(({ list }) => ({
      list: (query) =>
        Effect.map(list(query), (part) => ({ ...part, next: part.sessions.at(-2)?.sessionId })),
    })),
  },
  "watch-begins-empty": {
    does: "tells a watch nothing of what is there",
    caughtBy: "directory/watch/begins-with-what-is-there",
    reason: /in vain for the host/,
    make: changed(({ watch, list }) => ({
      watch: Stream.unwrap(
        Effect.map(list(), ({ hosts, sessions }) => Stream.drop(watch, hosts.length + sessions.length)),
      ),
    })),
  },
  "changes-missed": {
    does: "tells a watch nine changes of ten",
    caughtBy: "directory/watch/misses-nothing",
    reason: /in vain for/,
    make: changed(({ watch }) => ({
      watch: Stream.filterMap(Stream.zipWithIndex(watch), ([change, index]) =>
        index % 10 === 9 ? Result.failVoid : Result.succeed(change),
      ),
    })),
  },
}
