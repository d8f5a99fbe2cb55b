/**
 * The case that compares a directory with the book of the core: the same scripts of 200 random steps, one after the
 * other, has the same answers, fences and lists, and each host that was chosen was the better one of two that fit.
 */
import * as Result from "effect/Result"
import * as Book from "../../../core/directory/Book.ts"
import type { SessionKey, SessionRecord } from "../../../core/directory/Directory.ts"
import { DirectoryError } from "../../../core/directory/DirectoryError.ts"
import { resolve } from "../../../core/directory/DirectoryOptions.ts"
import * as HostBook from "../../../core/directory/HostBook.ts"
import * as SessionBook from "../../../core/directory/SessionBook.ts"
import * as Check from "../../suite/Check.ts"
import type { Json } from "../../suite/Json.ts"
import { table, type Connection } from "../DirectoryContext.ts"
import { host, wish } from "./Parts.ts"

/** Whole numbers from 0 to below a bound: the same ones each time (xorshift). */
const numbers = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

const settings = resolve({
  leaseMillis: 3_600_000,
  goneMillis: 7_200_000,
  restMillis: 3_600_000,
  claimMillis: 3_600_000,
})

/** A step of the script, as the book takes it and as the directory does. */
interface Played {
  readonly what: string
  readonly directory: (one: Connection) => Promise<unknown>
  readonly book: (book: Book.Book, got: unknown) => Book.Step<unknown>
}

const pairOf = <A>(
  what: string,
  ask: Parameters<Connection["outcome"]>[0],
  book: (book: Book.Book, got: unknown) => Book.Step<A>,
): Played => ({ what, directory: (one) => one.outcome(ask), book })

/** The answers of both, without versions, as one text. */
const shown = (value: unknown): string =>
  value instanceof DirectoryError
    ? value.reason
    : JSON.stringify(value, (name, part: Json) => (name === "version" ? undefined : ordered(part)))

const ordered = (part: Json): Json =>
  part !== null && typeof part === "object" && !Array.isArray(part)
    ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
    : part

/** The claim of the book with the host that the directory has chosen, if two random choices can give it. */
const claimLike =
  (asked: ReturnType<typeof wish>) =>
  (book: Book.Book, got: unknown): Book.Step<unknown> => {
    const wanted = got instanceof DirectoryError ? undefined : (got as SessionRecord).hostId
    const size = book.hosts.size
    for (let first = 0; first < size; first++)
      for (let second = 0; second < size; second++) {
        const copy = { ...book, hosts: new Map(book.hosts), sessions: new Map(book.sessions) }
        const drawn = [first, second]
        const step = SessionBook.claim(copy, asked, settings, (below) => (drawn.shift() ?? 0) % below)
        if (Result.isSuccess(step) && step.success.hostId !== wanted) continue
        Object.assign(book, copy)
        return step
      }
    return SessionBook.claim(book, asked, settings, () => 0)
  }

const script = (count: number, seed: number) => {
  const random = numbers(seed)
  const epochs = new Map<string, number>()
  const keys: Array<SessionKey & { readonly tenant: string }> = []
  const key = () => keys[random(Math.max(1, keys.length))] ?? { sessionId: "none", fence: 1, tenant: "t0" }
  const next = (): Played => {
    const hostId = `h${random(4)}`
    const epoch = epochs.get(hostId) ?? 1
    const kind = random(100)
    if (kind < 8) {
      const given = Math.max(1, epoch + random(3) - 1)
      epochs.set(hostId, Math.max(epoch, given))
      const labels = random(2) === 0 ? { size: "big" } : {}
      const sessions = [
        ...new Map(Array.from({ length: random(5) }, key).map((one) => [one.sessionId, one])).values(),
      ]
      const held = random(3) > 0 ? undefined : { upTo: random(2) * 1_000_000_000, sessions }
      const said = host(hostId, { epoch: given, labels, capacity: 2 + random(4), held })
      return pairOf(
        `announce ${JSON.stringify(said)}`,
        (it) => it.announce(said),
        (book) => HostBook.announce(book, said, settings),
      )
    }
    if (kind < 14) {
      const named = { hostId, epoch: Math.max(1, epoch + random(3) - 1) }
      return pairOf(
        `renew ${JSON.stringify(named)}`,
        (it) => it.renew(named),
        (book) => HostBook.renew(book, named),
      )
    }
    if (kind < 17) {
      const draining = random(3) === 0
      return pairOf(
        `drain ${hostId} ${draining}`,
        (it) => it.drain(hostId, draining),
        (book) => HostBook.drain(book, hostId, draining),
      )
    }
    if (kind < 60) {
      const labels = random(4) === 0 ? { size: "big" } : undefined
      const asked = wish(`s${random(25)}`, {
        tenant: `t${random(2)}`,
        quota: random(3) === 0 ? undefined : 5,
        labels,
      })
      return pairOf(`claim ${JSON.stringify(asked)}`, (it) => it.claim(asked), claimLike(asked))
    }
    const about = key()
    const session = {
      sessionId: about.sessionId,
      fence: Math.max(1, about.fence - (random(5) === 0 ? 1 : 0)),
    }
    const words = JSON.stringify(session)
    if (kind < 75)
      return pairOf(
        `confirm ${words}`,
        (it) => it.confirm(session),
        (book) => SessionBook.confirm(book, session),
      )
    if (kind < 92) {
      const ending = (["closed", "start failed", "released"] as const)[random(3)] ?? "closed"
      return pairOf(
        `end ${words} ${ending}`,
        (it) => it.end(session, ending),
        (book) => SessionBook.end(book, session, ending, settings),
      )
    }
    if (kind < 96)
      return pairOf(
        `lookup ${about.sessionId}`,
        (it) => it.lookup(about.sessionId),
        (book) => SessionBook.lookup(book, about.sessionId),
      )
    return pairOf(
      "list",
      (it) => it.list(),
      (book) => Result.succeed(SessionBook.list(book, {})),
    )
  }
  return { keys, steps: Array.from({ length: count }, () => next) }
}

export const models = table("directory/model", {
  "same-as-the-book": {
    says: "Two scripts of 200 random steps have the answers of the model, and each choice of a host is the better of two.",
    run: async (t) => {
      for (const seed of [7, 1_234_567]) {
        const one = await t.one(settings)
        const book = Book.make()
        const { keys, steps } = script(200, seed)
        for (const [index, next] of steps.entries()) {
          const step = next()
          const got = await step.directory(one)
          const wanted = step.book(book, got)
          const expected = shown(Result.isFailure(wanted) ? wanted.failure : wanted.success)
          Check.equal(shown(got), expected, `step ${index} of script ${seed}, ${step.what}`)
          if (step.what.startsWith("claim") && !(got instanceof DirectoryError))
            keys.push(got as SessionRecord)
        }
        const listing = await one.ask((directory) => directory.list())
        Check.equal(shown(listing), shown(SessionBook.list(book, {})), "the list at the end")
      }
    },
  },
})
