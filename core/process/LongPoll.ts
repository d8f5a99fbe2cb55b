/**
 * One read of a process: what it has retained after a seq, waiting for news if there is nothing to say.
 *
 * Looking and waiting are one step, so no wake-up is missed; a read takes nothing away and delays nobody.
 */
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as Runtime from "effect/Runtime"
import type * as OutputLog from "./OutputLog.ts"
import type { Process } from "./Process.ts"

export interface ReadRequest {
  readonly afterSeq: number
  /** Decoded bytes; whole chunks are returned, and always at least one. */
  readonly maxBytes: number
  readonly waitMillis: number
}

export interface ReadState {
  readonly chunks: ReadonlyArray<OutputLog.Chunk>
  readonly nextSeq: number
  readonly exited: boolean
  readonly exitCode: number | null
  readonly closed: boolean
  readonly sandboxDenied: boolean
}

/** Longest delay that every runtime's timer takes: 2^31 - 1 milliseconds, 24 days. */
const maxSleepMillis = 2 ** 31 - 1

export const read = (process: Process, request: ReadRequest): Effect.Effect<ReadState> => {
  const state = Effect.sync(() => stateAfter(process, request))
  if (request.waitMillis === 0 || hasNews(process, request.afterSeq)) return state
  return Effect.zipRight(awaitNews(process, request), state)
}

/** True if a read after `seq` has something to say: output, the end, or an event between. */
const hasNews = (process: Process, seq: number): boolean =>
  process.log.after(seq) !== undefined ||
  process.closed !== undefined ||
  (process.exited !== undefined && seq < process.log.nextSeq() - 1)

/**
 * Waits for news, or as long as the request says. On the way from the news to the answer there is one step of a fiber:
 * the alarm is put away behind it.
 */
const awaitNews = (process: Process, { afterSeq, waitMillis }: ReadRequest): Effect.Effect<void> =>
  Effect.flatMap(Effect.runtime<never>(), (runtime) =>
    Effect.async<void>((resume) => {
      const sleep = Effect.interruptible(Effect.sleep(Math.min(waitMillis, maxSleepMillis)))
      const alarm = Runtime.runFork(runtime)(sleep)
      const stop = () => {
        unsubscribe()
        alarm.unsafeInterruptAsFork(FiberId.none)
      }
      const wake = () => {
        resume(Effect.void)
        stop()
      }
      const look = () => {
        if (hasNews(process, afterSeq)) wake()
      }
      const unsubscribe = process.subscribe(look)
      alarm.addObserver(wake)
      look()
      return Effect.sync(stop)
    }),
  )

const stateAfter = (process: Process, { afterSeq, maxBytes }: ReadRequest): ReadState => {
  const chunks: Array<OutputLog.Chunk> = []
  let bytes = 0
  let seq = afterSeq
  for (let chunk = process.log.after(seq); chunk !== undefined; chunk = process.log.after(seq)) {
    bytes += chunk.bytes.length
    if (chunks.length > 0 && bytes > maxBytes) break
    // The view dies with the next append; an answer may be written later.
    chunks.push({ ...chunk, bytes: chunk.bytes.slice() })
    seq = chunk.seq
  }
  return {
    chunks,
    nextSeq: maxBytes !== Infinity && chunks.length > 0 ? seq + 1 : process.log.nextSeq(),
    exited: process.exited !== undefined,
    exitCode: process.exited?.exitCode ?? null,
    closed: process.closed !== undefined,
    sandboxDenied: process.exited?.sandboxDenied ?? false,
  }
}
