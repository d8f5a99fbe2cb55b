/** Every operation as a step of a book at a time: what a directory in memory does, and one that keeps its book as a text. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import { look, type Book, type Step } from "./Book.ts"
import { checked } from "./Checked.ts"
import type { Change, DirectoryService } from "./Directory.ts"
import type { DirectoryError } from "./DirectoryError.ts"
import type { Settings } from "./DirectoryOptions.ts"
import * as HostBook from "./HostBook.ts"
import * as SessionBook from "./SessionBook.ts"

export interface Keeper {
  /** Takes one step, alone, and keeps what it has changed if it does not fail. It may be called again and again. */
  readonly step: <A>(take: (book: Book, now: number) => Step<A>) => Effect.Effect<A, DirectoryError>
  readonly read: Effect.Effect<Book, DirectoryError>
  /** The book, as soon as it has a greater version than this. */
  readonly later: (version: number) => Effect.Effect<Book, DirectoryError>
}

export const service = (keeper: Keeper, settings: Settings): DirectoryService =>
  checked({ ...operations(keeper, settings), watch: watch(keeper) })

/** Every operation but watching. */
export const operations = (
  keeper: Pick<Keeper, "step" | "read">,
  settings: Settings,
): Omit<DirectoryService, "watch"> => {
  const step = <A>(take: (book: Book) => Step<A>) =>
    keeper.step((book, now) => {
      look(book, now, settings)
      return take(book)
    })
  return {
    announce: (said) => step((book) => HostBook.announce(book, said, settings)),
    renew: (key) => step((book) => HostBook.renew(book, key)),
    drain: (hostId, draining) => step((book) => HostBook.drain(book, hostId, draining)),
    claim: (asked) =>
      Effect.flatMap(Effect.all([Random.next, Random.next]), (drawn) =>
        step((book) => {
          const left = [...drawn]
          return SessionBook.claim(book, asked, settings, (below) => Math.floor((left.shift() ?? 0) * below))
        }),
      ),
    confirm: (key) => step((book) => SessionBook.confirm(book, key)),
    lookup: (sessionId) =>
      Effect.flatMap(keeper.read, (book) => Effect.fromResult(SessionBook.lookup(book, sessionId))),
    end: (key, ending) => step((book) => SessionBook.end(book, key, ending, settings)),
    list: (query = {}) => Effect.map(keeper.read, (book) => SessionBook.list(book, query)),
  }
}

/** One look at what has expired. */
export const sweep = (
  keeper: Pick<Keeper, "step">,
  settings: Settings,
): Effect.Effect<void, DirectoryError> =>
  keeper.step((book, now) => {
    look(book, now, settings)
    HostBook.sweep(book, settings)
    return Result.void
  })

/** A page for each time at which something has changed; the next one begins behind it. */
const watch = ({ later }: Keeper): Stream.Stream<Change, DirectoryError> =>
  Stream.paginate(0, (since) =>
    Effect.map(
      later(since),
      (book) => [SessionBook.changes(book, since), Option.some(book.version)] as const,
    ),
  )
