/**
 * SHA-256 by `node:crypto`, which Bun and Deno have as well.
 *
 * Up to 64 KiB are hashed at the end, on this thread. From then on another thread computes, so that a flood of output
 * does not wait for its hash.
 */
import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { fromSync, type Hash, Hasher, type HasherService } from "../../../core/protocol/Hasher.ts"
import * as HashThread from "./HashThread.ts"

/** What is hashed on this thread. */
const most = 64 * 1024

/** A hasher; its thread starts with the first hash of more than 64 KiB, and ends with the program. */
export const make = (): HasherService => {
  let thread: HashThread.HashThread | undefined
  const running = (): HashThread.HashThread | undefined => {
    if (thread?.alive() === true) return thread
    return (thread = Either.getOrElse(
      Either.try(() => HashThread.start()),
      () => undefined,
    ))
  }
  return { sha256: () => grown(running) }
}

/** A hash that keeps the first bytes, and goes on elsewhere when they are more. */
const grown = (thread: () => HashThread.HashThread | undefined): Hash => {
  const early: Array<Buffer> = []
  let size = 0
  let rest: Hash | undefined
  const onThisThread = (): Hash => {
    const hash = createHash("sha256")
    return fromSync({ update: (bytes) => hash.update(bytes), digest: () => hash.digest("hex") })
  }
  const begin = (): Hash => {
    const running = thread()
    return running === undefined ? onThisThread() : onThread(running)
  }
  const flush = (to: Hash): boolean => {
    if (early.length > 0 && !to.update(Buffer.concat(early))) return false
    early.length = 0
    return true
  }
  return {
    update: (bytes) => {
      if (rest === undefined && size + bytes.length <= most) {
        early.push(Buffer.from(bytes))
        size += bytes.length
        return true
      }
      rest ??= begin()
      return flush(rest) && rest.update(bytes)
    },
    room: Effect.suspend(() => rest?.room ?? Effect.void),
    digest: Effect.suspend(() => {
      if (rest !== undefined) return rest.digest
      const hash = onThisThread()
      flush(hash)
      return hash.digest
    }),
    drop: () => rest?.drop(),
  }
}

const onThread = (thread: HashThread.HashThread): Hash => {
  const id = thread.open()
  let over = false
  return {
    update: (bytes) => thread.update(id, bytes),
    room: Effect.async<void>((resume) => thread.whenRoom(() => resume(Effect.void))),
    digest: Effect.async<string | undefined>((resume) => {
      over = true
      thread.digest(id, (hex) => resume(Effect.succeed(hex)))
    }),
    drop: () => {
      if (!over) thread.drop(id)
      over = true
    },
  }
}

/** The service. */
export const layer: Layer.Layer<Hasher> = Layer.sync(Hasher, make)
