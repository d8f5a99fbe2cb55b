/**
 * The book of a directory as the value of one key in NATS. A step reads it, changes it and writes it back on condition
 * that it was not written meanwhile, or else begins again; so steps follow one another, and each is whole.
 *
 * The clock is that of the server: a value has the time at which it was written. A step goes by the time of the value
 * that it found, so it counts the time up to the last write, and the regular looks at what has expired write each time.
 */
import type { KV } from "@nats-io/kv"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Random from "effect/Random"
import * as Book from "../../../core/directory/Book.ts"
import { DirectoryError } from "../../../core/directory/DirectoryError.ts"
import type { Keeper } from "../../../core/directory/Steps.ts"
import * as Turn from "../../../core/protocol/Turn.ts"

export const key = "book"

/** Counts the forms of the text; a program refuses later ones than this. */
const format = 1

/** Between two attempts of a step that somebody else was quicker than: up to so many milliseconds. */
const pauseMillis = 10

interface Read {
  readonly book: Book.Book
  /** The number of its write; 0 if there is none yet. */
  readonly revision: number
  /** When it was written, in milliseconds of the server's clock. */
  readonly writtenAt: number | undefined
}

type Bucket = Pick<KV, "get" | "create" | "update">

/** The store of a book in a bucket. `isConflict` is true of the error by which the server refuses a late write. */
export const make = (
  bucket: Bucket,
  bucketName: string,
  isConflict: (error: unknown) => boolean,
  deadlineMillis: number,
): Pick<Keeper, "step" | "read"> => {
  const get = Effect.tryPromise({
    try: async (): Promise<Read> => {
      const entry = await bucket.get(key)
      return entry === null
        ? { book: Book.make(), revision: 0, writtenAt: undefined }
        : {
            book: parse(entry.string(), bucketName),
            revision: entry.revision,
            writtenAt: entry.created.getTime(),
          }
    },
    catch: unavailable,
  })
  /** False if somebody else has written since. */
  const put = (book: Book.Book, revision: number) =>
    Effect.tryPromise({
      try: () =>
        (revision === 0 ? bucket.create(key, print(book)) : bucket.update(key, print(book), revision)).then(
          () => true,
          (error: unknown) => {
            if (isConflict(error)) return false
            throw error
          },
        ),
      catch: unavailable,
    })
  const attempt = (take: Parameters<Keeper["step"]>[0]) =>
    Effect.gen(function* () {
      for (;;) {
        const { book, revision, writtenAt } = yield* get
        const taken = take(book, writtenAt ?? 0)
        if (Result.isFailure(taken)) return yield* taken.failure
        // Nothing has been written yet, so there is no time to go by.
        if (writtenAt === undefined) book.looked = undefined
        if (yield* put(book, revision)) return taken.success
        yield* Effect.sleep((yield* Random.next) * pauseMillis)
      }
    })
  const inTime = Effect.timeoutOrElse({
    duration: deadlineMillis,
    orElse: () =>
      new DirectoryError({
        reason: "Unavailable",
        message: `the directory in NATS has not answered within ${deadlineMillis} ms`,
      }),
  })
  // Steps of one program would only hinder each other.
  const turn = Turn.make()
  return {
    step: <A>(take: Parameters<typeof attempt>[0]) =>
      inTime(turn(attempt(take))) as Effect.Effect<A, DirectoryError>,
    read: inTime(Effect.map(get, ({ book }) => book)),
  }
}

export const unavailable = (cause: unknown): DirectoryError =>
  cause instanceof DirectoryError
    ? cause
    : new DirectoryError({
        reason: "Unavailable",
        message: `the directory in NATS cannot be asked: ${cause instanceof Error ? cause.message : String(cause)}`,
        cause,
      })

const print = ({ hosts, sessions, ...numbers }: Book.Book): string =>
  JSON.stringify({ format, ...numbers, hosts: [...hosts.values()], sessions: [...sessions.values()] })

/** Reads the output of `print`. Throws if a later program has written it. */
const parse = (text: string, bucketName: string): Book.Book => {
  const { format: found, hosts, sessions, ...numbers } = JSON.parse(text)
  if (found > format)
    throw new DirectoryError({
      reason: "WrongVersion",
      message: `the bucket ${bucketName} has version ${found}, and this program knows versions up to ${format}: update it`,
    })
  return {
    ...numbers,
    hosts: new Map(hosts.map((row: Book.HostRow) => [row.hostId, row])),
    sessions: new Map(sessions.map((row: Book.SessionRow) => [row.sessionId, row])),
  }
}
